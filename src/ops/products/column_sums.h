// Sums over rows whose value does not depend on the number of threads.
#pragma once

#include <ATen/core/Tensor.h>

namespace creg {

/// Of a matrix, or of the pieces that kernels sum in float (kernels::sum_pieces): added in double.
at::Tensor column_sums(const at::Tensor& matrix);

}  // namespace creg
