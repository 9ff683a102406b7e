#include "kernels/neighbours.h"

#include "kernels/cuda/common.cuh"
#include "kernels/cuda/row_lists.cuh"
#include "kernels/cuda/stream.cuh"

namespace creg::cuda {

using kernels::NeighbourRows;

namespace {

constexpr float infinity = __builtin_huge_valf();

/// Whether an entry names a neighbour that no entry before it does.
__device__ inline bool is_neighbour(const NeighbourRows& rows, std::int64_t r,
                                    std::int64_t row_first, std::int64_t e) {
  const std::int32_t column = rows.columns[e];
  return column != r && (e == row_first || rows.columns[e - 1] != column);
}

__global__ void __launch_bounds__(list_threads)
    count_neighbours(const NeighbourRows rows, std::int64_t* counts) {
  for (std::int64_t r = first_warp_row(); r < rows.rows; r += warp_row_step()) {
    const std::int64_t first = rows.offsets[r];
    const std::int64_t count = list_row(
        first, rows.offsets[r + 1], [&](std::int64_t e) { return is_neighbour(rows, r, first, e); },
        [](std::int64_t, bool, std::int64_t) {});
    if (lane_of_warp() == 0) counts[r] = count;
  }
}

/// The row that entry e is in.
__device__ inline std::int64_t row_of_entry(const NeighbourRows& rows, std::int64_t e) {
  std::int64_t low = 0;  // the last row that starts at or before e is in low..high-1
  std::int64_t high = rows.rows;
  while (high - low > 1) {
    const std::int64_t middle = (low + high) / 2;
    if (rows.offsets[middle] <= e) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/// The similarity of every neighbour of rows with more than `least` of them. Warps take 32 entries
/// each in turn, so that a row with very many holds nobody up.
__global__ void __launch_bounds__(list_threads)
    score_entries(const NeighbourRows rows, const std::int64_t* counts, std::int64_t least,
                  float* similarities) {
  const int lane = lane_of_warp();
  const std::int64_t used = rows.offsets[rows.rows];
  for (std::int64_t start = first_item() / warp_lanes * warp_lanes; start < used;
       start += item_step()) {
    const std::int64_t e = start + lane;
    std::int64_t row = 0;
    std::int64_t other = 0;
    bool wanted = false;
    if (e < used) {
      row = row_of_entry(rows, e);
      other = rows.columns[e];
      wanted = counts[row] > least && is_neighbour(rows, row, rows.offsets[row], e);
    }
    float own = 0;
    for (unsigned left = __ballot_sync(all_lanes, wanted ? 1 : 0); left != 0; left &= left - 1) {
      const int from = __ffs(static_cast<int>(left)) - 1;
      const float* const a = rows.embedding + __shfl_sync(all_lanes, row, from) * rows.width;
      const float* const b = rows.embedding + __shfl_sync(all_lanes, other, from) * rows.width;
      const float dot = warp_dot(a, b, rows.width);
      if (lane == from) own = dot;
    }
    if (!wanted) continue;
    if (rows.inverse != nullptr) own *= rows.inverse[row] * rows.inverse[other];
    similarities[e] = own;
  }
}

struct Ranked {
  float value = -infinity;
  std::int32_t index = -1;
};

/// What the warp's lanes hold of a list, best first, with `offered` put at `place` and all from
/// there on moved up by one; the last one becomes what is offered to the next lanes.
__device__ inline void put_at(int place, Ranked& own, Ranked& offered) {
  const int lane = lane_of_warp();
  const Ranked last{__shfl_sync(all_lanes, own.value, warp_lanes - 1),
                    __shfl_sync(all_lanes, own.index, warp_lanes - 1)};
  const Ranked before{__shfl_up_sync(all_lanes, own.value, 1),
                      __shfl_up_sync(all_lanes, own.index, 1)};
  if (lane > place) own = before;
  if (lane == place) own = offered;
  offered = last;
}

/// A list of at most 32, one in each lane. What is offered comes by rising index, so that of equals
/// the one that is there stays before.
struct ShortList {
  int length;
  Ranked own;

  __device__ ShortList(std::int64_t kept, float* /*values*/, std::int32_t* /*indices*/)
      : length(static_cast<int>(kept)) {}
  __device__ float worst() const { return __shfl_sync(all_lanes, own.value, length - 1); }
  __device__ void offer(Ranked offered) {
    const bool better = lane_of_warp() < length && offered.value > own.value;
    const unsigned places = __ballot_sync(all_lanes, better ? 1 : 0);
    if (places != 0) put_at(__ffs(static_cast<int>(places)) - 1, own, offered);
  }
  __device__ Ranked at(std::int64_t place) const {
    return {__shfl_sync(all_lanes, own.value, static_cast<int>(place)),
            __shfl_sync(all_lanes, own.index, static_cast<int>(place))};
  }
};

/// A list in memory: each lane has every 32nd place.
struct LongList {
  std::int64_t length;
  float* values;
  std::int32_t* indices;

  __device__ LongList(std::int64_t kept, float* all_values, std::int32_t* all_indices)
      : length(kept), values(all_values), indices(all_indices) {
    for (std::int64_t i = lane_of_warp(); i < length; i += warp_lanes) values[i] = -infinity;
    __syncwarp();
  }
  __device__ float worst() const { return values[length - 1]; }
  __device__ void offer(Ranked offered) {
    bool moving = false;
    for (std::int64_t start = 0; start < length; start += warp_lanes) {
      const std::int64_t i = start + lane_of_warp();
      Ranked own;
      if (i < length) own = {values[i], indices[i]};
      const bool better = i < length && offered.value > own.value;
      const unsigned places = __ballot_sync(all_lanes, better ? 1 : 0);
      if (!moving && places == 0) continue;
      put_at(moving ? 0 : __ffs(static_cast<int>(places)) - 1, own, offered);
      moving = true;
      if (i < length) {
        values[i] = own.value;
        indices[i] = own.index;
      }
    }
    __syncwarp();
  }
  __device__ Ranked at(std::int64_t place) const { return {values[place], indices[place]}; }
};

/// Offers all neighbours of a row to the list; whether all similarities are finite.
template <class List>
__device__ inline bool rank_row(const NeighbourRows& rows, std::int64_t r,
                                const float* similarities, List& list) {
  const std::int64_t first = rows.offsets[r];
  bool finite = true;
  list_row(
      first, rows.offsets[r + 1], [&](std::int64_t e) { return is_neighbour(rows, r, first, e); },
      [&](std::int64_t e, bool listed, std::int64_t /*before*/) {
        Ranked own;
        if (listed) own = {similarities[e], rows.columns[e]};
        finite = finite && (!listed || isfinite(own.value));
        const float worst = list.worst();
        const bool enters = listed && own.value > worst;
        for (unsigned left = __ballot_sync(all_lanes, enters ? 1 : 0); left != 0;
             left &= left - 1) {
          const int from = __ffs(static_cast<int>(left)) - 1;
          list.offer(
              {__shfl_sync(all_lanes, own.value, from), __shfl_sync(all_lanes, own.index, from)});
        }
      });
  return __all_sync(all_lanes, finite ? 1 : 0) != 0;
}

template <class List>
__device__ inline void write_ranking(const NeighbourRows& rows, std::int64_t r, std::int64_t kept,
                                     const float* similarities, float* values,
                                     std::int32_t* indices) {
  List list(kept, values, indices);
  const bool finite = rank_row(rows, r, similarities, list);
  for (std::int64_t start = 0; start < kept; start += warp_lanes) {
    const std::int64_t i = start + lane_of_warp();
    const Ranked own = list.at(i < kept ? i : kept - 1);
    if (i >= kept) continue;
    values[i] = finite ? own.value : 0.0F;
    indices[i] = finite ? own.index : -1;
  }
  for (std::int64_t i = kept + lane_of_warp(); i < rows.k; i += warp_lanes) {
    values[i] = 0;
    indices[i] = -1;
  }
}

__global__ void __launch_bounds__(list_threads)
    rank_rows(const NeighbourRows rows, const std::int64_t* counts, const float* similarities,
              float* values, std::int32_t* indices) {
  for (std::int64_t r = first_warp_row(); r < rows.rows; r += warp_row_step()) {
    const std::int64_t kept = counts[r] < rows.k ? counts[r] : rows.k;
    float* const own_values = values + r * rows.k;
    std::int32_t* const own_indices = indices + r * rows.k;
    if (kept <= warp_lanes) {
      write_ranking<ShortList>(rows, r, kept, similarities, own_values, own_indices);
    } else {
      write_ranking<LongList>(rows, r, kept, similarities, own_values, own_indices);
    }
  }
}

/// The neighbour at `place` of a row's ranking.
template <class List>
__device__ inline std::int32_t ranked_at(const NeighbourRows& rows, std::int64_t r,
                                         std::int64_t place, const float* similarities,
                                         float* values, std::int32_t* indices) {
  // What comes after it has no part.
  List list(place + 1, values, indices);
  const bool finite = rank_row(rows, r, similarities, list);
  const Ranked found = list.at(place);
  return finite ? found.index : -1;
}

/// `values` and `indices` have a place per entry, for lists of more than 32.
__global__ void __launch_bounds__(list_threads)
    draw_ranked(const NeighbourRows rows, const RandomKey key, const StepCells* cells,
                const std::int64_t* counts, const float* similarities, float* values,
                std::int32_t* indices, std::int32_t* drawn) {
  for (std::int64_t r = first_warp_row(); r < rows.rows; r += warp_row_step()) {
    const std::int64_t count = counts[r];
    const std::int64_t first = rows.offsets[r];
    std::int32_t found = -1;
    if (count > 0) {
      const std::int64_t choices = count < rows.k ? count : rows.k;
      std::int64_t choice = 0;
      if (choices > 1) {
        DeviceStream stream(key_of_row(key, cells, r), 0);
        choice =
            static_cast<std::int64_t>(uniform_below(stream, static_cast<std::uint64_t>(choices)));
      }
      if (choices == count) {
        list_row(
            first, rows.offsets[r + 1],
            [&](std::int64_t e) { return is_neighbour(rows, r, first, e); },
            [&](std::int64_t e, bool listed, std::int64_t before) {
              if (listed && before == choice) found = rows.columns[e];
            });
        // One lane has it, the others -1.
        found = warp_max(found);
      } else if (choice < warp_lanes) {
        found = ranked_at<ShortList>(rows, r, choice, similarities, nullptr, nullptr);
      } else {
        found = ranked_at<LongList>(rows, r, choice, similarities, values + first, indices + first);
      }
    }
    if (lane_of_warp() == 0) drawn[r] = found;
  }
}

__global__ void __launch_bounds__(list_threads)
    invert_norms(const float* rows, std::int64_t count, std::int64_t width, float* out) {
  for (std::int64_t r = first_warp_row(); r < count; r += warp_row_step()) {
    double sum = 0;
    for (std::int64_t j = lane_of_warp(); j < width; j += warp_lanes) {
      const double x = rows[r * width + j];
      sum += x * x;
    }
    sum = warp_sum(sum);
    const double norm = sqrt(sum);
    if (lane_of_warp() == 0) out[r] = static_cast<float>(1 / (norm < 1e-12 ? 1e-12 : norm));
  }
}

/// Similarities of rows with more than `least` neighbours, by entry; counts of all.
float* similarities_of(const Launch& launch, const NeighbourRows& rows, std::int64_t least,
                       std::int64_t* counts) {
  auto* const similarities = launch.scratch->array<float>(rows.places);
  count_neighbours<<<warp_row_blocks(rows.rows), list_threads, 0, stream_of(launch)>>>(rows,
                                                                                       counts);
  score_entries<<<grid_for(rows.places, list_threads), list_threads, 0, stream_of(launch)>>>(
      rows, counts, least, similarities);
  return similarities;
}

}  // namespace

void inverse_norms(const Launch& launch, const float* rows, std::int64_t count, std::int64_t width,
                   float* out) {
  if (count == 0) return;
  invert_norms<<<warp_row_blocks(count), list_threads, 0, stream_of(launch)>>>(rows, count, width,
                                                                               out);
  check_launch("inverse norms");
}

void rank_neighbours(const Launch& launch, const NeighbourRows& neighbours, float* values,
                     std::int32_t* indices) {
  if (neighbours.rows == 0) return;
  auto* const counts = launch.scratch->array<std::int64_t>(neighbours.rows);
  const float* const similarities = similarities_of(launch, neighbours, 0, counts);
  rank_rows<<<warp_row_blocks(neighbours.rows), list_threads, 0, stream_of(launch)>>>(
      neighbours, counts, similarities, values, indices);
  check_launch("top_k_neighbours");
}

void draw_neighbours(const Launch& launch, const NeighbourRows& neighbours, const RandomKey& key,
                     std::int32_t* drawn) {
  if (neighbours.rows == 0) return;
  auto* const counts = launch.scratch->array<std::int64_t>(neighbours.rows);
  const float* const similarities = similarities_of(launch, neighbours, neighbours.k, counts);
  // Only lists of more than 32 are in memory.
  const std::int64_t lists = neighbours.k > warp_lanes ? neighbours.places : 0;
  auto* const values = launch.scratch->array<float>(lists);
  auto* const indices = launch.scratch->array<std::int32_t>(lists);
  draw_ranked<<<warp_row_blocks(neighbours.rows), list_threads, 0, stream_of(launch)>>>(
      neighbours, key, launch.cells, counts, similarities, values, indices, drawn);
  check_launch("draw_top_neighbour");
}

}  // namespace creg::cuda
