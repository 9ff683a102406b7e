// What encoders work on: node features, and the matrices by which layers gather from neighbours.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "creg/core/context.h"
#include "creg/core/random.h"
#include "creg/graph/graph.h"
#include "creg/nn/encoder_options.h"
#include "creg/ops/sparse_matrix.h"

namespace creg {

// Node features ready for products with weights, sparse or dense, whichever is cheaper.

class FeatureMatrix {
 public:
  /// Features must be there. Sparse ones stay sparse unless so full that a dense product is faster.
  FeatureMatrix(const Context& context, const Features& features);
  /// The same of a matrix without room behind its entries.
  FeatureMatrix(const Context& context, CsrTensors sparse);
  /// [rows, cols], float32; gradients reach it.
  explicit FeatureMatrix(at::Tensor dense);

  std::int64_t rows() const { return rows_; }
  std::int64_t cols() const { return cols_; }
  bool sparse() const { return sparse_.defined(); }

  /// What is stored, where sparse(); of unscaled columns.
  const CsrTensors& entries() const { return sparse_.forward(); }

  /// X·diag(scale) for scale [cols], float32, without a copy of X.
  FeatureMatrix with_columns(const at::Tensor& scale) const;
  /// factor·X, the same way.
  FeatureMatrix scaled(double factor) const;
  /// Every stored value is 0 with chance `rate`, else divided by 1 - rate: a pure function of
  /// `noise`, and of the rows' `numbers` where they are a part of a graph's (EncoderPass).
  FeatureMatrix dropped(double rate, const RandomKey& noise, const at::Tensor& numbers = {}) const;

  /// X·W for weights [cols, width]; the gradient reaches the weights, the scales of columns and a
  /// dense tensor that X was made of.
  at::Tensor times(const at::Tensor& weights) const;
  /// X as a dense tensor.
  at::Tensor dense() const;

  std::int64_t bytes() const;
  /// What is stored.
  std::vector<at::Tensor> tensors() const;

 private:
  std::int64_t rows_ = 0;
  std::int64_t cols_ = 0;
  SparseMatrix sparse_;
  at::Tensor dense_;
  at::Tensor scale_;  // of the columns; undefined: 1
};

// The matrices by which layers gather from neighbours.

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

class PartExchange;

/// One matrix per layer, first layer first; a single one serves them all. A dual encoder has one
/// per part.
class Hops {
 public:
  Hops() = default;
  explicit Hops(SparseMatrix all_layers) : matrices_{std::move(all_layers)} {}
  explicit Hops(std::vector<SparseMatrix> per_layer) : matrices_(std::move(per_layer)) {}
  /// Of a part of a graph: the matrix has a row per own node, and columns for its halo too.
  Hops(SparseMatrix all_layers, std::shared_ptr<PartExchange> part)
      : matrices_{std::move(all_layers)}, part_(std::move(part)) {}

  const SparseMatrix& of_layer(int layer) const {
    return matrices_.size() == 1 ? matrices_.front()
                                 : matrices_.at(static_cast<std::size_t>(layer));
  }
  const std::vector<SparseMatrix>& all() const { return matrices_; }

  bool of_part() const { return part_ != nullptr; }
  /// What a layer after the first gathers from, given the rows that came out of the one before: of
  /// a part those of its halo too, which other ranks have.
  at::Tensor with_halo(const at::Tensor& rows) const;

 private:
  std::vector<SparseMatrix> matrices_;
  std::shared_ptr<PartExchange> part_;
};

/// What an encoder gathers by on a whole graph. An adjacency of which entries were dropped counts
/// as directed. A multiplex needs the features, whose similarities join its second layer of nodes.
Hops encoder_hops(const Context& context, const CsrTensors& adjacency, bool directed,
                  const EncoderOptions& options, const Features* features = nullptr);

/// Nearest neighbours by features that a node of a multiplex is joined with.
inline constexpr std::int64_t multiplex_neighbours = 10;

}  // namespace creg
