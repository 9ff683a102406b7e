// The one Adam: the constants of a step, and its kernel in both precisions.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/launch.h"

namespace creg {

struct AdamStep {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;  ///< added to the gradient as weight_decay · parameter
  std::int64_t step = 1;    ///< counts from 1, for the bias corrections
};

}  // namespace creg

namespace creg::kernels {

template <class T>
struct AdamValues {
  std::int64_t count = 0;
  T* parameter = nullptr;
  const T* gradient = nullptr;
  T* moment1 = nullptr;
  T* moment2 = nullptr;
  const float* guard = nullptr;  ///< not finite: nothing is updated; null: always
  T beta1 = 0;
  T beta2 = 0;
  T rest1 = 0;  ///< 1 - beta1, rounded once
  T rest2 = 0;
  T weight_decay = 0;
  T step_size = 0;   ///< lr / (1 - beta1^t)
  T root_scale = 0;  ///< 1 / sqrt(1 - beta2^t)
  T eps = 0;
};

/// The constants of a step, computed in double; the memory is left to the caller.
template <class T>
AdamValues<T> adam_values(const AdamStep& settings) {
  const auto step = static_cast<double>(settings.step);
  AdamValues<T> values;
  values.beta1 = static_cast<T>(settings.beta1);
  values.beta2 = static_cast<T>(settings.beta2);
  values.rest1 = static_cast<T>(1 - settings.beta1);
  values.rest2 = static_cast<T>(1 - settings.beta2);
  values.weight_decay = static_cast<T>(settings.weight_decay);
  values.step_size = static_cast<T>(settings.lr / (1 - std::pow(settings.beta1, step)));
  values.root_scale = static_cast<T>(1 / std::sqrt(1 - std::pow(settings.beta2, step)));
  values.eps = static_cast<T>(settings.eps);
  return values;
}

}  // namespace creg::kernels

namespace creg::cpu {

void adam(const Launch& launch, const kernels::AdamValues<float>& values);
void adam(const Launch& launch, const kernels::AdamValues<double>& values);

}  // namespace creg::cpu

namespace creg::cuda {

void adam(const Launch& launch, const kernels::AdamValues<float>& values);
void adam(const Launch& launch, const kernels::AdamValues<double>& values);

}  // namespace creg::cuda
