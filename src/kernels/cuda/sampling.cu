#include "kernels/sampling.h"

#include "kernels/cuda/common.cuh"
#include "kernels/cuda/row_lists.cuh"
#include "kernels/cuda/row_teams.cuh"
#include "kernels/cuda/sorted.cuh"
#include "kernels/cuda/stream.cuh"

namespace creg::cuda {

using kernels::GatheredEntries;
using kernels::GatheredRows;
using kernels::HopSizes;
using kernels::NewCsrRows;
using kernels::SampledHop;
using kernels::SampledRows;

namespace {

constexpr std::uint64_t none_rejected = ~std::uint64_t{0};

__global__ void put_numbers(const std::int32_t* nodes, std::int64_t count, bool forget,
                            std::int32_t* numbers) {
  for (std::int64_t i = first_item(); i < count; i += item_step()) {
    numbers[nodes[i]] = forget ? kernels::unnumbered : static_cast<std::int32_t>(i);
  }
}

void start_put_numbers(const Launch& launch, const std::int32_t* nodes, std::int64_t count,
                       bool forget, std::int32_t* numbers) {
  if (count == 0) return;
  put_numbers<<<grid_for(count, list_threads), list_threads, 0, stream_of(launch)>>>(
      nodes, count, forget, numbers);
  check_launch("numbers of sampled nodes");
}

/// Where a node's neighbours are, and how many of them.
struct GraphRow {
  std::int64_t start;
  std::int64_t degree;

