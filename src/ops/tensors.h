// Values of the host as tensors, and tensors as values of the host. On the CPU the memory is shared
// and nothing is copied.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "creg/core/array.h"
#include "creg/core/context.h"
#include "creg/graph/graph.h"

namespace creg {

/// The tensor on the Context's device; itself where it is there.
at::Tensor on_device(const Context& context, const at::Tensor& tensor);

/// One-dimensional views that keep the array's storage alive. They must not be written to: the
/// storage may be a read-only mapping of a file.
at::Tensor as_tensor(const Array<float>& array);
at::Tensor as_tensor(const Array<std::int32_t>& array);
at::Tensor as_tensor(const Array<std::int64_t>& array);
at::Tensor as_tensor(const Array<double>& array);
/// rows x cols, float32.
at::Tensor as_tensor(const DenseMatrix& matrix);

/// The same on the Context's device.
template <class Values>
at::Tensor as_tensor(const Context& context, const Values& values) {
  return on_device(context, as_tensor(values));
}
/// A list as a tensor there, which takes over its storage where it can.
template <class T>
at::Tensor tensor_on(const Context& context, std::vector<T> values) {
  return as_tensor(context, Array<T>(std::move(values)));
}

/// A copy of these bytes, which are the elements in C order, as a tensor of the CPU.
at::Tensor tensor_of(std::span<const std::byte> bytes, at::IntArrayRef sizes, at::ScalarType type);

/// A list of node numbers as an int32 tensor of the CPU that takes over its storage.
at::Tensor index_tensor(std::vector<std::int32_t> values);

/// A tensor of this type as values of the host: its own memory where it is a contiguous one of the
/// CPU, and kept alive, else a copy. T: float, double, int32, int64, uint8.
template <class T>
Array<T> host_array(const at::Tensor& tensor);
/// The values of a contiguous tensor of the CPU, to be written to.
template <class T>
std::span<T> host_span(at::Tensor& tensor);

/// A float32 matrix in this project's plain form; shares the tensor's memory where it can.
DenseMatrix as_dense(const at::Tensor& matrix);

/// A sparse CSR tensor with int64 offsets and columns, as ATen's own kernels want them; the
/// columns are widened, so this one does copy. Empty values become ones.
at::Tensor as_sparse_csr(const CsrMatrix& matrix);

}  // namespace creg
