// The memory of CPU tensors: counted, and large blocks kept for the next tensor of their size.
//
// A training epoch frees and takes the same large arrays again and again. Handed back to the system
// each time, every page of them would be mapped and cleared anew: a quarter of an epoch's time.
#pragma once

#include <cstdint>

#include "creg/core/context.h"

namespace creg {

/// Makes all CPU tensors from now on use this memory. Safe to call again.
void install_tensor_memory();

struct TensorMemory {
  std::int64_t live_bytes = 0;
  std::int64_t peak_bytes = 0;  ///< the most there was since the last reset
  std::int64_t kept_bytes = 0;  ///< free blocks waiting for a tensor
};
/// Of this process; all 0 unless installed.
TensorMemory tensor_memory();
/// The peak starts again from what is live.
void reset_peak_tensor_memory();
/// Gives the kept blocks back to the system.
void release_kept_tensor_memory();

/// The same figures of the Context's GPU, by libtorch's allocator there; all 0 on the CPU. The
/// memory of a recorded step counts while it is recorded.
TensorMemory device_memory(const Context& context);
void reset_peak_device_memory(const Context& context);

/// While it lives, new tensors have memory as libtorch itself takes it: every block from the system
/// and, with its tensor, back to it. For comparisons with what others run, and for programs that
/// have tensors of their own.
class PlainTensorMemory {
 public:
  PlainTensorMemory();
  PlainTensorMemory(const PlainTensorMemory&) = delete;
  PlainTensorMemory& operator=(const PlainTensorMemory&) = delete;
  ~PlainTensorMemory();
};

}  // namespace creg
