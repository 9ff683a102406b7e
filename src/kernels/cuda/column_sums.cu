#include "kernels/column_sums.h"

#include "kernels/cuda/common.cuh"

namespace creg::cuda {

using kernels::ColumnSums;

namespace {

constexpr int row_lanes = 32;

__global__ void __launch_bounds__(warp_lanes* row_lanes) add_columns(const ColumnSums sums) {
  __shared__ double shared[row_lanes][warp_lanes];
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * warp_lanes + threadIdx.x;
  double sum = 0;
  if (column < sums.cols) {
#pragma unroll 4
    for (std::int64_t r = threadIdx.y; r < sums.rows; r += row_lanes) {
      sum += static_cast<double>(sums.matrix[r * sums.cols + column]);
    }
  }
  shared[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || column >= sums.cols) return;
  for (int l = 1; l < row_lanes; ++l) sum += shared[l][threadIdx.x];
  sums.out[column] = static_cast<float>(sum);
}

}  // namespace

void column_sums(const Launch& launch, const ColumnSums& sums) {
  if (sums.cols == 0) return;
  add_columns<<<static_cast<unsigned>(pieces_of(sums.cols, warp_lanes)),
                dim3(warp_lanes, row_lanes), 0, stream_of(launch)>>>(sums);
  check_launch("column_sums");
}

}  // namespace creg::cuda
