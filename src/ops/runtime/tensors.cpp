#include "ops/tensors.h"

#include <torch/types.h>

#include <cstring>

#include "ops/device.h"

namespace creg {
namespace {

template <class T>
at::Tensor wrap(const Array<T>& array, at::IntArrayRef shape, at::ScalarType type) {
  // from_blob takes a mutable pointer; the contract in the header forbids writing through it.
  return at::from_blob(
      const_cast<T*>(array.data()), shape, [array](void*) {}, at::TensorOptions().dtype(type));
}

template <class T>
void check_type(const char* function, const at::Tensor& tensor) {
  TORCH_CHECK(tensor.scalar_type() == c10::CppTypeToScalarType<T>::value, function,
              ": a tensor of ", tensor.dtype(), " as values of another type");
}

}  // namespace

at::Tensor on_device(const Context& context, const at::Tensor& tensor) {
  return tensor.to(device_of(context));
}

template <class T>
Array<T> host_array(const at::Tensor& tensor) {
  check_type<T>("host_array", tensor);
  const at::Tensor values = tensor.detach().to(at::kCPU).contiguous();
  const std::span<const T> view(values.data_ptr<T>(), static_cast<std::size_t>(values.numel()));
  return Array<T>::view(view, std::make_shared<at::Tensor>(values));
}

template <class T>
std::span<T> host_span(at::Tensor& tensor) {
  check_type<T>("host_span", tensor);
  TORCH_CHECK(tensor.device().is_cpu() && tensor.is_contiguous(),
              "host_span: not contiguous memory of the CPU");
  return {tensor.data_ptr<T>(), static_cast<std::size_t>(tensor.numel())};
}

template std::span<float> host_span(at::Tensor& tensor);

template Array<float> host_array(const at::Tensor& tensor);
template Array<double> host_array(const at::Tensor& tensor);
template Array<std::uint8_t> host_array(const at::Tensor& tensor);
template Array<std::int32_t> host_array(const at::Tensor& tensor);
template Array<std::int64_t> host_array(const at::Tensor& tensor);

at::Tensor as_tensor(const Array<float>& array) {
  return wrap(array, {array.size()}, at::kFloat);
}

at::Tensor as_tensor(const Array<std::int32_t>& array) {
  return wrap(array, {array.size()}, at::kInt);
}

at::Tensor as_tensor(const Array<std::int64_t>& array) {
  return wrap(array, {array.size()}, at::kLong);
}

at::Tensor as_tensor(const Array<double>& array) {
  return wrap(array, {array.size()}, at::kDouble);
}

at::Tensor as_tensor(const DenseMatrix& matrix) {
  return wrap(matrix.values, {matrix.rows, matrix.cols}, at::kFloat);
}

DenseMatrix as_dense(const at::Tensor& matrix) {
  return {matrix.size(0), matrix.size(1), host_array<float>(matrix.to(at::kFloat))};
}

at::Tensor as_sparse_csr(const CsrMatrix& matrix) {
  const at::Tensor values =
      matrix.values.empty() ? at::ones({matrix.nonzeros()}) : as_tensor(matrix.values);
  // The indices were checked when the graph was read.
  return at::_sparse_csr_tensor_unsafe(
      as_tensor(matrix.offsets), as_tensor(matrix.columns).to(at::kLong), values,
      {matrix.rows, matrix.cols}, values.options().layout(at::kSparseCsr));
}

at::Tensor tensor_of(std::span<const std::byte> bytes, at::IntArrayRef sizes, at::ScalarType type) {
  at::Tensor out = at::empty(sizes, at::TensorOptions().dtype(type));
  TORCH_CHECK(out.nbytes() == bytes.size(), "tensor_of: ", bytes.size(), " bytes for ",
              out.nbytes());
  if (!bytes.empty()) std::memcpy(out.data_ptr(), bytes.data(), bytes.size());
  return out;
}

at::Tensor index_tensor(std::vector<std::int32_t> values) {
  return as_tensor(Array<std::int32_t>(std::move(values)));
}

}  // namespace creg
