#include "ops/device.h"

#include <ATen/Parallel.h>
#include <torch/types.h>

#ifdef CREG_HAS_CUDA
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#endif

#include "ops/runtime.h"
#include "ops/runtime/on_device.h"
#include "ops/runtime/recording.h"

namespace creg {
namespace {

/// libtorch's threads.
class TorchWorkers final : public Workers {
 public:
  int count() const override { return at::get_num_threads(); }
  void for_ranges(std::int64_t size, std::int64_t grain,
                  const std::function<void(std::int64_t, std::int64_t)>& body) const override {
    at::parallel_for(0, size, grain, body);
  }
};

}  // namespace

c10::Device device_of(const Context& context) {
  const Device& device = context.device();
  if (device.type == DeviceType::cpu) return c10::kCPU;
  return {c10::kCUDA, static_cast<c10::DeviceIndex>(device.index)};
}

c10::TensorOptions options_on(const Context& context, c10::ScalarType type) {
  return c10::TensorOptions().dtype(type).device(device_of(context));
}

void wait_for_device([[maybe_unused]] const Context& context) {
#ifdef CREG_HAS_CUDA
  const c10::Device device = device_of(context);
  if (device.is_cuda()) c10::cuda::getCurrentCUDAStream(device.index()).synchronize();
#endif
}

void on_own_stream([[maybe_unused]] const Context& context, const std::function<void()>& body) {
#ifdef CREG_HAS_CUDA
  if (const c10::Device device = device_of(context); device.is_cuda()) {
    const c10::cuda::CUDAStreamGuard own(c10::cuda::getStreamFromPool(false, device.index()));
    body();
    return;
  }
#endif
  body();
}

void release_kept_device_memory([[maybe_unused]] const Context& context) {
#ifdef CREG_HAS_CUDA
  if (context.device().type == DeviceType::cuda) c10::cuda::CUDACachingAllocator::emptyCache();
#endif
}

const Workers& torch_workers() {
  static const TorchWorkers workers;
  return workers;
}

DeviceLaunch::DeviceLaunch(const c10::Device& device) : scratch_(device) {
  if (device.is_cpu()) {
    launch_.workers = &torch_workers();
    return;
  }
#ifdef CREG_HAS_CUDA
  current_.reset_device(device);
  launch_.stream = c10::cuda::getCurrentCUDAStream(device.index()).stream();
  launch_.scratch = &scratch_;
  launch_.cells = cells_of_recording();
#endif
}

void* DeviceLaunch::TensorScratch::take(std::size_t bytes) {
  const auto options = at::TensorOptions().dtype(at::kByte).device(device_);
  taken_.push_back(at::empty({static_cast<std::int64_t>(bytes)}, options));
  return taken_.back().data_ptr();
}

void fail_no_kernel(const char* op, const c10::Device& device) {
  TORCH_CHECK(false, op, ": this build has no kernel for ", device.str());
}

}  // namespace creg
