// The matrices by which layers gather from neighbours.
#pragma once

#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/nn/encoder_options.h"
#include "creg/ops/sparse_matrix.h"

namespace creg {

enum class Aggregation {
  gcn,        ///< D^-1/2 (A+I) D^-1/2
  sum,        ///< A + I
  mean,       ///< D^-1 (A+I)
  attention,  ///< the pattern of A + I, its entries linked with those of the transpose
};

/// The matrix of a whole graph. Row i gathers from the in-neighbours of node i and from itself. An
/// adjacency that is not `directed` has both directions of every edge.
SparseMatrix aggregation_matrix(const Context& context, const CsrTensors& adjacency, bool directed,
                                Aggregation kind);
SparseMatrix aggregation_matrix(const Context& context, const Graph& graph, Aggregation kind);

/// One matrix per layer, first layer first; a single one serves them all. A dual encoder has one
/// per part.
class Hops {
 public:
  Hops() = default;
  explicit Hops(SparseMatrix all_layers) : matrices_{std::move(all_layers)} {}
  explicit Hops(std::vector<SparseMatrix> per_layer) : matrices_(std::move(per_layer)) {}

  const SparseMatrix& of_layer(int layer) const {
    return matrices_.size() == 1 ? matrices_.front()
                                 : matrices_.at(static_cast<std::size_t>(layer));
  }

 private:
  std::vector<SparseMatrix> matrices_;
};

/// What an encoder gathers by on a whole graph. An adjacency of which entries were dropped counts
/// as directed. A multiplex needs the features, whose similarities join its second layer of nodes.
Hops encoder_hops(const Context& context, const CsrTensors& adjacency, bool directed,
                  const EncoderOptions& options, const Features* features = nullptr);

/// Nearest neighbours by features that a node of a multiplex is joined with.
inline constexpr std::int64_t multiplex_neighbours = 10;

}  // namespace creg
