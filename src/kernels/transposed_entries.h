// Where the entries of a sparse matrix lie in its transpose.
#pragma once

#include <cstdint>

#include "kernels/launch.h"

namespace creg::kernels {

struct TransposedEntries {
  std::int64_t rows = 0;                     ///< of the matrix
  std::int64_t cols = 0;                     ///< the rows of its transpose
  std::int64_t entries = 0;                  ///< places for them; as many as offsets says are used
  const std::int64_t* offsets = nullptr;     ///< [rows + 1]
  const std::int32_t* columns = nullptr;     ///< of its entries
  const std::int64_t* transposed = nullptr;  ///< [cols + 1]: the offsets of the transpose
};

}  // namespace creg::kernels

namespace creg::cpu {

/// linked[t] = the entry of the matrix that entry t of its transpose is.
void link_entries(const Launch& launch, const kernels::TransposedEntries& entries,
                  std::int64_t* linked);
/// to[t] = from[that entry].
void transpose_values(const Launch& launch, const kernels::TransposedEntries& entries,
                      const float* from, float* to);

}  // namespace creg::cpu

namespace creg::cuda {

void link_entries(const Launch& launch, const kernels::TransposedEntries& entries,
                  std::int64_t* linked);
void transpose_values(const Launch& launch, const kernels::TransposedEntries& entries,
                      const float* from, float* to);

}  // namespace creg::cuda
