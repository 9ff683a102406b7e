// A sparse matrix written out.
#pragma once

#include <cstdint>

#include "kernels/launch.h"

namespace creg::kernels {

struct SparseRows {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  const std::int64_t* offsets = nullptr;
  const std::int32_t* columns = nullptr;
  const float* values = nullptr;  ///< null: all ones
};

}  // namespace creg::kernels

namespace creg::cpu {

/// Adds every entry to its cell of `out`, [rows, cols].
void add_to_dense(const Launch& launch, const kernels::SparseRows& matrix, float* out);

}  // namespace creg::cpu

namespace creg::cuda {

void add_to_dense(const Launch& launch, const kernels::SparseRows& matrix, float* out);

}  // namespace creg::cuda
