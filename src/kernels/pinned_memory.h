// Memory of the host that kernels of a GPU read in place.
#pragma once

#include <cstddef>
#include <memory>

namespace creg::cuda {

/// A copy of these bytes in memory that is pinned and seen by all GPUs.
class PinnedCopy {
 public:
  PinnedCopy(const void* bytes, std::size_t size);

  /// Where kernels find it.
  const void* there() const { return there_; }

 private:
  struct Free {
    void operator()(void* memory) const;
  };
  std::unique_ptr<void, Free> memory_;
  const void* there_ = nullptr;
};

}  // namespace creg::cuda
