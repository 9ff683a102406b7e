// Tensors on the device under test.
#pragma once

#include <torch/types.h>

#include <cstring>

#include "ops/device.h"
#include "support/device_under_test.h"

namespace creg::test {

inline c10::Device tensor_device() {
  // One thread: a Context starts those it has.
  return device_of(context(Context::Options{.threads = 1}));
}

/// For new tensors of this type there.
inline c10::TensorOptions options(c10::ScalarType type) {
  return c10::TensorOptions().dtype(type).device(tensor_device());
}

/// The tensor there; an undefined one stays so.
inline at::Tensor on(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.to(tensor_device()) : tensor;
}

/// And back, for looking at.
inline at::Tensor on_host(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.detach().to(at::kCPU) : tensor;
}

/// Of one type, one shape and the same values, wherever they are.
inline bool equal(const at::Tensor& a, const at::Tensor& b) {
  return a.scalar_type() == b.scalar_type() && at::equal(on_host(a), on_host(b));
}

/// To the last bit, the signs of zeros and the kinds of NaN too.
inline bool same_bytes(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor x = on_host(a).contiguous();
  const at::Tensor y = on_host(b).contiguous();
  return x.sizes() == y.sizes() && x.nbytes() == y.nbytes() &&
         std::memcmp(x.data_ptr(), y.data_ptr(), x.nbytes()) == 0;
}

}  // namespace creg::test
