#include "kernels/random.h"

#include <cmath>

#include "kernels/cuda/common.cuh"
#include "kernels/cuda/sorted.cuh"
#include "kernels/cuda/stream.cuh"

namespace creg::cuda {

using kernels::DrawnEntries;
using kernels::DrawnRows;
using kernels::DropChances;
using kernels::UniformRange;

namespace {

constexpr int draw_threads = 256;

/// Four values of a row per thread, those of one block of its stream.
template <class Value>
__global__ void draw_words(const DrawnRows rows, const StepCells* cells, const Value value) {
  const RandomKey now = key_now(rows.key, cells);
  const std::int64_t groups = (rows.cols + 3) / 4;
  for (std::int64_t i = first_item(); i < rows.rows * groups; i += item_step()) {
    const std::int64_t row = i / groups;
    const std::int64_t column = i % groups * 4;
    const RandomKey key = key_of_row(now, row);
    const auto block =
        philox_block(philox_counter(key, static_cast<std::uint32_t>(column / 4)), philox_key(key));
    float* const out = rows.out + row * rows.cols + column;
#pragma unroll
    for (int l = 0; l < 4; ++l) {
      if (column + l < rows.cols) out[l] = value(block[l]);
    }
  }
}

template <class Value>
void start_draws(const Launch& launch, const DrawnRows& rows, const Value& value) {
  if (rows.rows * rows.cols == 0) return;
  draw_words<<<grid_for(rows.rows * ((rows.cols + 3) / 4), draw_threads), draw_threads, 0,
               stream_of(launch)>>>(rows, launch.cells, value);
  check_launch("draw");
}

struct Stretched {
  double stretch;
  double shift;
  double scale;
  __device__ float operator()(std::uint32_t word) const {
    // As on the CPU: no product is fused with a sum.
    return static_cast<float>(__dmul_rn(
        __dsub_rn(__dmul_rn(stretch, static_cast<double>(uniform_of(word))), shift), scale));
  }
};

struct Dropped {
  explicit Dropped(double rate)
      : below(static_cast<std::uint64_t>(std::ldexp(rate, 32))),
        kept(static_cast<float>(1 / (1 - rate))) {}
  __device__ float operator()(std::uint32_t word) const { return word < below ? 0.0F : kept; }
  std::uint64_t below;
  float kept;
};

__global__ void draw_normal_pairs(const DrawnRows rows, const StepCells* cells, double deviation) {
  const RandomKey now = key_now(rows.key, cells);
  const std::int64_t pairs = (rows.cols + 1) / 2;
  for (std::int64_t i = first_item(); i < rows.rows * pairs; i += item_step()) {
    const std::int64_t row = i / pairs;
    const std::int64_t pair = i % pairs;
    DeviceStream stream(key_of_row(now, row), static_cast<std::uint64_t>(4 * pair));
    const NormalPair drawn = normal_pair(stream);
    float* const out = rows.out + row * rows.cols + 2 * pair;
    out[0] = static_cast<float>(drawn.first * deviation);
    if (2 * pair + 1 < rows.cols) out[1] = static_cast<float>(drawn.second * deviation);
  }
}

__global__ void draw_entries(const DrawnEntries entries, const StepCells* cells,
                             const Dropped dropped) {
  // A warp per row: its lanes take the blocks of the row's stream in turn.
  const std::int64_t lane = threadIdx.x % warp_lanes;
  const RandomKey now = key_now(entries.key, cells);
  for (std::int64_t r = first_item() / warp_lanes; r < entries.rows;
       r += item_step() / warp_lanes) {
    const std::int64_t first = entries.offsets[r];
    const std::int64_t count = entries.offsets[r + 1] - first;
    const RandomKey key = key_of_row(now, r);
    for (std::int64_t b = lane; 4 * b < count; b += warp_lanes) {
      const auto block =
          philox_block(philox_counter(key, static_cast<std::uint32_t>(b)), philox_key(key));
#pragma unroll
      for (int l = 0; l < 4; ++l) {
        if (4 * b + l < count) entries.out[first + 4 * b + l] = dropped(block[l]);
      }
    }
  }
}

__global__ void draw_kept_items(const RandomKey given, const StepCells* cells,
                                const DropChances chances, float* out) {
  const RandomKey key = key_now(given, cells);
  for (std::int64_t b = first_item(); 4 * b < chances.count; b += item_step()) {
    const auto block =
        philox_block(philox_counter(key, static_cast<std::uint32_t>(b)), philox_key(key));
#pragma unroll
    for (int l = 0; l < 4; ++l) {
      const std::int64_t i = 4 * b + l;
      if (i >= chances.count) break;
      const double chance = chances.own == nullptr ? chances.shared : chances.own[i];
      out[i] = uniform_of(block[l]) < chance ? 0.0F : 1.0F;
    }
  }
}

__device__ inline std::uint32_t word_at(const RandomKey& key, std::int64_t word) {
  DeviceStream stream(key, static_cast<std::uint64_t>(word));
  return stream();
}

/// taken[w] = whether word w of the stream becomes a number.
__global__ void judge_words(const RandomKey given, const StepCells* cells, std::uint32_t bound,
                            std::int64_t words, std::int64_t* taken) {
  const RandomKey key = key_now(given, cells);
  const std::uint32_t threshold = rejected_below(bound);
  for (std::int64_t w = first_item(); w < words; w += item_step()) {
    const std::uint64_t product = static_cast<std::uint64_t>(word_at(key, w)) * bound;
    taken[w] = static_cast<std::uint32_t>(product) >= threshold ? 1 : 0;
  }
}

/// places[w] = how many words up to w are taken. Number i is made of the i-th word taken.
__global__ void place_numbers(const RandomKey given, const StepCells* cells, std::uint32_t bound,
                              std::int64_t words, const std::int64_t* places, std::int64_t count,
                              std::int64_t* out) {
  const RandomKey key = key_now(given, cells);
  for (std::int64_t w = first_item(); w < words; w += item_step()) {
    const std::int64_t place = places[w] - 1;
    if (place >= count || (w > 0 ? places[w - 1] : 0) == places[w]) continue;
    const std::uint64_t product = static_cast<std::uint64_t>(word_at(key, w)) * bound;
    out[place] = static_cast<std::int64_t>(product >> 32);
  }
}

/// One thread draws the numbers from `*drawn` on (null: all), starting at word `word`.
__global__ void draw_the_rest(const RandomKey given, const StepCells* cells, std::uint64_t bound,
                              std::int64_t word, const std::int64_t* drawn, std::int64_t count,
                              std::int64_t* out) {
  const RandomKey key = key_now(given, cells);
  const std::int64_t first = drawn == nullptr ? 0 : *drawn;
  if (first >= count) return;
  DeviceStream stream(key, static_cast<std::uint64_t>(word));
  for (std::int64_t i = first; i < count; ++i) {
    out[i] = static_cast<std::int64_t>(uniform_below(stream, bound));
  }
}

__global__ void draw_keys(const RandomKey given, const StepCells* cells, std::int64_t n,
                          std::uint64_t* keys, std::int32_t* items) {
  const RandomKey key = key_now(given, cells);
  // Two draws of 64 bits are a block.
  for (std::int64_t b = first_item(); 2 * b < n; b += item_step()) {
    const auto block =
        philox_block(philox_counter(key, static_cast<std::uint32_t>(b)), philox_key(key));
#pragma unroll
    for (int l = 0; l < 2; ++l) {
      const std::int64_t i = 2 * b + l;
      if (i >= n) break;
      keys[i] = (static_cast<std::uint64_t>(block[2 * l]) << 32) | block[2 * l + 1];
      items[i] = static_cast<std::int32_t>(i);
    }
  }
}

constexpr int counted_at_once = 4;  // by a warp

/// Few numbers: the place of each is how many come before it. A warp per counted_at_once of them.
__global__ void __launch_bounds__(draw_threads)
    place_by_counting(std::int32_t n, const std::uint64_t* keys, std::int32_t* out) {
  const auto lane = static_cast<std::int32_t>(threadIdx.x % warp_lanes);
  const auto first = static_cast<std::int32_t>(first_item() / warp_lanes) * counted_at_once;
  if (first >= n) return;
  std::uint64_t own[counted_at_once];
  std::int32_t before[counted_at_once] = {};
#pragma unroll
  for (int i = 0; i < counted_at_once; ++i) own[i] = first + i < n ? keys[first + i] : 0;
#pragma unroll 4
  for (std::int32_t j = lane; j < n; j += warp_lanes) {
    const std::uint64_t other = keys[j];
#pragma unroll
    for (int i = 0; i < counted_at_once; ++i) {
      if (other < own[i] || (other == own[i] && j < first + i)) ++before[i];
    }
  }
#pragma unroll
  for (int i = 0; i < counted_at_once; ++i) {
    const std::int32_t place = warp_sum(before[i]);
    if (lane == i && first + i < n) out[place] = first + i;
  }
}

/// Keys that are sorted by their bits from `low` on, equal ones by item: every item finds its place
/// among those it shares these bits with, which are few.
__global__ void place_sorted(std::int64_t n, int low, const std::uint64_t* keys,
                             const std::int32_t* items, std::int32_t* out) {
  for (std::int64_t i = first_item(); i < n; i += item_step()) {
    const std::uint64_t key = keys[i];
    std::int64_t place = i;
    for (std::int64_t j = i - 1; j >= 0 && keys[j] >> low == key >> low; --j) {
      if (keys[j] > key) --place;
    }
    for (std::int64_t j = i + 1; j < n && keys[j] >> low == key >> low; ++j) {
      if (keys[j] < key) ++place;
    }
    out[place] = items[i];
  }
}

}  // namespace

void draw_uniform(const Launch& launch, const DrawnRows& rows, const UniformRange& range) {
  start_draws(launch, rows,
              Stretched{range.both_signs ? 2.0 : 1.0, range.both_signs ? 1.0 : 0.0, range.scale});
}

void draw_normal(const Launch& launch, const DrawnRows& rows, double deviation) {
  if (rows.rows * rows.cols == 0) return;
  draw_normal_pairs<<<grid_for(rows.rows * ((rows.cols + 1) / 2), draw_threads), draw_threads, 0,
                      stream_of(launch)>>>(rows, launch.cells, deviation);
  check_launch("draw_normal");
}

void draw_dropout_rows(const Launch& launch, const DrawnRows& rows, double rate) {
  start_draws(launch, rows, Dropped(rate));
}

void draw_dropout_entries(const Launch& launch, const DrawnEntries& entries, double rate) {
  if (entries.rows == 0) return;
  draw_entries<<<grid_for(entries.rows * warp_lanes, draw_threads), draw_threads, 0,
                 stream_of(launch)>>>(entries, launch.cells, Dropped(rate));
  check_launch("draw_dropout");
}

void draw_kept(const Launch& launch, const RandomKey& key, const DropChances& chances, float* out) {
  if (chances.count == 0) return;
  draw_kept_items<<<grid_for((chances.count + 3) / 4, draw_threads), draw_threads, 0,
                    stream_of(launch)>>>(key, launch.cells, chances, out);
  check_launch("draw_kept");
}

// A rejected word moves all draws after it: words are judged side by side, and those that are taken
// move together.
void draw_below(const Launch& launch, const RandomKey& key, std::int64_t bound, std::int64_t count,
                std::int64_t* out) {
  if (count == 0) return;
  const cudaStream_t stream = stream_of(launch);
  if (bound > 0xffffffffLL) {
    draw_the_rest<<<1, 1, 0, stream>>>(key, launch.cells, static_cast<std::uint64_t>(bound), 0,
                                       nullptr, count, out);
    check_launch("draw_below");
    return;
  }
  const auto narrow = static_cast<std::uint32_t>(bound);
  // Twice what is rejected on average; should even that not do, one thread draws the rest.
  const double rejected = std::ldexp(static_cast<double>(rejected_below(narrow)), -32);
  const std::int64_t words =
      count + 64 +
      static_cast<std::int64_t>(2 * rejected / (1 - rejected) * static_cast<double>(count));
  auto* const places = launch.scratch->array<std::int64_t>(words);
  judge_words<<<grid_for(words, draw_threads), draw_threads, 0, stream>>>(key, launch.cells, narrow,
                                                                          words, places);
  std::size_t bytes = 0;
  check(cub::DeviceScan::InclusiveSum(nullptr, bytes, places, places, words, stream), "draw_below");
  check(cub::DeviceScan::InclusiveSum(launch.scratch->take(bytes), bytes, places, places, words,
                                      stream),
        "draw_below");
  place_numbers<<<grid_for(words, draw_threads), draw_threads, 0, stream>>>(
      key, launch.cells, narrow, words, places, count, out);
  draw_the_rest<<<1, 1, 0, stream>>>(key, launch.cells, narrow, words, places + words - 1, count,
                                     out);
  check_launch("draw_below");
}

void draw_permutation(const Launch& launch, const RandomKey& key, std::int64_t n,
                      std::int32_t* out) {
  if (n == 0) return;
  const cudaStream_t stream = stream_of(launch);
  auto* const keys = launch.scratch->array<std::uint64_t>(n);
  auto* const items = launch.scratch->array<std::int32_t>(n);
  draw_keys<<<grid_for((n + 1) / 2, draw_threads), draw_threads, 0, stream>>>(key, launch.cells, n,
                                                                              keys, items);
  // Up to here one launch that compares all costs less than those of a sort.
  constexpr std::int64_t few = 8192;
  if (n <= few) {
    const std::int64_t warps = pieces_of(n, counted_at_once);
    place_by_counting<<<static_cast<unsigned>(pieces_of(warps * warp_lanes, draw_threads)),
                        draw_threads, 0, stream>>>(static_cast<std::int32_t>(n), keys, out);
  } else {
    // So many of the highest bits that few keys share them with another.
    constexpr int digit = 8;
    const int sorted_bits = (bits_below(n) + 6 + digit - 1) / digit * digit;
    const int low = sorted_bits < 64 ? 64 - sorted_bits : 0;
    const auto sorted = sort_pairs(launch, keys, items, n, 64, low);
    place_sorted<<<grid_for(n, draw_threads), draw_threads, 0, stream>>>(n, low, sorted.keys,
                                                                         sorted.items, out);
  }
  check_launch("draw_permutation");
}

}  // namespace creg::cuda
