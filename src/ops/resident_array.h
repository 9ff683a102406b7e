// Arrays of the host that kernels of a GPU read, wherever there is room for them.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>

#include "creg/core/array.h"
#include "creg/core/context.h"

namespace creg {

enum class Residence {
  device,  ///< in the GPU's own memory
  host,    ///< in pinned memory of the host, which its kernels read in place
};

/// A copy there, not to be written to. For contexts of a GPU.
template <class T>
class ResidentArray {
 public:
  ResidentArray() = default;
  ResidentArray(const Context& context, const Array<T>& values, Residence residence);

  std::int64_t size() const { return size_; }
  /// For kernels alone.
  const T* there() const { return there_; }

 private:
  at::Tensor on_device_;
  std::shared_ptr<const void> pinned_;
  std::int64_t size_ = 0;
  const T* there_ = nullptr;
};

}  // namespace creg
