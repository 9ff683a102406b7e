// The Graph's arrays as tensors: the memory is shared, nothing is copied on the CPU.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "creg/core/array.h"
#include "creg/graph/graph.h"

namespace creg {

/// One-dimensional views that keep the array's storage alive. They must not be written to: the
/// storage may be a read-only mapping of a file.
at::Tensor as_tensor(const Array<float>& array);
at::Tensor as_tensor(const Array<std::int32_t>& array);
at::Tensor as_tensor(const Array<std::int64_t>& array);

/// A list of node numbers as an int32 tensor that takes over its storage.
at::Tensor index_tensor(std::vector<std::int32_t> values);

/// rows x cols, float32.
at::Tensor as_tensor(const DenseMatrix& matrix);

/// A float32 matrix in this project's plain form; shares the tensor's memory where it can.
DenseMatrix as_dense(const at::Tensor& matrix);

/// A sparse CSR tensor with int64 offsets and columns, as ATen's own kernels want them; the
/// columns are widened, so this one does copy. Empty values become ones.
at::Tensor as_sparse_csr(const CsrMatrix& matrix);

}  // namespace creg
