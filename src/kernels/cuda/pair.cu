#include "kernels/pair.h"

#include <limits>

#include "kernels/aggregate.h"
#include "kernels/cuda/common.cuh"
#include "kernels/cuda/sorted.cuh"
#include "kernels/logistic.h"

namespace creg::cuda {

using kernels::DirectionGradient;
using kernels::DirectionScores;
using kernels::EdgeScores;
using kernels::LengthStatistics;
using kernels::log_complement_loss;
using kernels::log_sigmoid_loss;
using kernels::Logistic;
using kernels::PairScores;
using kernels::ScaledInPlace;
using kernels::TurnedPairs;

namespace {

constexpr int pair_warps = 8;
constexpr int pair_threads = pair_warps * warp_lanes;
constexpr int most_pair_blocks = 132 * 8;

/// Blocks of kernels whose warps take an anchor each in turn. A function of the size alone: sums
/// depend on it.
unsigned warp_blocks(std::int64_t items) {
  const std::int64_t blocks = pieces_of(items, pair_warps);
  return static_cast<unsigned>(blocks < most_pair_blocks ? (blocks < 1 ? 1 : blocks)
                                                         : most_pair_blocks);
}

__device__ inline std::int64_t first_warp() {
  return static_cast<std::int64_t>(blockIdx.x) * pair_warps + threadIdx.x / warp_lanes;
}
__device__ inline std::int64_t warp_step() {
  return static_cast<std::int64_t>(gridDim.x) * pair_warps;
}

/// sums[blockIdx.x][k] = the block's sum of values[k], which the first lane of each warp holds.
template <int Count>
__device__ inline void write_block_sums(const double (&values)[Count], double* sums) {
  const bool leader = threadIdx.x % warp_lanes == 0;
#pragma unroll
  for (int k = 0; k < Count; ++k) {
    const double sum = block_sum<pair_warps>(leader ? values[k] : 0.0);
    if (threadIdx.x == 0) sums[static_cast<std::int64_t>(blockIdx.x) * Count + k] = sum;
  }
}

/// The sums of all blocks, by one block; in all threads of its first warp.
template <int Warps = pair_warps, int Count>
__device__ inline void add_block_sums(const double* sums, int blocks, double (&total)[Count]) {
#pragma unroll
  for (int k = 0; k < Count; ++k) {
    double own = 0;
    for (int b = static_cast<int>(threadIdx.x); b < blocks; b += Warps * warp_lanes) {
      own += sums[static_cast<std::int64_t>(b) * Count + k];
    }
    total[k] = block_sum<Warps>(own);
  }
}

/// out = sum over `count` rows of coefficient · row, by one warp; `row_of(e)` is the number of row
/// e.
template <class RowOf>
__device__ inline void combine(const float* rows, std::int64_t width, const float* coefficients,
                               std::int64_t count, const RowOf& row_of, float* out) {
  const int lane = static_cast<int>(threadIdx.x % warp_lanes);
  if (width % 4 == 0) {
    for (std::int64_t j = lane; j < width / 4; j += warp_lanes) {
      float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll 2
      for (std::int64_t e = 0; e < count; ++e) {
        const float c = coefficients[e];
        const float4 x = reinterpret_cast<const float4*>(rows + row_of(e) * width)[j];
        sum.x += c * x.x;
        sum.y += c * x.y;
        sum.z += c * x.z;
        sum.w += c * x.w;
      }
      reinterpret_cast<float4*>(out)[j] = sum;
    }
  } else {
    for (std::int64_t j = lane; j < width; j += warp_lanes) {
      float sum = 0;
      for (std::int64_t e = 0; e < count; ++e) sum += coefficients[e] * rows[row_of(e) * width + j];
      out[j] = sum;
    }
  }
}

__global__ void __launch_bounds__(pair_threads)
    score_anchors(const PairScores scores, double* sums) {
  const int positives = scores.positive_count;
  const int negatives = scores.negative_count;
  const float mean = 1.0F / static_cast<float>(positives);
  double total[3] = {};
  for (std::int64_t m = first_warp(); m < scores.count; m += warp_step()) {
    const std::int64_t id = scores.ids == nullptr ? m : scores.ids[m];
    const float* const anchor = scores.anchors + id * scores.width;
    float* const coefficients = scores.coefficients + m * (positives + negatives);
    const bool leader = threadIdx.x % warp_lanes == 0;

    float dot = 0;
    for (int p = 0; p < positives; ++p) {
      const std::int64_t row = scores.positives[m * positives + p];
      // Where similarities were not finite there is no positive, and no loss.
      dot += row < 0 ? nanf("") : warp_dot(anchor, scores.rows + row * scores.width, scores.width);
    }
    const Logistic positive = log_sigmoid_loss(scores.scale * mean * dot, scores.naive);
    float loss = positive.loss;
    total[1] += positive.sigma;
    const float pull = positive.derivative * scores.scale * scores.share * mean;
    if (leader) {
      for (int p = 0; p < positives; ++p) coefficients[p] = pull;
    }
    for (int k = 0; k < negatives; ++k) {
      const std::int64_t row = scores.negatives[m * negatives + k];
      const float score =
          scores.scale * warp_dot(anchor, scores.rows + row * scores.width, scores.width);
      const Logistic negative = log_complement_loss(score, scores.naive);
      loss += negative.loss;
      total[2] += negative.sigma;
      if (leader) {
        coefficients[positives + k] = negative.derivative * scores.scale * scores.share;
      }
    }
    total[0] += loss;
    if (scores.d_anchors == nullptr) continue;
    __syncwarp();
    const auto row_of = [&](std::int64_t e) -> std::int64_t {
      return e < positives ? max(scores.positives[m * positives + e], 0)
                           : scores.negatives[m * negatives + (e - positives)];
    };
    combine(scores.rows, scores.width, coefficients, positives + negatives, row_of,
            scores.d_anchors + id * scores.width);
  }
  write_block_sums(total, sums);
}

__global__ void __launch_bounds__(pair_threads)
    finish_pairs(const PairScores scores, const double* sums, int blocks) {
  double total[3];
  add_block_sums(sums, blocks, total);
  if (threadIdx.x != 0) return;
  const auto seen = static_cast<double>(scores.count > 0 ? scores.count : 1);
  *scores.loss = static_cast<float>(total[0] / seen);
  *scores.positive_sigma = total[1] / seen;
  *scores.negative_sigma = total[2] / (seen * scores.negative_count);
}

__global__ void __launch_bounds__(pair_threads) score_rows(const EdgeScores scores, double* sums) {
  double total[2] = {};
  for (std::int64_t a = first_warp(); a < scores.count; a += warp_step()) {
    const std::int64_t first = scores.offsets[a];
    const std::int64_t last = scores.offsets[a + 1];
    const float* const anchor = scores.anchors + a * scores.width;
    for (std::int64_t e = first; e < last; ++e) {
      const std::int64_t row = scores.columns[e];
      const float score =
          scores.scale * warp_dot(anchor, scores.rows + row * scores.width, scores.width);
      const Logistic value = scores.positive ? log_sigmoid_loss(score, scores.naive)
                                             : log_complement_loss(score, scores.naive);
      total[0] += value.loss;
      total[1] += value.sigma;
      if (threadIdx.x % warp_lanes == 0) {
        scores.coefficients[e] = value.derivative * scores.scale * scores.share;
      }
    }
    if (scores.d_anchors == nullptr) continue;
    __syncwarp();
    const auto row_of = [&](std::int64_t e) -> std::int64_t { return scores.columns[first + e]; };
    combine(scores.rows, scores.width, scores.coefficients + first, last - first, row_of,
            scores.d_anchors + a * scores.width);
  }
  write_block_sums(total, sums);
}

__global__ void __launch_bounds__(pair_threads)
    finish_edges(const EdgeScores scores, const double* sums, int blocks) {
  double total[2];
  add_block_sums(sums, blocks, total);
  if (threadIdx.x != 0) return;
  const auto seen = static_cast<double>(scores.pairs);
  *scores.loss = static_cast<float>(total[0] / seen);
  *scores.sigma = total[1] / seen;
}

__global__ void __launch_bounds__(pair_threads)
    score_against(const DirectionScores scores, double* sums) {
  double total[1] = {};
  for (std::int64_t i = first_warp(); i < scores.count; i += warp_step()) {
    const float dot = warp_dot(scores.h + i * scores.width, scores.u, scores.width);
    const Logistic value = scores.target > 0 ? log_sigmoid_loss(dot, scores.naive)
                                             : log_complement_loss(dot, scores.naive);
    total[0] += value.loss;
    if (threadIdx.x % warp_lanes == 0) scores.coefficients[i] = value.derivative * scores.share;
  }
  write_block_sums(total, sums);
}

__global__ void __launch_bounds__(pair_threads)
    finish_direction(const DirectionScores scores, const double* sums, int blocks) {
  double total[1];
  add_block_sums(sums, blocks, total);
  if (threadIdx.x != 0) return;
  *scores.loss =
      static_cast<float>(total[0] / static_cast<double>(scores.count > 0 ? scores.count : 1));
}

constexpr int sum_lanes = 16;  // of a block, over the rows of a piece

/// A block per piece of rows and 32 groups of `Width` columns: both gradients in one pass over h.
template <int Width>
__global__ void __launch_bounds__(warp_lanes* sum_lanes)
    direction_pieces(const DirectionGradient gradient) {
  __shared__ float sums[sum_lanes][warp_lanes * Width];
  const int place = static_cast<int>(threadIdx.x) * Width;
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.y) * warp_lanes * Width + place;
  const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * kernels::rows_per_sum;
  const std::int64_t end = begin + kernels::rows_per_sum < gradient.count
                               ? begin + kernels::rows_per_sum
                               : gradient.count;
  float sum[Width] = {};
  if (column < gradient.width) {
    float u[Width];
    load<Width>(gradient.u + column, u);
#pragma unroll 4
    for (std::int64_t r = begin + threadIdx.y; r < end; r += sum_lanes) {
      const std::int64_t i = r * gradient.width + column;
      const float c = gradient.coefficients[r];
      if (gradient.sums != nullptr) {
        float h[Width];
        load<Width>(gradient.h + i, h);
#pragma unroll
        for (int l = 0; l < Width; ++l) sum[l] += c * h[l];
      }
      if (gradient.d_h != nullptr) {
        float d[Width];
#pragma unroll
        for (int l = 0; l < Width; ++l) d[l] = c * u[l];
        store<Width>(d, gradient.d_h + i);
      }
    }
  }
  if (gradient.sums == nullptr) return;
  store<Width>(sum, &sums[threadIdx.y][place]);
  __syncthreads();
  if (threadIdx.y != 0 || column >= gradient.width) return;
#pragma unroll
  for (int l = 0; l < Width; ++l) {
    float total = 0;
    for (int y = 0; y < sum_lanes; ++y) total += sums[y][place + l];
    gradient.sums[static_cast<std::int64_t>(blockIdx.x) * gradient.width + column + l] = total;
  }
}

__global__ void scale_values(const ScaledInPlace scaled) {
  const float factor = *scaled.factor;
  if (factor == 1.0F) return;
  for (std::int64_t i = first_item(); i < scaled.count; i += item_step()) {
    scaled.values[i] *= factor;
  }
}

__global__ void __launch_bounds__(pair_threads)
    measure_rows(const LengthStatistics statistics, double* sums) {
  double total[1] = {};
  for (std::int64_t i = first_warp(); i < statistics.count; i += warp_step()) {
    const float* const row = statistics.rows + i * statistics.width;
    const float length = sqrtf(warp_dot(row, row, statistics.width));
    total[0] += length;
    if (threadIdx.x % warp_lanes == 0) statistics.lengths[i] = length;
  }
  write_block_sums(total, sums);
}

constexpr int length_threads = 1024;

/// One block: the mean, then the squares of what differs from it.
__global__ void __launch_bounds__(length_threads)
    finish_lengths(const LengthStatistics statistics, const double* sums, int blocks) {
  __shared__ double shared_mean;
  double total[1];
  add_block_sums<length_threads / warp_lanes>(sums, blocks, total);
  if (threadIdx.x == 0) {
    shared_mean = statistics.count == 0 ? 0 : total[0] / static_cast<double>(statistics.count);
  }
  __syncthreads();
  const double mean = shared_mean;
  double squares = 0;
#pragma unroll 8
  for (std::int64_t i = threadIdx.x; i < statistics.count; i += length_threads) {
    const double rest = statistics.lengths[i] - mean;
    squares += rest * rest;
  }
  squares = block_sum<length_threads / warp_lanes>(squares);
  if (threadIdx.x != 0) return;
  *statistics.mean = mean;
  *statistics.variance =
      statistics.count < 2 ? 0 : squares / static_cast<double>(statistics.count - 1);
}

constexpr int turn_threads = 256;

/// Pair i of all, in the order of anchors, is with row keys[i].
template <class Item>
__global__ void list_pairs(const PairScores scores, std::int32_t* keys, Item* items) {
  const int each = scores.positive_count + scores.negative_count;
  for (std::int64_t i = first_item(); i < scores.count * each; i += item_step()) {
    const std::int64_t m = i / each;
    const int e = static_cast<int>(i % each);
    // One that is missing has a coefficient which is not a number, wherever it goes.
    keys[i] = e < scores.positive_count
                  ? max(scores.positives[m * scores.positive_count + e], 0)
                  : scores.negatives[m * scores.negative_count + (e - scores.positive_count)];
    items[i] = static_cast<Item>(i);
  }
}

template <class Item>
__global__ void put_pairs(const PairScores scores, const Item* items, const TurnedPairs turned) {
  const int each = scores.positive_count + scores.negative_count;
  for (std::int64_t t = first_item(); t < scores.count * each; t += item_step()) {
    const Item i = items[t];
    const auto m = static_cast<std::int32_t>(i / each);
    turned.anchors[t] = scores.ids == nullptr ? m : scores.ids[m];
    turned.coefficients[t] = scores.coefficients[i];
  }
}

/// A warp per anchor lists its pairs; places behind the last pair go to the end.
__global__ void list_edges(const EdgeScores scores, std::int64_t rows, std::int32_t* keys,
                           std::int64_t* items, std::int32_t* owners) {
  const std::int64_t lane = threadIdx.x % warp_lanes;
  for (std::int64_t a = first_item() / warp_lanes; a < scores.count;
       a += item_step() / warp_lanes) {
    for (std::int64_t e = scores.offsets[a] + lane; e < scores.offsets[a + 1]; e += warp_lanes) {
      keys[e] = scores.columns[e];
      items[e] = e;
      owners[e] = static_cast<std::int32_t>(a);
    }
  }
  const std::int64_t used = scores.offsets[scores.count];
  for (std::int64_t e = used + first_item(); e < scores.pairs; e += item_step()) {
    keys[e] = static_cast<std::int32_t>(rows);
    items[e] = e;
  }
}

__global__ void put_edges(const EdgeScores scores, const std::int64_t* items,
                          const std::int32_t* owners, const TurnedPairs turned) {
  const std::int64_t used = scores.offsets[scores.count];
  for (std::int64_t t = first_item(); t < used; t += item_step()) {
    turned.anchors[t] = owners[items[t]];
    turned.coefficients[t] = scores.coefficients[items[t]];
  }
}

template <class Item>
void turn_numbered(const Launch& launch, const PairScores& scores, std::int64_t pairs,
                   const TurnedPairs& turned) {
  auto* const keys = launch.scratch->array<std::int32_t>(pairs);
  auto* const items = launch.scratch->array<Item>(pairs);
  const unsigned blocks = grid_for(pairs, turn_threads);
  list_pairs<<<blocks, turn_threads, 0, stream_of(launch)>>>(scores, keys, items);
  const auto sorted = sort_pairs(launch, keys, items, pairs, bits_below(turned.rows));
  start_find_offsets(launch, sorted.keys, pairs, turned.rows, turned.offsets);
  put_pairs<<<blocks, turn_threads, 0, stream_of(launch)>>>(scores, sorted.items, turned);
  check_launch("pair_loss");
}

}  // namespace

