// What PyTorch's global generators draw while a part of Python's computes.
#pragma once

#include <ATen/core/Generator.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

namespace creg::python {

/// While this lives, the generators of the CPU and of `device` draw what belongs to `seed`;
/// afterwards they are as before. So dropout needs no generator of its own for a resumed run to end
/// with the same bytes. They are the whole process's: one thread at a time has them, an encoder
/// inside a loss as well.
class KeyedDraws {
 public:
  /// Under Python's lock, which is given up while another thread has the generators.
  KeyedDraws(std::uint64_t seed, const c10::Device& device);
  KeyedDraws(const KeyedDraws&) = delete;
  KeyedDraws& operator=(const KeyedDraws&) = delete;
  ~KeyedDraws();

 private:
  void take(at::Generator generator, std::uint64_t seed);

  std::unique_lock<std::recursive_mutex> lock_;
  std::vector<std::pair<at::Generator, at::Tensor>> before_;  // and its state
};

}  // namespace creg::python
