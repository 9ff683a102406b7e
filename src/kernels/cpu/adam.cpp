#include "kernels/adam.h"

#include "kernels/target_clones.h"

namespace creg::cpu {

using kernels::AdamValues;

namespace {

template <class T>
CREG_INLINE void adam_elements(const AdamValues<T>& values, std::int64_t begin, std::int64_t end) {
  if (values.guard != nullptr && !std::isfinite(*values.guard)) return;
  T* __restrict parameter = values.parameter;
  const T* __restrict gradient = values.gradient;
  T* __restrict moment1 = values.moment1;
  T* __restrict moment2 = values.moment2;
  const AdamValues<T> v = values;
  for (std::int64_t i = begin; i < end; ++i) {
    const T g = gradient[i] + v.weight_decay * parameter[i];
    const T m = v.beta1 * moment1[i] + v.rest1 * g;
    const T s = v.beta2 * moment2[i] + v.rest2 * g * g;
    moment1[i] = m;
    moment2[i] = s;
    parameter[i] -= v.step_size * m / (std::sqrt(s) * v.root_scale + v.eps);
  }
}

CREG_TARGET_CLONES
void adam_range(const AdamValues<float>& values, std::int64_t begin, std::int64_t end) {
  adam_elements(values, begin, end);
}

CREG_TARGET_CLONES
void adam_range(const AdamValues<double>& values, std::int64_t begin, std::int64_t end) {
  adam_elements(values, begin, end);
}

template <class T>
void adam_in_ranges(const Launch& launch, const AdamValues<T>& values) {
  constexpr std::int64_t grain = 1 << 15;
  launch.workers->for_ranges(values.count, grain, [&](std::int64_t begin, std::int64_t end) {
    adam_range(values, begin, end);
  });
}

}  // namespace

void adam(const Launch& launch, const AdamValues<float>& values) {
  adam_in_ranges(launch, values);
}

void adam(const Launch& launch, const AdamValues<double>& values) {
  adam_in_ranges(launch, values);
}

}  // namespace creg::cpu