void score_pairs(const Launch& launch, const PairScores& scores) {
  const unsigned blocks = warp_blocks(scores.count);
  auto* const sums = launch.scratch->array<double>(3LL * blocks);
  score_anchors<<<blocks, pair_threads, 0, stream_of(launch)>>>(scores, sums);
  finish_pairs<<<1, pair_threads, 0, stream_of(launch)>>>(scores, sums, static_cast<int>(blocks));
  check_launch("pair_loss");
}

void score_edges(const Launch& launch, const EdgeScores& scores) {
  const unsigned blocks = warp_blocks(scores.count);
  auto* const sums = launch.scratch->array<double>(2LL * blocks);
  score_rows<<<blocks, pair_threads, 0, stream_of(launch)>>>(scores, sums);
  finish_edges<<<1, pair_threads, 0, stream_of(launch)>>>(scores, sums, static_cast<int>(blocks));
  check_launch("edge_loss");
}

void turn_pairs(const Launch& launch, const PairScores& scores, const TurnedPairs& turned) {
  const std::int64_t pairs = scores.count * (scores.positive_count + scores.negative_count);
  if (pairs <= std::numeric_limits<std::int32_t>::max()) {
    turn_numbered<std::int32_t>(launch, scores, pairs, turned);
  } else {
    turn_numbered<std::int64_t>(launch, scores, pairs, turned);
  }
}

