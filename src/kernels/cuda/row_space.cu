#include "kernels/row_space.h"

#include "kernels/cuda/common.cuh"

namespace creg::cuda {
namespace {

constexpr int factor_warps = 32;
constexpr int factor_threads = factor_warps * warp_lanes;
constexpr int solve_threads = 32;

/// One block, column after column: the rows are as many as a projection has columns.
__global__ void __launch_bounds__(factor_threads)
    factor_by_columns(std::int64_t count, double* products, double* lengths, double* column) {
  const int lane = static_cast<int>(threadIdx.x % warp_lanes);
  const int warp = static_cast<int>(threadIdx.x / warp_lanes);
  for (std::int64_t i = threadIdx.x; i < count; i += factor_threads) {
    lengths[i] = products[i * count + i];
  }
  __syncthreads();
  for (std::int64_t j = 0; j < count; ++j) {
    const double left = products[j * count + j];
    const double diagonal =
        left > kernels::least_new_share * lengths[j] ? sqrt(left) : static_cast<double>(INFINITY);
    for (std::int64_t i = j + 1 + threadIdx.x; i < count; i += factor_threads) {
      column[i] = products[i * count + j] / diagonal;
    }
    __syncthreads();
    if (threadIdx.x == 0) products[j * count + j] = diagonal;
    for (std::int64_t i = j + 1 + warp; i < count; i += factor_warps) {
      double* const row = products + i * count;
      const double own = column[i];
      if (lane == 0) row[j] = own;
      for (std::int64_t k = j + 1 + lane; k <= i; k += warp_lanes) row[k] -= own * column[k];
    }
    __syncthreads();
  }
}

/// A thread per column.
__global__ void __launch_bounds__(solve_threads)
    solve_columns(std::int64_t count, std::int64_t width, const double* factor, double* rows) {
  const std::int64_t c = first_item();
  if (c >= width) return;
  for (std::int64_t i = 0; i < count; ++i) {
    const double* const own = factor + i * count;
    double value = rows[i * width + c];
#pragma unroll 8
    for (std::int64_t j = 0; j < i; ++j) value -= own[j] * rows[j * width + c];
    rows[i * width + c] = value / own[i];
  }
}

}  // namespace

void factor_products(const Launch& launch, std::int64_t count, double* products) {
  auto* const lengths = launch.scratch->array<double>(count);
  auto* const column = launch.scratch->array<double>(count);
  factor_by_columns<<<1, factor_threads, 0, stream_of(launch)>>>(count, products, lengths, column);
  check_launch("orthonormal_rows");
}

void solve_rows(const Launch& launch, std::int64_t count, std::int64_t width, const double* factor,
                double* rows) {
  if (width == 0) return;
  solve_columns<<<static_cast<unsigned>(pieces_of(width, solve_threads)), solve_threads, 0,
                  stream_of(launch)>>>(count, width, factor, rows);
  check_launch("orthonormal_rows");
}

}  // namespace creg::cuda
