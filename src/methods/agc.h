// AGC: features smoothed along the edges until clusters stop growing tighter. There is nothing to
// train.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph.h"

namespace creg {

struct AgcOptions {
  std::int64_t clusters = 0;  ///< as many as there are singular vectors
  int max_power = 60;         ///< of the filter
  int repeats = 10;           ///< runs of k-means per power, with the seeds `seed`, `seed` + 1 …
  int restarts = 10;          ///< of each run
  std::uint64_t seed = 0;
};

struct AgcResult {
  DenseMatrix embedding;  ///< nodes x clusters: the left singular vectors at `power`
  int power = 0;          ///< how often the filter was applied
  /// Per power from 1 on the mean intra-cluster distance of the repeats. The last one is of the
  /// power after the chosen one, where there is one.
  std::vector<double> intra;
};

/// X_t = G^t X with G = (I + Â) / 2 (low_pass_filter) of the adjacency as it is stored and its
/// weights. For t = 1, 2 …: k-means on the `clusters` strongest left singular vectors of X_t, their
/// lengths left at 1, and the clusters' intra_cluster_distance in X_t. The power before the first t
/// at which it grows is the result, or max_power. Clustering its embedding (tasks/cluster.h) with
/// the same seeds gives the same clusters.
///
/// A graph without features and more clusters than nodes or features are input errors. The result
/// does not depend on the number of threads.
AgcResult agc(const Context& context, const Graph& graph, const AgcOptions& options);

/// Twice the mean over the clusters of the mean squared distance of a cluster's rows from their
/// mean: the mean squared distance of two rows of one cluster, drawn independently. `labels` are
/// 0 .. clusters - 1; a cluster without rows counts 0.
double intra_cluster_distance(const DenseMatrix& values, std::span<const std::int32_t> labels,
                              std::int64_t clusters);

}  // namespace creg
