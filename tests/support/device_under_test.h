// The device under test: one body of a test runs on every device that is there. A test program
// takes it from CREG_TEST_DEVICE ("cuda"; else the CPU), and ctest runs the program once for each.
// Tensors there: devices.h.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <utility>

#include "creg/core/context.h"

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

}  // namespace creg::test
