#include "creg/ops/sparse_matrix.h"

#include <torch/types.h>

#include <utility>

#include "kernels/transposed_entries.h"
#include "ops/csr.h"
#include "ops/runtime/on_device.h"
#include "ops/tensors.h"

namespace creg {
namespace {

constexpr KernelOnDevice<const kernels::TransposedEntries&, std::int64_t*> linking{
    {"SparseMatrix", cpu::link_entries, CREG_ON_CUDA(cuda::link_entries)}};
constexpr KernelOnDevice<const kernels::TransposedEntries&, const float*, float*> value_transposing{
    {"with_values", cpu::transpose_values, CREG_ON_CUDA(cuda::transpose_values)}};

kernels::TransposedEntries entries_of(const CsrTensors& forward, const CsrTensors& transposed) {
  return {.rows = forward.rows,
          .cols = forward.cols,
          .entries = forward.nonzeros(),
          .offsets = forward.offsets.data_ptr<std::int64_t>(),
          .columns = forward.columns.data_ptr<std::int32_t>(),
          .transposed = transposed.offsets.data_ptr<std::int64_t>()};
}

}  // namespace

SparseMatrix::SparseMatrix(const Context& context, const CsrMatrix& matrix, Shape shape,
                           Entries entries)
    : SparseMatrix(context, csr_tensors(context, matrix), shape, entries) {}

SparseMatrix::SparseMatrix(const Context& context, CsrTensors matrix, Shape shape,
                           Entries entries) {
  auto state = std::make_shared<State>();
  state->symmetric = shape == Shape::symmetric;
  state->forward = std::move(matrix);
  if (shape == Shape::general) state->backward = transpose(context, state->forward);
  if (entries == Entries::linked) {
    const CsrTensors& back = state->symmetric ? state->forward : state->backward;
    state->entries = at::empty({back.nonzeros()}, back.offsets.options());
    linking.run(back.columns, entries_of(state->forward, back),
                state->entries.data_ptr<std::int64_t>());
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
  state->dense = as_tensor(context, to_dense(matrix));
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
    state->backward.values = at::empty({values.numel()}, values.options());
    value_transposing.run(values, entries_of(state->forward, state->backward),
                          state->forward.values.data_ptr<float>(),
                          state->backward.values.data_ptr<float>());
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
  std::int64_t bytes = 0;
  for (const at::Tensor& tensor : tensors()) bytes += static_cast<std::int64_t>(tensor.nbytes());
  return bytes;
}

std::vector<at::Tensor> SparseMatrix::tensors() const {
  std::vector<at::Tensor> out;
  const CsrTensors& there = state_->forward;
  const CsrTensors& back = state_->backward;  // nothing where the matrix is symmetric
  for (const at::Tensor& tensor : {there.offsets, there.columns, there.values, back.offsets,
                                   back.columns, back.values, state_->entries, state_->dense}) {
    if (tensor.defined()) out.push_back(tensor);
  }
  return out;
}

}  // namespace creg
