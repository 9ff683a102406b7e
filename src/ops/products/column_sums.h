// Sums over rows whose value does not depend on the number of threads.
#pragma once

#include <torch/types.h>

namespace creg {

/// Of a matrix, or of the pieces that kernels sum in float (kernels::sum_pieces): added in double.
inline at::Tensor column_sums(const at::Tensor& matrix) {
  return matrix.sum(0, false, at::kDouble).to(at::kFloat);
}

}  // namespace creg
