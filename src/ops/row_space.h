// What the rows of a matrix span.
#pragma once

#include <ATen/core/Tensor.h>

namespace creg {

/// Orthonormal rows that span the same as the k rows of a float32 [k, d] matrix, k <= d: float32
/// [k, d], a constant. Where a row lies within 1e-4 of its length of what the rows before it span,
/// undefined on the CPU. On a GPU, which is not waited for, a row that lies within 1e-7 becomes
/// zeros: the others span it as far as float32 can tell.
at::Tensor orthonormal_rows(const at::Tensor& rows);

}  // namespace creg
