#include "kernels/dense.h"

namespace creg::cpu {

void add_to_dense(const Launch& launch, const kernels::SparseRows& matrix, float* out) {
  constexpr std::int64_t rows_at_once = 64;
  launch.workers->for_ranges(matrix.rows, rows_at_once, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      float* const cells = out + r * matrix.cols;
      for (std::int64_t e = matrix.offsets[r]; e < matrix.offsets[r + 1]; ++e) {
        cells[matrix.columns[e]] += matrix.values == nullptr ? 1.0F : matrix.values[e];
      }
    }
  });
}

}  // namespace creg::cpu
