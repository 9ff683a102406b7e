// An op's table from device to kernel. An op checks its contract, takes its place among the
// gradients, and hands plain values and pointers to the kernel of the device its tensors are on; a
// further device is a further column here and a folder beside kernels/cpu.
#pragma once

#include <ATen/core/Tensor.h>

#include "kernels/launch.h"

namespace creg {

/// How to start kernels there: libtorch's threads, or its current stream.
Launch launch_on(const c10::Device& device);

[[noreturn]] void fail_no_kernel(const char* op, const c10::Device& device);

template <class Function>
struct OnDevice {
  const char* op;  ///< named in messages
  Function* cpu = nullptr;

  Function* of(const c10::Device& device) const {
    if (device.is_cpu() && cpu != nullptr) return cpu;
    fail_no_kernel(op, device);
  }
};

/// Of kernels that take a Launch and some arguments.
template <class... Arguments>
struct KernelOnDevice : OnDevice<void(const Launch&, Arguments...)> {
  /// Runs the kernel where `tensor` is.
  void run(const at::Tensor& tensor, Arguments... arguments) const {
    this->of(tensor.device())(launch_on(tensor.device()), arguments...);
  }
};

}  // namespace creg
