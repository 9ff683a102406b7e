#include "kernels/pinned_memory.h"

#include <cstring>

#include "kernels/cuda/common.cuh"

namespace creg::cuda {

PinnedCopy::PinnedCopy(const void* bytes, std::size_t size) {
  if (size == 0) return;
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, size, cudaHostAllocMapped | cudaHostAllocPortable),
        "pinned memory of the host");
  memory_.reset(memory);
  std::memcpy(memory, bytes, size);
  void* there = nullptr;
  check(cudaHostGetDevicePointer(&there, memory, 0), "pinned memory of the host");
  there_ = there;
}

void PinnedCopy::Free::operator()(void* memory) const {
  // At the end of a process its context may be gone already: nothing to be done about it.
  (void)cudaFreeHost(memory);
}

}  // namespace creg::cuda
