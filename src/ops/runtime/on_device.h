// An op's table from device to kernel. An op checks its contract, takes its place among the
// gradients, and hands plain values and pointers to the kernel of the device its tensors are on; a
// further device is a further column here and a folder beside kernels/cpu.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/DeviceGuard.h>

#include <vector>

#include "kernels/launch.h"

// In a table: the kernel for GPUs, which only builds with CUDA have.
#ifdef CREG_HAS_CUDA
#define CREG_ON_CUDA(kernel) kernel
#else
#define CREG_ON_CUDA(kernel) nullptr
#endif

namespace creg {

/// libtorch's threads, for kernels of the CPU.
const Workers& torch_workers();

/// How to start kernels on a device: libtorch's threads, or its current stream and memory from its
/// allocator.
class DeviceLaunch {
 public:
  explicit DeviceLaunch(const c10::Device& device);
  DeviceLaunch(const DeviceLaunch&) = delete;
  DeviceLaunch& operator=(const DeviceLaunch&) = delete;
  const Launch& launch() const { return launch_; }

 private:
  class TensorScratch final : public Scratch {
   public:
    explicit TensorScratch(const c10::Device& device) : device_(device) {}
    void* take(std::size_t bytes) override;

   private:
    c10::Device device_;
    std::vector<at::Tensor> taken_;
  };

  c10::OptionalDeviceGuard current_;
  TensorScratch scratch_;
  Launch launch_;
};

[[noreturn]] void fail_no_kernel(const char* op, const c10::Device& device);

template <class Function>
struct OnDevice {
  const char* op;  ///< named in messages
  Function* cpu = nullptr;
  Function* cuda = nullptr;

  Function* of(const c10::Device& device) const {
    if (device.is_cpu() && cpu != nullptr) return cpu;
    if (device.is_cuda() && cuda != nullptr) return cuda;
    fail_no_kernel(op, device);
  }
};

/// Of kernels that take a Launch and some arguments.
template <class... Arguments>
struct KernelOnDevice : OnDevice<void(const Launch&, Arguments...)> {
  /// Runs the kernel where `tensor` is.
  void run(const at::Tensor& tensor, Arguments... arguments) const {
    DeviceLaunch lent(tensor.device());
    this->of(tensor.device())(lent.launch(), arguments...);
  }
};

}  // namespace creg
