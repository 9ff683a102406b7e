// Lengths of rows.
#pragma once

#include <ATen/core/Tensor.h>

namespace creg {

/// Tensors of one value, float64.
struct NormStatistics {
  at::Tensor mean;
  at::Tensor variance;  ///< unbiased; 0 for a single row
};

/// Of the lengths of the rows of a float32 matrix, in one pass over it.
NormStatistics norm_statistics(const at::Tensor& rows);

/// Rows over max(their length, 1e-12); gradients go through the lengths. One of zeros stays, and
/// has a gradient 1e12 times as large as what comes in.
at::Tensor unit_rows(const at::Tensor& rows);

}  // namespace creg
