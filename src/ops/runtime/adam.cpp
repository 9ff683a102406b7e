#include "ops/adam.h"

#include <ATen/Parallel.h>
#include <torch/types.h>

#include <cmath>

#include "kernels/adam.h"

namespace creg {

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
  const auto step = static_cast<double>(settings.step);
  cpu::AdamValues values;
  values.guard = guard.defined() ? guard.data_ptr<float>() : nullptr;
  values.parameter = parameter.data_ptr<float>();
  values.gradient = d.data_ptr<float>();
  values.moment1 = moment1.data_ptr<float>();
  values.moment2 = moment2.data_ptr<float>();
  values.beta1 = static_cast<float>(settings.beta1);
  values.beta2 = static_cast<float>(settings.beta2);
  values.rest1 = static_cast<float>(1 - settings.beta1);
  values.rest2 = static_cast<float>(1 - settings.beta2);
  values.weight_decay = static_cast<float>(settings.weight_decay);
  values.step_size = static_cast<float>(settings.lr / (1 - std::pow(settings.beta1, step)));
  values.root_scale = static_cast<float>(1 / std::sqrt(1 - std::pow(settings.beta2, step)));
  values.eps = static_cast<float>(settings.eps);
  constexpr std::int64_t grain = 1 << 15;
  at::parallel_for(0, parameter.numel(), grain, [&](std::int64_t begin, std::int64_t end) {
    cpu::adam_range(values, begin, end);
  });
}

}  // namespace creg