  __device__ GraphRow(const SampledHop& hop, std::int64_t i) {
    const std::int32_t node = hop.nodes[i];
    start = hop.graph_offsets[node];
    degree = hop.graph_offsets[node + 1] - start;
  }
};

__device__ inline std::int64_t entries_of(const SampledHop& hop, std::int64_t degree) {
  if (hop.fanout < 0 || degree == 0) return degree;
  return hop.replace || degree > hop.fanout ? hop.fanout : degree;
}

/// Rows that keep all their neighbours draw nothing.
__device__ inline bool draws(const SampledHop& hop, std::int64_t degree, std::int64_t wanted) {
  return wanted > 0 && (hop.replace || wanted < degree);
}

__global__ void count_entries(const SampledHop hop) {
  if (first_item() == 0) {
    hop.draw_starts[0] = 0;
    if (hop.first == 0) hop.offsets[0] = 0;
  }
  for (std::int64_t i = hop.first + first_item(); i < hop.last; i += item_step()) {
    const std::int64_t degree = GraphRow(hop, i).degree;
    const std::int64_t wanted = entries_of(hop, degree);
    hop.offsets[i + 1] = wanted;
    hop.draw_starts[i - hop.first + 1] = draws(hop, degree, wanted) ? wanted : 0;
  }
}

/// A row that took more words than it has draws, and how many more: the least is the first row.
__device__ inline std::uint64_t rejection(std::int64_t row, std::uint32_t more) {
  return (static_cast<std::uint64_t>(row) << 32) | more;
}

/// The entries of row i by one warp, all of whose lanes draw the same numbers. Returns how many
/// words were taken. Floyd's subset, as the sampler of the CPU has it: a draw that was drawn before
/// stands for the largest position that it could have been. `positions` has those that are no
/// longer in the lanes' registers.
__device__ inline std::uint32_t draw_row(const SampledHop& hop, const RandomKey& key,
                                         std::uint64_t word, const GraphRow& row,
                                         std::int64_t start, std::int64_t wanted,
                                         std::uint32_t* positions) {
  CountedStream stream(key, word);
  const int lane = lane_of_warp();
  std::uint32_t mine = 0;
  for (std::int64_t group = 0; group < wanted; group += warp_lanes) {
    const int size =
        static_cast<int>(wanted - group < warp_lanes ? wanted - group : std::int64_t{warp_lanes});
    for (int k = 0; k < size; ++k) {
      const std::int64_t largest = hop.replace ? row.degree - 1 : row.degree - wanted + group + k;
      auto position = static_cast<std::uint32_t>(
          uniform_below(stream, static_cast<std::uint64_t>(largest) + 1));
      if (!hop.replace) {
        bool drawn = lane < k && mine == position;
        for (std::int64_t e = lane; e < group; e += warp_lanes) {
          drawn = drawn || positions[e] == position;
        }
        if (__any_sync(all_lanes, drawn ? 1 : 0) != 0) {
          position = static_cast<std::uint32_t>(largest);
        }
      }
      if (lane == k) mine = position;
    }
    if (lane < size) {
      hop.columns[start + group + lane] = hop.graph_columns[row.start + mine];
      // Read again by this lane alone.
      if (group + warp_lanes < wanted && positions != nullptr) {
        positions[group + lane] = mine;
      }
    }
  }
  return static_cast<std::uint32_t>(stream.taken());
}

/// Pass number `pass`: the rows behind those that earlier passes settled. rejected[q] is what pass
/// q found.
__global__ void draw_entries(const SampledHop hop, const RandomKey key, int pass,
                             std::uint32_t* positions, std::uint64_t* rejected) {
  std::int64_t settled = 0;
  std::uint64_t moved = 0;
  for (int q = 0; q < pass; ++q) {
    const std::uint64_t found = rejected[q];
    if (found == none_rejected) return;
    settled = static_cast<std::int64_t>(found >> 32) + 1;
    moved += found & 0xffffffffU;
  }
  const std::int64_t rows = hop.last - hop.first;
  for (std::int64_t r = settled + first_warp_row(); r < rows; r += warp_row_step()) {
    const std::int64_t begin = hop.draw_starts[r];
    const std::int64_t count = hop.draw_starts[r + 1] - begin;
    if (count == 0) continue;
    const GraphRow row(hop, hop.first + r);
    const std::int64_t start = hop.offsets[hop.first + r];
    std::uint32_t* const own =
        positions == nullptr ? nullptr : positions + (start - hop.offsets[hop.first]);
    const std::uint32_t taken =
        draw_row(hop, key, static_cast<std::uint64_t>(begin) + moved, row, start, count, own);
    const auto more = taken - static_cast<std::uint32_t>(count);
    if (more > 0 && lane_of_warp() == 0) {
      atomicMin(reinterpret_cast<unsigned long long*>(rejected + pass),
                static_cast<unsigned long long>(rejection(r, more)));
    }
  }
}

/// The rows that keep all their neighbours.
__global__ void __launch_bounds__(team_threads) copy_entries(const SampledHop hop) {
  for_row_teams(hop.last - hop.first, hop.offsets + hop.first, [&](auto team, std::int64_t r) {
    if (hop.draw_starts[r + 1] > hop.draw_starts[r]) return;
    const std::int64_t start = hop.offsets[hop.first + r];
    const std::int64_t count = hop.offsets[hop.first + r + 1] - start;
    const std::int32_t* const from = hop.graph_columns + GraphRow(hop, hop.first + r).start;
    for (std::int64_t k = team.place(); k < count; k += team.threads) {
      hop.columns[start + k] = from[k];
    }
  });
}

// Each entry of a node that has no number yet offers known + its place, which is more than any
// number: the least is where the node was met first.

__global__ void offer_places(const SampledHop hop, std::int64_t known) {
  const std::int64_t begin = hop.offsets[hop.first];
  const std::int64_t count = hop.offsets[hop.last] - begin;
  for (std::int64_t e = first_item(); e < count; e += item_step()) {
    atomicMin(hop.numbers + hop.columns[begin + e], static_cast<std::int32_t>(known + e));
  }
}

__global__ void mark_first(const SampledHop hop, std::int64_t known, std::int32_t* sums) {
  const std::int64_t begin = hop.offsets[hop.first];
  const std::int64_t count = hop.offsets[hop.last] - begin;
  for (std::int64_t e = first_item(); e < hop.places; e += item_step()) {
    const bool first = e < count && hop.numbers[hop.columns[begin + e]] == known + e;
    sums[e] = first ? 1 : 0;
  }
}

__global__ void number_first(const SampledHop hop, std::int64_t known, const std::int32_t* sums) {
  const std::int64_t begin = hop.offsets[hop.first];
  const std::int64_t count = hop.offsets[hop.last] - begin;
  for (std::int64_t e = first_item(); e < count; e += item_step()) {
    const std::int32_t before = e == 0 ? 0 : sums[e - 1];
    if (sums[e] == before) continue;
    const std::int32_t node = hop.columns[begin + e];
    const auto number = static_cast<std::int32_t>(known + before);
    hop.nodes[number] = node;
    hop.numbers[node] = number;
  }
}

__global__ void rename_columns(const SampledHop hop, std::int64_t known, const std::int32_t* sums,
                               const std::uint64_t* last_rejected, HopSizes* sizes) {
  const std::int64_t begin = hop.offsets[hop.first];
  const std::int64_t end = hop.offsets[hop.last];
  for (std::int64_t e = begin + first_item(); e < end; e += item_step()) {
    hop.columns[e] = hop.numbers[hop.columns[e]];
  }
  if (first_item() != 0) return;
  *sizes = {.entries = end,
            .found = known + sums[hop.places - 1],
            .unsettled = *last_rejected == none_rejected ? 0 : 1};
}

struct RowEntries {
  std::int64_t first;
  std::int64_t last;

