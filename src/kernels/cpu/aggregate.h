// Ranges of the kernels in kernels/aggregate.h, compiled for several instruction sets.
#pragma once

#include "kernels/aggregate.h"

namespace creg::cpu {

void multiply_rows(const kernels::RowProduct& product, std::int64_t begin, std::int64_t end);

void activate_rows(const kernels::RowActivation& rows, std::int64_t begin, std::int64_t end);

/// bias_sum and slope_sum (each `width` long) get this range's column sums added.
void activation_gradient_rows(const kernels::ActivationGradient& gradient, std::int64_t begin,
                              std::int64_t end, float* bias_sum, float* slope_sum);

}  // namespace creg::cpu
