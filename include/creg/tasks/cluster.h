// Graph clustering: how well k-means on an embedding finds the classes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/tasks/classify.h"

namespace creg {

struct ClusterOptions {
  /// How many clusters; 0: as many as there are classes among the labelled nodes.
  std::int64_t k = 0;
  /// Runs of k-means per embedding, with the seeds `seed`, `seed` + 1 …
  int seeds = 5;
  std::uint64_t seed = 0;
  int restarts = 10;  ///< of each run; the one of least inertia counts
  Normalize normalize = Normalize::none;
  int smooth = 0;  ///< as of ClassifyOptions, before all else
  /// Principal components that the rows are reduced to, after normalising; nothing: all dimensions.
  std::optional<std::int64_t> pca;
};

struct ClusterResult {
  Normalize normalize = Normalize::none;
  int smooth = 0;
  std::optional<std::int64_t> pca;
  std::int64_t k = 0;
  std::int64_t classes = 0;   ///< among the labelled nodes
  std::int64_t nodes = 0;     ///< that were clustered
  std::int64_t labelled = 0;  ///< that were judged
  int restarts = 0;
  std::uint64_t seed = 0;
  std::int64_t seeds = 0;  ///< per embedding
  std::int64_t runs = 1;   ///< embeddings pooled
  // Per run and seed.
  std::vector<double> accuracy;
  std::vector<double> nmi;
  std::vector<double> f1;
  std::vector<double> ari;
  std::vector<double> inertia;
};

/// Clusters all nodes by k-means and compares the clusters of the labelled ones with their classes
/// (cluster_agreement). The inertia is that of the rows as they were clustered. A graph without
/// labels, an embedding that has not one row per node or holds numbers that are not finite, more
/// clusters than distinct rows and more components than rows or dimensions are input errors.
/// Results do not depend on the number of threads.
ClusterResult cluster(const Context& context, const Graph& graph, const DenseMatrix& embedding,
                      const ClusterOptions& options = {});

/// Several embeddings clustered in one way as one result: the values one after the other. Results
/// of different ways are an input error.
ClusterResult pool_results(std::span<const ClusterResult> results);

/// The components of a PCA "of the usual size" for this embedding: 64, or as many as there can be.
std::int64_t usual_components(const DenseMatrix& embedding);

}  // namespace creg
