#include "ops/tensors.h"

#include <torch/types.h>

namespace creg {
namespace {

template <class T>
at::Tensor wrap(const Array<T>& array, at::IntArrayRef shape, at::ScalarType type) {
  // from_blob takes a mutable pointer; the contract in the header forbids writing through it.
  return at::from_blob(
      const_cast<T*>(array.data()), shape, [array](void*) {}, at::TensorOptions().dtype(type));
}

}  // namespace

at::Tensor as_tensor(const Array<float>& array) {
  return wrap(array, {array.size()}, at::kFloat);
}

at::Tensor as_tensor(const Array<std::int32_t>& array) {
  return wrap(array, {array.size()}, at::kInt);
}

at::Tensor as_tensor(const Array<std::int64_t>& array) {
  return wrap(array, {array.size()}, at::kLong);
}

at::Tensor as_tensor(const DenseMatrix& matrix) {
  return wrap(matrix.values, {matrix.rows, matrix.cols}, at::kFloat);
}

DenseMatrix as_dense(const at::Tensor& matrix) {
  const at::Tensor values = matrix.detach().to(at::kFloat).contiguous();
  const std::span<const float> view(values.data_ptr<float>(),
                                    static_cast<std::size_t>(values.numel()));
  return {matrix.size(0), matrix.size(1),
          Array<float>::view(view, std::make_shared<at::Tensor>(values))};
}

at::Tensor as_sparse_csr(const CsrMatrix& matrix) {
  const at::Tensor values =
      matrix.values.empty() ? at::ones({matrix.nonzeros()}) : as_tensor(matrix.values);
  // The indices were checked when the graph was read.
  return at::_sparse_csr_tensor_unsafe(
      as_tensor(matrix.offsets), as_tensor(matrix.columns).to(at::kLong), values,
      {matrix.rows, matrix.cols}, values.options().layout(at::kSparseCsr));
}

at::Tensor index_tensor(std::vector<std::int32_t> values) {
  return as_tensor(Array<std::int32_t>(std::move(values)));
}

}  // namespace creg
