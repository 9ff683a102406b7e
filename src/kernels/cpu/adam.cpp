#include "kernels/adam.h"

#include <cmath>

#include "kernels/target_clones.h"

namespace creg::cpu {

CREG_TARGET_CLONES
void adam_range(const AdamValues& values, std::int64_t begin, std::int64_t end) {
  if (values.guard != nullptr && !std::isfinite(*values.guard)) return;
  float* __restrict parameter = values.parameter;
  const float* __restrict gradient = values.gradient;
  float* __restrict moment1 = values.moment1;
  float* __restrict moment2 = values.moment2;
  const AdamValues v = values;
  for (std::int64_t i = begin; i < end; ++i) {
    const float g = gradient[i] + v.weight_decay * parameter[i];
    const float m = v.beta1 * moment1[i] + v.rest1 * g;
    const float s = v.beta2 * moment2[i] + v.rest2 * g * g;
    moment1[i] = m;
    moment2[i] = s;
    parameter[i] -= v.step_size * m / (std::sqrt(s) * v.root_scale + v.eps);
  }
}

}  // namespace creg::cpu
