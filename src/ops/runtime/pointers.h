// Tensors as the pointers that kernels take.
#pragma once

#include <ATen/core/Tensor.h>

namespace creg {

/// Null for an undefined tensor.
template <class T>
const T* pointer(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.data_ptr<T>() : nullptr;
}

}  // namespace creg
