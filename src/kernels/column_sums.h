// Sums over the rows of a matrix, in double.
#pragma once

#include <cstdint>

#include "kernels/launch.h"

namespace creg::kernels {

struct ColumnSums {
  const float* matrix = nullptr;  ///< [rows, cols]
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  float* out = nullptr;  ///< [cols]
};

}  // namespace creg::kernels

namespace creg::cuda {

/// For few rows: one block adds those of 32 columns.
void column_sums(const Launch& launch, const kernels::ColumnSums& sums);

}  // namespace creg::cuda
