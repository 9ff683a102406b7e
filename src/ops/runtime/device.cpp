#include "ops/device.h"

#include <ATen/Parallel.h>
#include <torch/types.h>

#include "ops/runtime/on_device.h"

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

Launch launch_on(const c10::Device& device) {
  static const TorchWorkers workers;
  TORCH_CHECK(device.is_cpu(), "no kernels for ", device.str());
  return {.workers = &workers};
}

void fail_no_kernel(const char* op, const c10::Device& device) {
  TORCH_CHECK(false, op, ": this build has no kernel for ", device.str());
}

}  // namespace creg
