#include "kernels/aggregate.h"

#include "kernels/cuda/common.cuh"
#include "kernels/cuda/row_teams.cuh"

namespace creg::cuda {

using kernels::Activation;
using kernels::ActivationGradient;
using kernels::RowActivation;
using kernels::RowProduct;

namespace {

/// Adds entries first, first + 1, ... of the row to the lane's sums. The warp reads 32 entries at
/// once and hands them round.
template <int Width, int Chunks>
__device__ inline void add_entries(const RowProduct& product, std::int64_t first, std::int64_t last,
                                   std::int64_t column, Lane<Width, Chunks>& lane) {
  const int place = static_cast<int>(threadIdx.x % warp_lanes);
  for (std::int64_t start = first; start < last; start += warp_lanes) {
    std::int64_t source = 0;
    float weight = 0;
    if (start + place < last) {
      const std::int32_t c = product.columns[start + place];
      source = product.gather == nullptr ? c : product.gather[c];
      weight = product.values == nullptr ? 1.0F : product.values[start + place];
    }
    const int count = last - start < warp_lanes ? static_cast<int>(last - start) : warp_lanes;
#pragma unroll 4
    for (int e = 0; e < count; ++e) {
      const std::int64_t row = __shfl_sync(all_lanes, source, e);
      const float w = __shfl_sync(all_lanes, weight, e);
      const float* const x = product.x + row * product.width + column;
#pragma unroll
      for (int c = 0; c < Chunks; ++c) {
        if (column + c * warp_lanes * Width < product.width) {
          float values[Width];
          load<Width>(x + c * warp_lanes * Width, values);
#pragma unroll
          for (int l = 0; l < Width; ++l) lane.sum[c][l] += w * values[l];
        }
      }
    }
  }
}

/// Writes a row's sums, and its activation where one is wanted.
template <int Width, int Chunks>
__device__ inline void finish_row(const RowProduct& product, std::int64_t r, std::int64_t column,
                                  Lane<Width, Chunks>& lane) {
  const std::int64_t target = product.scatter == nullptr ? r : product.scatter[r];
#pragma unroll
  for (int c = 0; c < Chunks; ++c) {
    const std::int64_t j = column + c * warp_lanes * Width;
    if (j >= product.width) continue;
    float* const out = product.out + target * product.width + j;
    if (product.accumulate) {
      float before[Width];
      load<Width>(out, before);
#pragma unroll
      for (int l = 0; l < Width; ++l) lane.sum[c][l] += before[l];
    }
    if (product.activated == nullptr) {
      store<Width>(lane.sum[c], out);
      continue;
    }
    const Activation& activation = product.activation;
    float active[Width];
#pragma unroll
    for (int l = 0; l < Width; ++l) {
      if (activation.bias != nullptr) lane.sum[c][l] += activation.bias[j + l];
      const float slope = activation.slope[activation.slope_stride * (j + l)];
      active[l] = lane.sum[c][l] > 0 ? lane.sum[c][l] : slope * lane.sum[c][l];
    }
    store<Width>(lane.sum[c], out);
    store<Width>(active, product.activated + target * product.width + j);
  }
}

template <int Width, int Chunks>
__global__ void __launch_bounds__(team_threads) multiply_rows(const RowProduct product) {
  sum_rows<Width, Chunks>(
      product.rows, product.offsets,
      [&](std::int64_t first, std::int64_t last, std::int64_t column, auto& lane) {
        add_entries(product, first, last, column, lane);
      },
      [&](std::int64_t r, std::int64_t column, auto& lane) {
        finish_row(product, r, column, lane);
      });
}

template <int Width, int Chunks>
void start_product(const Launch& launch, const RowProduct& product) {
  const dim3 grid(team_blocks(product.rows),
                  static_cast<unsigned>(pieces_of(product.width, Lane<Width, Chunks>::tile)));
  multiply_rows<Width, Chunks><<<grid, team_threads, 0, stream_of(launch)>>>(product);
}

/// Few long rows do not fill a card: each is cut into as many stretches as fill it, whose sums lie
/// in `parts` [rows, stretches, width]. A warp per stretch.
template <int Width, int Chunks>
__global__ void __launch_bounds__(team_threads)
    multiply_stretches(const RowProduct product, int stretches, float* parts) {
  const std::int64_t item =
      static_cast<std::int64_t>(blockIdx.x) * team_warps + threadIdx.x / warp_lanes;
  const std::int64_t r = item / stretches;
  if (r >= product.rows) return;
  const int place = static_cast<int>(threadIdx.x) % warp_lanes;
  const std::int64_t column =
      static_cast<std::int64_t>(blockIdx.y) * Lane<Width, Chunks>::tile + place * Width;
  const std::int64_t first = product.offsets[r];
  const std::int64_t last = product.offsets[r + 1];
  const std::int64_t each = pieces_of(pieces_of(last - first, stretches), warp_lanes) * warp_lanes;
  const std::int64_t begin = first + item % stretches * each;
  const std::int64_t end = begin + each < last ? begin + each : last;
  Lane<Width, Chunks> lane = {};
  if (begin < end) add_entries(product, begin, end, column, lane);
#pragma unroll
  for (int c = 0; c < Chunks; ++c) {
    const std::int64_t j = column + c * warp_lanes * Width;
    if (j < product.width) store<Width>(lane.sum[c], parts + item * product.width + j);
  }
}

/// Adds the stretches of a row in their order. A warp per row and group of columns.
template <int Width>
__global__ void __launch_bounds__(team_threads)
    add_stretches(const RowProduct product, int stretches, const float* parts) {
  const std::int64_t r =
      static_cast<std::int64_t>(blockIdx.x) * team_warps + threadIdx.x / warp_lanes;
  if (r >= product.rows) return;
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.y) * Lane<Width, 1>::tile +
                              static_cast<std::int64_t>(threadIdx.x) % warp_lanes * Width;
  if (column >= product.width) return;
  Lane<Width, 1> lane = {};
  for (int s = 0; s < stretches; ++s) {
    float part[Width];
    load<Width>(parts + (r * stretches + s) * product.width + column, part);
#pragma unroll
    for (int l = 0; l < Width; ++l) lane.sum[0][l] += part[l];
  }
  finish_row(product, r, column, lane);
}

/// Into how many stretches each row is cut; 1: into none. Of the matrix alone, so that sums are the
/// same on every card.
int stretches_of(const RowProduct& product) {
  constexpr std::int64_t enough_warps = 8192;
  constexpr std::int64_t least_entries = 128;  // of a stretch, on average
  const std::int64_t by_entries = product.entries / product.rows / least_entries;
  const std::int64_t wanted = enough_warps / product.rows;
  return static_cast<int>(by_entries < wanted ? by_entries : wanted);
}

template <int Width, int Chunks>
void start_stretches(const Launch& launch, const RowProduct& product, int stretches) {
  auto* const parts = launch.scratch->array<float>(product.rows * stretches * product.width);
  const auto groups = [&](int tile) {
    return static_cast<unsigned>(pieces_of(product.width, tile));
  };
  multiply_stretches<Width, Chunks>
      <<<dim3(team_blocks(product.rows * stretches), groups(Lane<Width, Chunks>::tile)),
         team_threads, 0, stream_of(launch)>>>(product, stretches, parts);
  add_stretches<Width><<<dim3(team_blocks(product.rows), groups(Lane<Width, 1>::tile)),
                         team_threads, 0, stream_of(launch)>>>(product, stretches, parts);
}

__global__ void activate_elements(const RowActivation rows) {
  const std::int64_t size = rows.rows * rows.width;
  for (std::int64_t i = first_item(); i < size; i += item_step()) {
    const std::int64_t j = i % rows.width;
    const float x = rows.x[i] + (rows.activation.bias == nullptr ? 0.0F : rows.activation.bias[j]);
    // Without a bias both are the same memory.
    if (rows.pre != rows.x) rows.pre[i] = x;
    const float slope = rows.activation.slope[rows.activation.slope_stride * j];
    rows.activated[i] = x > 0 ? x : slope * x;
  }
}

constexpr int gradient_lanes = 8;  // of a block, over the rows of a piece

/// A block per piece of rows and 32 columns.
__global__ void __launch_bounds__(warp_lanes* gradient_lanes)
    activation_gradient_pieces(const ActivationGradient gradient) {
  __shared__ float sums[2][gradient_lanes][warp_lanes];
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.y) * warp_lanes + threadIdx.x;
  const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * kernels::rows_per_sum;
  const std::int64_t end =
      begin + kernels::rows_per_sum < gradient.rows ? begin + kernels::rows_per_sum : gradient.rows;
  float bias_sum = 0;
  float slope_sum = 0;
  if (column < gradient.width) {
    const float slope = gradient.slope[gradient.slope_stride * column];
#pragma unroll 4
    for (std::int64_t r = begin + threadIdx.y; r < end; r += gradient_lanes) {
      const std::int64_t i = r * gradient.width + column;
      const float x = gradient.pre[i];
      const float g = gradient.d_out[i];
      const float d = (x > 0 ? 1.0F : slope) * g;
      gradient.d_pre[i] = d;
      bias_sum += d;
      slope_sum += (x > 0 ? 0.0F : x) * g;
    }
  }
  sums[0][threadIdx.y][threadIdx.x] = bias_sum;
  sums[1][threadIdx.y][threadIdx.x] = slope_sum;
  __syncthreads();
  if (threadIdx.y >= 2 || column >= gradient.width) return;
  float total = 0;
  for (int l = 0; l < gradient_lanes; ++l) total += sums[threadIdx.y][l][threadIdx.x];
  gradient
      .sums[(2 * static_cast<std::int64_t>(blockIdx.x) + threadIdx.y) * gradient.width + column] =
      total;
}

}  // namespace

