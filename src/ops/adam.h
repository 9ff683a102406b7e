// One step of Adam in one pass over memory.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace creg {

struct AdamStep {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;  ///< added to the gradient as weight_decay · parameter
  std::int64_t step = 1;    ///< counts from 1, for the bias corrections
};

/// Updates `parameter` and both moments in place; all float32 and contiguous, of one size. Where
/// `guard`, a float32 tensor of one value, is there and not finite, everything stays as it is.
void adam_step(const at::Tensor& parameter, const at::Tensor& gradient, const at::Tensor& moment1,
               const at::Tensor& moment2, const AdamStep& settings, const at::Tensor& guard = {});

}  // namespace creg