void turn_edges(const Launch& launch, const EdgeScores& scores, const TurnedPairs& turned) {
  auto* const keys = launch.scratch->array<std::int32_t>(scores.pairs);
  auto* const items = launch.scratch->array<std::int64_t>(scores.pairs);
  auto* const owners = launch.scratch->array<std::int32_t>(scores.pairs);
  list_edges<<<grid_for(scores.count * warp_lanes, turn_threads), turn_threads, 0,
               stream_of(launch)>>>(scores, turned.rows, keys, items, owners);
  const auto sorted = sort_pairs(launch, keys, items, scores.pairs, bits_below(turned.rows + 1));
  start_find_offsets(launch, sorted.keys, scores.pairs, turned.rows, turned.offsets);
  put_edges<<<grid_for(scores.pairs, turn_threads), turn_threads, 0, stream_of(launch)>>>(
      scores, sorted.items, owners, turned);
  check_launch("edge_loss");
}

void score_direction(const Launch& launch, const DirectionScores& scores) {
  const unsigned blocks = warp_blocks(scores.count);
  auto* const sums = launch.scratch->array<double>(blocks);
  score_against<<<blocks, pair_threads, 0, stream_of(launch)>>>(scores, sums);
  finish_direction<<<1, pair_threads, 0, stream_of(launch)>>>(scores, sums,
                                                              static_cast<int>(blocks));
  check_launch("direction_loss");
}

