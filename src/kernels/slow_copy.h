// A slow copy of parameters that follows them. (The CPU has libtorch's operations.)
#pragma once

#include <cstdint>

#include "kernels/launch.h"

namespace creg::cuda {

/// slow = share · slow + (1 - share) · values, of `count` numbers. In a step that was recorded the
/// share is StepCells::own.
void keep_share(const Launch& launch, std::int64_t count, double share, const float* values,
                float* slow);

}  // namespace creg::cuda
