#include "creg/ops/sparse_matrix.h"

#include <torch/types.h>

#include <utility>
#include <vector>

#include "graph/build.h"
#include "ops/tensors.h"

namespace creg {
namespace {

CsrTensors tensors_of(const CsrMatrix& matrix) {
  CsrTensors out;
  out.rows = matrix.rows;
  out.cols = matrix.cols;
  out.offsets = as_tensor(matrix.offsets);
  out.columns = as_tensor(matrix.columns);
  if (!matrix.values.empty()) out.values = as_tensor(matrix.values);
  return out;
}

/// Calls put(position, e): entry e of `forward` has that position in the transpose, for walking the
/// rows in order meets the entries of each transposed row in their order.
template <class Put>
void walk_transposed(const CsrTensors& forward, const CsrTensors& transposed, const Put& put) {
  const auto* offsets = forward.offsets.data_ptr<std::int64_t>();
  const auto* columns = forward.columns.data_ptr<std::int32_t>();
  const auto* starts = transposed.offsets.data_ptr<std::int64_t>();
  std::vector<std::int64_t> next(starts, starts + transposed.rows);
  for (std::int64_t e = 0; e < offsets[forward.rows]; ++e) put(next[columns[e]]++, e);
}

at::Tensor link_entries(const CsrTensors& forward, const CsrTensors& transposed) {
  at::Tensor entries = at::empty({forward.nonzeros()}, at::kLong);
  auto* const linked = entries.data_ptr<std::int64_t>();
  walk_transposed(forward, transposed,
                  [&](std::int64_t position, std::int64_t e) { linked[position] = e; });
  return entries;
}

std::int64_t bytes_of(const CsrTensors& csr) {
  std::int64_t bytes = 0;
  for (const at::Tensor& part : {csr.offsets, csr.columns, csr.values}) {
    if (part.defined()) bytes += static_cast<std::int64_t>(part.nbytes());
  }
  return bytes;
}

}  // namespace

SparseMatrix::SparseMatrix(const Context& context, const CsrMatrix& matrix, Shape shape,
                           Entries entries) {
  auto state = std::make_shared<State>();
  state->symmetric = shape == Shape::symmetric;
  state->forward = tensors_of(matrix);
  if (shape == Shape::general) state->backward = tensors_of(transpose(context, matrix));
  if (entries == Entries::linked) {
    state->entries =
        link_entries(state->forward, state->symmetric ? state->forward : state->backward);
  }
  state_ = std::move(state);
}

SparseMatrix::SparseMatrix(CsrTensors forward, CsrTensors transposed) {
  TORCH_CHECK(forward.rows == transposed.cols && forward.cols == transposed.rows &&
                  forward.nonzeros() == transposed.nonzeros(),
              "SparseMatrix: the orientations differ");
  auto state = std::make_shared<State>();
  state->forward = std::move(forward);
  state->backward = std::move(transposed);
  state_ = std::move(state);
}

SparseMatrix SparseMatrix::compact(const Context& context, const CsrMatrix& matrix, Shape shape) {
  const double cells = static_cast<double>(matrix.rows) * static_cast<double>(matrix.cols);
  if (static_cast<double>(matrix.nonzeros()) <= dense_above * cells) {
    return {context, matrix, shape};
  }
  auto state = std::make_shared<State>();
  state->forward.rows = matrix.rows;
  state->forward.cols = matrix.cols;
  state->dense = as_tensor(to_dense(matrix));
  SparseMatrix out;
  out.state_ = std::move(state);
  return out;
}

SparseMatrix SparseMatrix::with_values(const at::Tensor& values) const {
  TORCH_CHECK(!dense().defined() && values.scalar_type() == at::kFloat &&
                  values.numel() == forward().nonzeros(),
              "with_values: one float32 per entry of a sparse form");
  auto state = std::make_shared<State>(*state_);
  state->symmetric = false;
  state->forward.values = values.contiguous();
  state->backward = transposed();
  if (reversible()) {
    state->backward.values = at::empty({values.numel()}, at::kFloat);
    const auto* const from = state->forward.values.data_ptr<float>();
    auto* const to = state->backward.values.data_ptr<float>();
    walk_transposed(state->forward, state->backward,
                    [&](std::int64_t position, std::int64_t e) { to[position] = from[e]; });
  }
  SparseMatrix out;
  out.state_ = std::move(state);
  return out;
}

SparseMatrix SparseMatrix::transposed_matrix() const {
  TORCH_CHECK(!dense().defined() && reversible(), "transposed_matrix: of a sparse form both ways");
  if (state_->symmetric) return *this;
  auto state = std::make_shared<State>();
  state->forward = state_->backward;
  state->backward = state_->forward;
  SparseMatrix out;
  out.state_ = std::move(state);
  return out;
}

std::int64_t SparseMatrix::bytes() const {
  if (dense().defined()) return static_cast<std::int64_t>(dense().nbytes());
  return bytes_of(state_->forward) + (state_->symmetric ? 0 : bytes_of(state_->backward)) +
         (state_->entries.defined() ? static_cast<std::int64_t>(state_->entries.nbytes()) : 0);
}

}  // namespace creg