void direction_gradient(const Launch& launch, const DirectionGradient& gradient) {
  if (gradient.width == 0) return;
  const auto start = [&]<int Width>() {
    const dim3 grid(static_cast<unsigned>(kernels::sum_pieces(gradient.count)),
                    static_cast<unsigned>(pieces_of(gradient.width, warp_lanes * Width)));
    direction_pieces<Width><<<grid, dim3(warp_lanes, sum_lanes), 0, stream_of(launch)>>>(gradient);
  };
  gradient.width % 4 == 0 ? start.template operator()<4>() : start.template operator()<1>();
  check_launch("direction_loss");
}

void scale_in_place(const Launch& launch, const ScaledInPlace& scaled) {
  constexpr int threads = 256;
  if (scaled.count == 0) return;
  scale_values<<<grid_for(scaled.count, threads), threads, 0, stream_of(launch)>>>(scaled);
  check_launch("scaled");
}

void length_statistics(const Launch& launch, const LengthStatistics& statistics) {
  const unsigned blocks = warp_blocks(statistics.count);
  auto* const sums = launch.scratch->array<double>(blocks);
  measure_rows<<<blocks, pair_threads, 0, stream_of(launch)>>>(statistics, sums);
  finish_lengths<<<1, length_threads, 0, stream_of(launch)>>>(statistics, sums,
                                                              static_cast<int>(blocks));
  check_launch("norm_statistics");
}

}  // namespace creg::cuda
