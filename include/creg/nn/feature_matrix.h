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

  std::int64_t rows() const { return rows_; }
  std::int64_t cols() const { return cols_; }
  bool sparse() const { return sparse_.defined(); }

  /// X·W for weights [cols, width]; the gradient reaches the weights only.
  at::Tensor times(const at::Tensor& weights) const;
  /// X as a dense tensor.
  at::Tensor dense() const;

  std::int64_t bytes() const;

 private:
  std::int64_t rows_ = 0;
  std::int64_t cols_ = 0;
  SparseMatrix sparse_;
  at::Tensor dense_;
};

/// Share of filled entries above which the dense product wins.
inline constexpr double dense_above = 0.38;

}  // namespace creg
