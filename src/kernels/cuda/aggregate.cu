#include "kernels/aggregate.h"

#include "kernels/cuda/common.cuh"
#include "kernels/cuda/row_teams.cuh"

namespace creg::cuda {

using kernels::Activation;
using kernels::ActivationGradient;
using kernels::RowActivation;
using kernels::RowProduct;

namespace {

/// Leaves `to` as it is unless `there`. Such loads stay in their order and take no branch, so that
/// many are under way at once; for memory that the kernel does not write.
template <int Width>
__device__ inline void load_if(bool there, const float* from, float (&to)[Width]) {
  if constexpr (Width == 4) {
    asm volatile(
        "{\n  .reg .pred there;\n  setp.ne.b32 there, %5, 0;\n"
        "  @there ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];\n}\n"
        : "+f"(to[0]), "+f"(to[1]), "+f"(to[2]), "+f"(to[3])
        : "l"(from), "r"(static_cast<int>(there)));
  } else {
    asm volatile(
        "{\n  .reg .pred there;\n  setp.ne.b32 there, %2, 0;\n"
        "  @there ld.global.nc.f32 %0, [%1];\n}\n"
        : "+f"(to[0])
        : "l"(from), "r"(static_cast<int>(there)));
  }
}

/// Where an entry's values come from, and their weight.
struct Source {
  std::int32_t row = 0;
  float weight = 0;

