// A slow copy of a parameter.
#pragma once

#include <ATen/core/Tensor.h>

namespace creg {

/// `slow` keeps `share` of itself and takes the rest from `value`, in place; both contiguous
/// float32 of one size. In a recorded step the share is StepNumbers::own of the step.
void keep_share(const at::Tensor& slow, const at::Tensor& value, double share);

}  // namespace creg