void multiply(const Launch& launch, const RowProduct& product) {
  if (product.rows == 0 || product.width == 0) return;
  const int stretches = stretches_of(product);
  if (stretches > 1) {
    if (product.width % 4 != 0) {
      start_stretches<1, 4>(launch, product, stretches);
    } else if (product.width <= 128) {
      start_stretches<4, 1>(launch, product, stretches);
    } else {
      start_stretches<4, 4>(launch, product, stretches);
    }
  } else if (product.width % 4 != 0) {
    product.width > 64 ? start_product<1, 4>(launch, product)
                       : start_product<1, 2>(launch, product);
  } else if (product.width <= 128) {
    start_product<4, 1>(launch, product);
  } else if (product.width <= 256) {
    start_product<4, 2>(launch, product);
  } else {
    start_product<4, 4>(launch, product);
  }
  check_launch("aggregate");
}

void activate(const Launch& launch, const RowActivation& rows) {
  constexpr int threads = 256;
  if (rows.rows * rows.width == 0) return;
  activate_elements<<<grid_for(rows.rows * rows.width, threads), threads, 0, stream_of(launch)>>>(
      rows);
  check_launch("activate");
}

void activation_gradient(const Launch& launch, const ActivationGradient& gradient) {
  if (gradient.width == 0) return;
  const dim3 grid(static_cast<unsigned>(kernels::sum_pieces(gradient.rows)),
                  static_cast<unsigned>(pieces_of(gradient.width, warp_lanes)));
  activation_gradient_pieces<<<grid, dim3(warp_lanes, gradient_lanes), 0, stream_of(launch)>>>(
      gradient);
  check_launch("activation_gradient");
}

}  // namespace creg::cuda
