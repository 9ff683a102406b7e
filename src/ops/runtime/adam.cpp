#include "ops/adam.h"

#include <ATen/Parallel.h>
#include <torch/types.h>

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
  auto values = cpu::adam_values<float>(settings);
  values.guard = guard.defined() ? guard.data_ptr<float>() : nullptr;
  values.parameter = parameter.data_ptr<float>();
  values.gradient = d.data_ptr<float>();
  values.moment1 = moment1.data_ptr<float>();
  values.moment2 = moment2.data_ptr<float>();
  constexpr std::int64_t grain = 1 << 15;
  at::parallel_for(0, parameter.numel(), grain, [&](std::int64_t begin, std::int64_t end) {
    cpu::adam_range(values, begin, end);
  });
}

}  // namespace creg
