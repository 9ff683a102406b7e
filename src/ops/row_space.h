// What the rows of a matrix span.
#pragma once

#include <ATen/core/Tensor.h>

namespace creg {

/// Orthonormal rows that span the same as the k rows of a float32 [k, d] matrix, k <= d: float32
/// [k, d], a constant. Undefined where a row lies within 1e-4 of its length of what the rows before
/// it span.
at::Tensor orthonormal_rows(const at::Tensor& rows);

}  // namespace creg
