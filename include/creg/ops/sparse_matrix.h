// A sparse matrix made ready for products in both directions: M·X forward, Mᵀ·G backward.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph.h"

namespace creg {

/// A CsrMatrix as tensors, which on the CPU share its storage; or one orientation of a
/// SparseMatrix.
///
/// On a GPU there may be room behind the last entry, because a step cannot tell the host how many
/// there are: offsets[rows] is their number, and what lies behind means nothing.
struct CsrTensors {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  at::Tensor offsets;  ///< int64, rows + 1
  at::Tensor columns;  ///< int32
  at::Tensor values;   ///< float32, or undefined: all ones

  /// Places for entries, all of them used on the CPU.
  std::int64_t nonzeros() const { return columns.numel(); }
};

/// Share of filled entries above which a dense product wins.
inline constexpr double dense_above = 0.38;

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
  SparseMatrix(const Context& context, CsrTensors matrix, Shape shape = Shape::general,
               Entries entries = Entries::unlinked);
  /// Of both orientations, which the caller knows to be each other's transpose.
  SparseMatrix(CsrTensors forward, CsrTensors transposed);
  /// The cheaper form for products: dense where more than `dense_above` of the cells are filled.
  static SparseMatrix compact(const Context& context, const CsrMatrix& matrix,
                              Shape shape = Shape::general);

  /// The same pattern with other values, float32, one per entry of `forward()`; of a sparse form.
  SparseMatrix with_values(const at::Tensor& values) const;

  /// Its transpose, which shares the arrays; of a sparse form with a way back.
  SparseMatrix transposed_matrix() const;

  std::int64_t rows() const { return state_->forward.rows; }
  std::int64_t cols() const { return state_->forward.cols; }
  /// Of a dense form all cells; else as of CsrTensors.
  std::int64_t nonzeros() const {
    return dense().defined() ? dense().numel() : state_->forward.nonzeros();
  }
  bool defined() const { return state_ != nullptr; }
  /// Whether a gradient can go back through it.
  bool reversible() const { return dense().defined() || transposed().offsets.defined(); }

  /// [rows, cols], float32; undefined where the matrix is stored as the two orientations below.
  const at::Tensor& dense() const { return state_->dense; }
  const CsrTensors& forward() const { return state_->forward; }
  const CsrTensors& transposed() const {
    return state_->symmetric ? state_->forward : state_->backward;
  }
  /// For each entry of `transposed()` the entry of `forward()` it is (int64): weights computed per
  /// entry reach the other side through it. Undefined unless made with Entries::linked.
  const at::Tensor& linked_entries() const { return state_->entries; }

  std::int64_t bytes() const;
  /// What is stored: both orientations, or the dense form.
  std::vector<at::Tensor> tensors() const;

 private:
  struct State {
    bool symmetric = false;
    CsrTensors forward;
    CsrTensors backward;
    at::Tensor entries;
    at::Tensor dense;
  };
  std::shared_ptr<const State> state_;
};

}  // namespace creg
