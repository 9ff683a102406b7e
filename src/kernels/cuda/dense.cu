#include "kernels/dense.h"

#include "kernels/cuda/common.cuh"

namespace creg::cuda {
namespace {

/// A thread per row: entries of one cell are added in their order.
__global__ void add_rows(const kernels::SparseRows matrix, float* out) {
  for (std::int64_t r = first_item(); r < matrix.rows; r += item_step()) {
    float* const cells = out + r * matrix.cols;
    for (std::int64_t e = matrix.offsets[r]; e < matrix.offsets[r + 1]; ++e) {
      cells[matrix.columns[e]] += matrix.values == nullptr ? 1.0F : matrix.values[e];
    }
  }
}

}  // namespace

void add_to_dense(const Launch& launch, const kernels::SparseRows& matrix, float* out) {
  constexpr int threads = 64;
  if (matrix.rows == 0) return;
  add_rows<<<grid_for(matrix.rows, threads), threads, 0, stream_of(launch)>>>(matrix, out);
  check_launch("dense_of");
}

}  // namespace creg::cuda
