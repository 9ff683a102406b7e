// The device under test: one body of a test runs on every device that is there. A test program
// takes it from CREG_TEST_DEVICE ("cuda"; else the CPU), and ctest runs the program once for each.
#pragma once

#include <torch/types.h>

#include <cstdlib>

#include "creg/core/context.h"
#include "ops/device.h"

namespace creg::test {

inline Device device_under_test() {
  const char* const name = std::getenv("CREG_TEST_DEVICE");
  return name == nullptr ? Device{} : Device::parse(name);
}

/// A Context there.
inline Context context(std::uint64_t seed = 0) {
  return Context(Context::Options{.device = device_under_test(), .seed = seed});
}

inline c10::Device tensor_device() {
  return device_of(context());
}

/// The tensor there; an undefined one stays so.
inline at::Tensor on(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.to(tensor_device()) : tensor;
}

/// And back, for looking at.
inline at::Tensor on_host(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.detach().to(at::kCPU) : tensor;
}

}  // namespace creg::test
