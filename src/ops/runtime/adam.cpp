#include "ops/adam.h"

#include <torch/types.h>

#include "ops/runtime/on_device.h"
#include "ops/runtime/pointers.h"

namespace creg {
namespace {

constexpr KernelOnDevice<const kernels::AdamValues<float>&> adam{
    {"adam_step", cpu::adam, CREG_ON_CUDA(cuda::adam)}};

}  // namespace

void adam_step(const at::Tensor& parameter, const at::Tensor& gradient, const at::Tensor& moment1,
               const at::Tensor& moment2, const AdamStep& settings, const at::Tensor& guard) {
  const at::Tensor d = gradient.contiguous();
  for (const at::Tensor& part : {parameter, d, moment1, moment2}) {
    TORCH_CHECK(part.scalar_type() == at::kFloat && part.is_contiguous() &&
                    part.numel() == parameter.numel(),
                "adam_step: all tensors must be contiguous float32 of one size");
  }
  TORCH_CHECK(!guard.defined() || (guard.scalar_type() == at::kFloat && guard.numel() == 1),
              "adam_step: the guard must be one float32");
  auto values = kernels::adam_values<float>(settings);
  values.count = parameter.numel();
  values.guard = pointer<float>(guard);
  values.parameter = parameter.data_ptr<float>();
  values.gradient = d.data_ptr<float>();
  values.moment1 = moment1.data_ptr<float>();
  values.moment2 = moment2.data_ptr<float>();
  adam.run(parameter, values);
}

}  // namespace creg
