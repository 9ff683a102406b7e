// One step of Adam in one pass over memory.
#pragma once

#include <ATen/core/Tensor.h>

#include "kernels/adam.h"

namespace creg {

/// Updates `parameter` and both moments in place; all float32 and contiguous, of one size. Where
/// `guard`, a float32 tensor of one value, is there and not finite, everything stays as it is.
void adam_step(const at::Tensor& parameter, const at::Tensor& gradient, const at::Tensor& moment1,
               const at::Tensor& moment2, const AdamStep& settings, const at::Tensor& guard = {});

}  // namespace creg
