#include "creg/ops/sparse_matrix.h"

#include <torch/types.h>

#include <vector>

#include "creg/graph/build.h"
#include "creg/ops/tensors.h"

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

/// Walking the rows in order meets the entries of each transposed row in their order.
at::Tensor link_entries(const CsrTensors& forward, const CsrTensors& transposed) {
  const auto* offsets = forward.offsets.data_ptr<std::int64_t>();
  const auto* columns = forward.columns.data_ptr<std::int32_t>();
  const auto* starts = transposed.offsets.data_ptr<std::int64_t>();
  std::vector<std::int64_t> next(starts, starts + transposed.rows);
  at::Tensor entries = at::empty({forward.nonzeros()}, at::kLong);
  auto* linked = entries.data_ptr<std::int64_t>();
  for (std::int64_t e = 0; e < offsets[forward.rows]; ++e) linked[next[columns[e]]++] = e;
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

std::int64_t SparseMatrix::bytes() const {
  return bytes_of(state_->forward) + (state_->symmetric ? 0 : bytes_of(state_->backward)) +
         (state_->entries.defined() ? static_cast<std::int64_t>(state_->entries.nbytes()) : 0);
}

}  // namespace creg