  __device__ Source(const RowProduct& product, std::int64_t entry, std::int64_t last) {
    if (entry >= last) return;
    const std::int32_t c = product.columns[entry];
    row = product.gather == nullptr ? c : product.gather[c];
    weight = product.values == nullptr ? 1.0F : product.values[entry];
  }
};

/// Adds to the sums of the lane's columns the entries first.. before last of a warp: each lane asks
/// for one entry, and they are handed round.
template <int Width>
__device__ inline void add_entries(const RowProduct& product, std::int64_t first, std::int64_t last,
                                   std::int64_t column, float (&sum)[Width]) {
  constexpr int batch = 8;  // rows of X under way
  const auto lane = static_cast<std::int64_t>(threadIdx.x % warp_lanes);
  const bool inside = column < product.width;
  const float* const x = product.x + column;
  Source next(product, first + lane, last);
  // That all lanes agree is asked of the card: it spares registers.
  for (std::int64_t start = first; __any_sync(all_lanes, start < last); start += warp_lanes) {
    const Source own = next;
    // The chain from an entry to its row is long: the next ones are asked for before.
    next = Source(product, start + warp_lanes + lane, last);
    const std::int64_t rest = last - start;
#pragma unroll
    for (int e = 0; e < warp_lanes; e += batch) {
      if (e > 0 && !__any_sync(all_lanes, e < rest)) break;
      float weights[batch];
      float values[batch][Width];
#pragma unroll
      for (int b = 0; b < batch; ++b) {
        const std::int64_t row = __shfl_sync(all_lanes, own.row, e + b);
        weights[b] = __shfl_sync(all_lanes, own.weight, e + b);
#pragma unroll
        for (int l = 0; l < Width; ++l) values[b][l] = 0;
        load_if<Width>(e + b < rest && inside, x + row * product.width, values[b]);
      }
#pragma unroll
      for (int b = 0; b < batch; ++b) {
#pragma unroll
        for (int l = 0; l < Width; ++l) sum[l] += weights[b] * values[b][l];
      }
    }
  }
}

/// Writes a row's sums, and its activation where one is wanted.
template <int Width>
__device__ inline void finish_row(const RowProduct& product, std::int64_t r, std::int64_t column,
                                  float (&sum)[Width]) {
  if (column >= product.width) return;
  const std::int64_t target = product.scatter == nullptr ? r : product.scatter[r];
  float* const out = product.out + target * product.width + column;
  if (product.accumulate) {
    float before[Width];
    load<Width>(out, before);
#pragma unroll
    for (int l = 0; l < Width; ++l) sum[l] += before[l];
  }
  if (product.activated != nullptr) {
    const Activation& activation = product.activation;
    float active[Width];
#pragma unroll
    for (int l = 0; l < Width; ++l) {
      if (activation.bias != nullptr) sum[l] += activation.bias[column + l];
      const float slope = activation.slope[activation.slope_stride * (column + l)];
      active[l] = sum[l] > 0 ? sum[l] : slope * sum[l];
    }
    store<Width>(active, product.activated + target * product.width + column);
  }
  store<Width>(sum, out);
}

/// Columns that a warp takes at once.
template <int Width>
constexpr int column_tile = warp_lanes* Width;

template <int Width>
__device__ inline std::int64_t first_column() {
  return static_cast<std::int64_t>(blockIdx.y) * column_tile<Width> +
         static_cast<std::int64_t>(threadIdx.x % warp_lanes) * Width;
}

/// A warp per row, the whole block for one that is long. blockIdx.y is the tile of columns: blocks
/// of one tile run together, so that more of the rows they read of X stay in the caches. Four
/// blocks on a processor: with fewer registers loads would wait for each other.
template <int Width>
__global__ void __launch_bounds__(team_threads, 4) multiply_rows(const RowProduct product) {
  __shared__ float shared[team_warps][column_tile<Width>];
  const std::int64_t column = first_column<Width>();
  const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * team_warps;
  const int warp = static_cast<int>(threadIdx.x) / warp_lanes;
  const std::int64_t own = begin + warp;
  std::int64_t first = 0;
  std::int64_t last = 0;
  if (own < product.rows) {
    first = product.offsets[own];
    last = product.offsets[own + 1];
  }
  const bool is_long = last - first > long_row;
  float sum[Width] = {};
  add_entries<Width>(product, first, is_long ? first : last, column, sum);
  if (own < product.rows && !is_long) finish_row(product, own, column, sum);
  if (__syncthreads_or(is_long ? 1 : 0) == 0) return;
  for (std::int64_t r = begin; r < begin + team_warps && r < product.rows; ++r) {
    const std::int64_t from = product.offsets[r];
    const std::int64_t to = product.offsets[r + 1];
    if (to - from <= long_row) continue;
    // Each warp sums a stretch of the row, the first warp adds the stretches in order.
    const std::int64_t stretch = pieces_of(to - from, team_warps);
    const std::int64_t left = from + warp * stretch;
    const std::int64_t right = left + stretch < to ? left + stretch : to;
    float part[Width] = {};
    add_entries<Width>(product, left, right, column, part);
    const int place = static_cast<int>(threadIdx.x % warp_lanes) * Width;
    store<Width>(part, &shared[warp][place]);
    __syncthreads();
    if (warp == 0) {
      for (int w = 1; w < team_warps; ++w) {
        float other[Width];
        load<Width>(&shared[w][place], other);
#pragma unroll
        for (int l = 0; l < Width; ++l) part[l] += other[l];
      }
      finish_row(product, r, column, part);
    }
    __syncthreads();
  }
}

template <int Width>
unsigned column_tiles(const RowProduct& product) {
  return static_cast<unsigned>(pieces_of(product.width, column_tile<Width>));
}

/// Very few rows do not fill a card: each is cut into as many stretches as fill it, whose sums lie
/// in `parts` [rows, stretches, width]. A warp per stretch.
template <int Width>
__global__ void __launch_bounds__(team_threads, 4)
    multiply_stretches(const RowProduct product, int stretches, float* parts) {
  const std::int64_t item =
      static_cast<std::int64_t>(blockIdx.x) * team_warps + threadIdx.x / warp_lanes;
  const std::int64_t r = item / stretches;
  if (r >= product.rows) return;
  const std::int64_t column = first_column<Width>();
  const std::int64_t first = product.offsets[r];
  const std::int64_t last = product.offsets[r + 1];
  const std::int64_t each = pieces_of(last - first, stretches);
  const std::int64_t begin = first + item % stretches * each;
  const std::int64_t end = begin + each < last ? begin + each : last;
  float sum[Width] = {};
  add_entries<Width>(product, begin, end, column, sum);
  if (column < product.width) store<Width>(sum, parts + item * product.width + column);
}

/// Adds the stretches of a row in their order. A warp per row and tile of columns.
template <int Width>
__global__ void __launch_bounds__(team_threads)
    add_stretches(const RowProduct product, int stretches, const float* parts) {
  const std::int64_t r =
      static_cast<std::int64_t>(blockIdx.x) * team_warps + threadIdx.x / warp_lanes;
  const std::int64_t column = first_column<Width>();
  if (r >= product.rows || column >= product.width) return;
  float sum[Width] = {};
#pragma unroll 4
  for (int s = 0; s < stretches; ++s) {
    float part[Width];
    load<Width>(parts + (r * stretches + s) * product.width + column, part);
#pragma unroll
    for (int l = 0; l < Width; ++l) sum[l] += part[l];
  }
  finish_row(product, r, column, sum);
}

/// Into how many stretches each row is cut; 1 or less: into none. Of the matrix alone, so that sums
/// are the same on every card.
int stretches_of(const RowProduct& product, unsigned tiles) {
  constexpr std::int64_t enough_warps = 8192;
  constexpr std::int64_t least_entries = 128;  // of a stretch, on average
  // Without stretches a long row has all warps of a block.
  if (product.rows * tiles * team_warps >= enough_warps) return 1;
  const std::int64_t by_entries = product.entries / product.rows / least_entries;
  const std::int64_t wanted = enough_warps / (product.rows * tiles);
  return static_cast<int>(by_entries < wanted ? by_entries : wanted);
}

template <int Width>
void start_product(const Launch& launch, const RowProduct& product) {
  const unsigned tiles = column_tiles<Width>(product);
  const int stretches = stretches_of(product, tiles);
  if (stretches <= 1) {
    multiply_rows<Width>
        <<<dim3(team_blocks(product.rows), tiles), team_threads, 0, stream_of(launch)>>>(product);
    return;
  }
  auto* const parts = launch.scratch->array<float>(product.rows * stretches * product.width);
  multiply_stretches<Width>
      <<<dim3(team_blocks(product.rows * stretches), tiles), team_threads, 0, stream_of(launch)>>>(
          product, stretches, parts);
  add_stretches<Width>
      <<<dim3(team_blocks(product.rows), tiles), team_threads, 0, stream_of(launch)>>>(
          product, stretches, parts);
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

constexpr int gradient_lanes = 16;  // of a block, over the rows of a piece

/// A block per piece of rows and 32 groups of `Width` columns.
template <int Width>
__global__ void __launch_bounds__(warp_lanes* gradient_lanes)
    activation_gradient_pieces(const ActivationGradient gradient) {
  __shared__ float sums[2][gradient_lanes][warp_lanes * Width];
  const int place = static_cast<int>(threadIdx.x) * Width;
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.y) * warp_lanes * Width + place;
  const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * kernels::rows_per_sum;
  const std::int64_t end =
      begin + kernels::rows_per_sum < gradient.rows ? begin + kernels::rows_per_sum : gradient.rows;
  float bias_sum[Width] = {};
  float slope_sum[Width] = {};
  if (column < gradient.width) {
    float slope[Width];
#pragma unroll
    for (int l = 0; l < Width; ++l) {
      slope[l] = gradient.slope[gradient.slope_stride * (column + l)];
    }
#pragma unroll 4
    for (std::int64_t r = begin + threadIdx.y; r < end; r += gradient_lanes) {
      const std::int64_t i = r * gradient.width + column;
      float x[Width];
      float g[Width];
      float d[Width];
      load<Width>(gradient.pre + i, x);
      load<Width>(gradient.d_out + i, g);
#pragma unroll
      for (int l = 0; l < Width; ++l) {
        d[l] = (x[l] > 0 ? 1.0F : slope[l]) * g[l];
        bias_sum[l] += d[l];
        slope_sum[l] += (x[l] > 0 ? 0.0F : x[l]) * g[l];
      }
      store<Width>(d, gradient.d_pre + i);
    }
  }
  store<Width>(bias_sum, &sums[0][threadIdx.y][place]);
  store<Width>(slope_sum, &sums[1][threadIdx.y][place]);
  __syncthreads();
  if (threadIdx.y >= 2 || column >= gradient.width) return;
  const std::int64_t out =
      (2 * static_cast<std::int64_t>(blockIdx.x) + threadIdx.y) * gradient.width + column;
#pragma unroll
  for (int l = 0; l < Width; ++l) {
    float total = 0;
    for (int y = 0; y < gradient_lanes; ++y) total += sums[threadIdx.y][y][place + l];
    gradient.sums[out + l] = total;
  }
}

}  // namespace

void multiply(const Launch& launch, const RowProduct& product) {
  if (product.rows == 0 || product.width == 0) return;
  product.width % 4 == 0 ? start_product<4>(launch, product) : start_product<1>(launch, product);
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
  const auto start = [&]<int Width>() {
    const dim3 grid(static_cast<unsigned>(kernels::sum_pieces(gradient.rows)),
                    static_cast<unsigned>(pieces_of(gradient.width, warp_lanes * Width)));
    activation_gradient_pieces<Width>
        <<<grid, dim3(warp_lanes, gradient_lanes), 0, stream_of(launch)>>>(gradient);
  };
  gradient.width % 4 == 0 ? start.template operator()<4>() : start.template operator()<1>();
  check_launch("activation_gradient");
}

}  // namespace creg::cuda