  __device__ RowEntries(const SampledRows& rows, std::int64_t r)
      : first(r < rows.drawn ? rows.offsets[r] : 0),
        last(r < rows.drawn ? rows.offsets[r + 1] : 0) {}
};

__global__ void count_mean_rows(const SampledRows rows, std::int64_t* counts) {
  if (first_item() == 0) counts[0] = 0;
  for (std::int64_t r = first_warp_row(); r < rows.rows; r += warp_row_step()) {
    const RowEntries entries(rows, r);
    const std::int64_t count = list_row(
        entries.first, entries.last, [&](std::int64_t e) { return rows.columns[e] < rows.cols; },
        [](std::int64_t, bool, std::int64_t) {});
    if (lane_of_warp() == 0) counts[r + 1] = count + 1;
  }
}

__global__ void put_mean_rows(const SampledRows rows, const NewCsrRows out) {
  for (std::int64_t r = first_warp_row(); r < rows.rows; r += warp_row_step()) {
    const RowEntries entries(rows, r);
    const std::int64_t start = out.offsets[r];
    const float value = 1.0F / static_cast<float>(out.offsets[r + 1] - start);
    if (lane_of_warp() == 0) {
      out.columns[start] = static_cast<std::int32_t>(r);
      out.values[start] = value;
    }
    list_row(
        entries.first, entries.last, [&](std::int64_t e) { return rows.columns[e] < rows.cols; },
        [&](std::int64_t e, bool listed, std::int64_t before) {
          if (!listed) return;
          out.columns[start + 1 + before] = rows.columns[e];
          out.values[start + 1 + before] = value;
        });
  }
}

/// Neighbouring threads read neighbouring values of a row.
template <int Width>
__global__ void copy_rows(const GatheredRows gathered, float* out) {
  const std::int64_t pieces = gathered.width / Width;
  const std::int64_t all = gathered.rows * pieces;
  for (std::int64_t i = first_item(); i < all; i += item_step()) {
    const std::int64_t row = i / pieces;
    const std::int64_t piece = i - row * pieces;
    float values[Width];
    load<Width>(gathered.from + gathered.nodes[row] * gathered.width + piece * Width, values);
    store<Width>(values, out + i * Width);
  }
}

template <int Width>
void start_copy_rows(const Launch& launch, const GatheredRows& gathered, float* out) {
  const std::int64_t all = gathered.rows * (gathered.width / Width);
  copy_rows<Width>
      <<<grid_for(all, list_threads), list_threads, 0, stream_of(launch)>>>(gathered, out);
  check_launch("gather_rows");
}

__global__ void count_gathered(const GatheredEntries gathered, std::int64_t* counts) {
  if (first_item() == 0) counts[0] = 0;
  for (std::int64_t r = first_item(); r < gathered.rows; r += item_step()) {
    const std::int32_t node = gathered.nodes[r];
    counts[r + 1] = gathered.offsets[node + 1] - gathered.offsets[node];
  }
}

__global__ void __launch_bounds__(team_threads)
    copy_gathered(const GatheredEntries gathered, const NewCsrRows out) {
  for_row_teams(gathered.rows, out.offsets, [&](auto team, std::int64_t r) {
    const std::int64_t start = out.offsets[r];
    const std::int64_t count = out.offsets[r + 1] - start;
    const std::int64_t from = gathered.offsets[gathered.nodes[r]];
    for (std::int64_t k = team.place(); k < count; k += team.threads) {
      out.columns[start + k] = gathered.columns[from + k];
      if (out.values != nullptr) out.values[start + k] = gathered.values[from + k];
    }
  });
}

}  // namespace

void number_seeds(const Launch& launch, const std::int32_t* nodes, std::int64_t count,
                  std::int32_t* numbers) {
  start_put_numbers(launch, nodes, count, false, numbers);
}

void forget_numbers(const Launch& launch, const std::int32_t* nodes, std::int64_t count,
                    std::int32_t* numbers) {
  start_put_numbers(launch, nodes, count, true, numbers);
}

void count_drawn(const Launch& launch, const SampledHop& hop) {
  const std::int64_t rows = hop.last - hop.first;
  count_entries<<<grid_for(rows, list_threads), list_threads, 0, stream_of(launch)>>>(hop);
  check_launch("sampled rows");
  add_up(launch, hop.offsets + hop.first, rows + 1);
  add_up(launch, hop.draw_starts, rows + 1);
}

void draw_neighbours(const Launch& launch, const SampledHop& hop, const RandomKey& key, int passes,
                     std::uint64_t* rejected) {
  const std::int64_t rows = hop.last - hop.first;
  check(cudaMemsetAsync(rejected, 0xff, static_cast<std::size_t>(passes) * sizeof(std::uint64_t),
                        stream_of(launch)),
        "sampled neighbours");
  copy_entries<<<team_blocks(rows), team_threads, 0, stream_of(launch)>>>(hop);
  check_launch("sampled neighbours");
  if (hop.fanout < 0) return;
  std::uint32_t* positions = nullptr;
  if (!hop.replace && hop.fanout > warp_lanes) {
    positions = launch.scratch->array<std::uint32_t>(hop.places);
  }
  for (int pass = 0; pass < passes; ++pass) {
    draw_entries<<<warp_row_blocks(rows), list_threads, 0, stream_of(launch)>>>(
        hop, key, pass, positions, rejected);
    check_launch("sampled neighbours");
  }
}

void number_found(const Launch& launch, const SampledHop& hop, std::int64_t known,
                  const std::uint64_t* last_rejected, HopSizes* sizes) {
  const unsigned blocks = grid_for(hop.places, list_threads);
  auto* const sums = launch.scratch->array<std::int32_t>(hop.places);
  offer_places<<<blocks, list_threads, 0, stream_of(launch)>>>(hop, known);
  mark_first<<<blocks, list_threads, 0, stream_of(launch)>>>(hop, known, sums);
  check_launch("numbers of sampled nodes");
  add_up(launch, sums, hop.places);
  number_first<<<blocks, list_threads, 0, stream_of(launch)>>>(hop, known, sums);
  rename_columns<<<blocks, list_threads, 0, stream_of(launch)>>>(hop, known, sums, last_rejected,
                                                                 sizes);
  check_launch("numbers of sampled nodes");
}

void list_mean_rows(const Launch& launch, const SampledRows& rows, const NewCsrRows& out) {
  const unsigned blocks = warp_row_blocks(rows.rows);
  count_mean_rows<<<blocks, list_threads, 0, stream_of(launch)>>>(rows, out.offsets);
  check_launch("sampled_mean");
  add_up(launch, out.offsets, rows.rows + 1);
  put_mean_rows<<<blocks, list_threads, 0, stream_of(launch)>>>(rows, out);
  check_launch("sampled_mean");
}

void gather_rows(const Launch& launch, const GatheredRows& gathered, float* out) {
  if (gathered.rows == 0 || gathered.width == 0) return;
  if (gathered.width % 4 == 0) {
    start_copy_rows<4>(launch, gathered, out);
  } else {
    start_copy_rows<1>(launch, gathered, out);
  }
}

void gather_offsets(const Launch& launch, const GatheredEntries& gathered, std::int64_t* offsets) {
  count_gathered<<<grid_for(gathered.rows, list_threads), list_threads, 0, stream_of(launch)>>>(
      gathered, offsets);
  check_launch("gather_entries");
  add_up(launch, offsets, gathered.rows + 1);
}

void gather_entries(const Launch& launch, const GatheredEntries& gathered, const NewCsrRows& out) {
  if (gathered.rows == 0) return;
  copy_gathered<<<team_blocks(gathered.rows), team_threads, 0, stream_of(launch)>>>(gathered, out);
  check_launch("gather_entries");
}

}  // namespace creg::cuda
