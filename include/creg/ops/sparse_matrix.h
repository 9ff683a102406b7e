// A sparse matrix made ready for products in both directions: M·X forward, Mᵀ·G backward.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>

#include "creg/core/context.h"
#include "creg/graph/graph.h"

namespace creg {

/// One orientation, as tensors that share the CsrMatrix's storage.
struct CsrTensors {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  at::Tensor offsets;  ///< int64, rows + 1
  at::Tensor columns;  ///< int32
  at::Tensor values;   ///< float32, or undefined: all ones

  std::int64_t nonzeros() const { return columns.numel(); }
};

/// A value: copies share the arrays.
class SparseMatrix {
 public:
  enum class Shape {
    general,    ///< the transpose is built here, once
    symmetric,  ///< the matrix is its own transpose; the caller knows
    forward,    ///< no transpose: no gradient goes back through the matrix
  };
  enum class Entries { unlinked, linked };

  SparseMatrix() = default;
  SparseMatrix(const Context& context, const CsrMatrix& matrix, Shape shape = Shape::general,
               Entries entries = Entries::unlinked);

  std::int64_t rows() const { return state_->forward.rows; }
  std::int64_t cols() const { return state_->forward.cols; }
  std::int64_t nonzeros() const { return state_->forward.nonzeros(); }
  bool defined() const { return state_ != nullptr; }
  /// Whether a gradient can go back through it.
  bool reversible() const { return transposed().offsets.defined(); }

  const CsrTensors& forward() const { return state_->forward; }
  const CsrTensors& transposed() const {
    return state_->symmetric ? state_->forward : state_->backward;
  }
  /// For each entry of `transposed()` the entry of `forward()` it is (int64): weights computed per
  /// entry reach the other side through it. Undefined unless made with Entries::linked.
  const at::Tensor& linked_entries() const { return state_->entries; }

  std::int64_t bytes() const;

 private:
  struct State {
    bool symmetric = false;
    CsrTensors forward;
    CsrTensors backward;
    at::Tensor entries;
  };
  std::shared_ptr<const State> state_;
};

}  // namespace creg
