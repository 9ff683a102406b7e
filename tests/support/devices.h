// The device under test: one body of a test runs on every device that is there. A test program
// takes it from CREG_TEST_DEVICE ("cuda"; else the CPU), and ctest runs the program once for each.
#pragma once

#include <torch/types.h>

#include <cstdlib>
#include <cstring>
#include <utility>

#include "creg/core/context.h"
#include "ops/device.h"

namespace creg::test {

inline Device device_under_test() {
  const char* const name = std::getenv("CREG_TEST_DEVICE");
  return name == nullptr ? Device{} : Device::parse(name);
}

/// A Context there.
inline Context context(Context::Options options) {
  options.device = device_under_test();
  return Context(std::move(options));
}
inline Context context(std::uint64_t seed = 0) {
  return context(Context::Options{.seed = seed});
}

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
