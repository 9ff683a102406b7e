// Node features ready for products with weights, sparse or dense, whichever is cheaper.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/ops/sparse_matrix.h"

namespace creg {

class FeatureMatrix {
 public:
  /// Features must be there. Sparse ones stay sparse unless so full that a dense product is faster.
  FeatureMatrix(const Context& context, const Features& features);
  /// [rows, cols], float32; gradients reach it.
  explicit FeatureMatrix(at::Tensor dense);

  std::int64_t rows() const { return rows_; }
  std::int64_t cols() const { return cols_; }
  bool sparse() const { return sparse_.defined(); }

  /// What is stored, where sparse(); of unscaled columns.
  const CsrTensors& entries() const { return sparse_.forward(); }

  /// X·diag(scale) for scale [cols], float32, without a copy of X.
  FeatureMatrix with_columns(const at::Tensor& scale) const;
  /// Every stored value is 0 with chance `rate`, else divided by 1 - rate: a pure function of
  /// `noise`.
  FeatureMatrix dropped(double rate, std::uint64_t noise) const;

  /// X·W for weights [cols, width]; the gradient reaches the weights, the scales of columns and a
  /// dense tensor that X was made of.
  at::Tensor times(const at::Tensor& weights) const;
  /// X as a dense tensor.
  at::Tensor dense() const;

  std::int64_t bytes() const;

 private:
  std::int64_t rows_ = 0;
  std::int64_t cols_ = 0;
  SparseMatrix sparse_;
  at::Tensor dense_;
  at::Tensor scale_;  // of the columns; undefined: 1
};

}  // namespace creg
