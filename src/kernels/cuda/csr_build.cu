#include "kernels/csr_build.h"

#include "kernels/cuda/common.cuh"
#include "kernels/cuda/row_lists.cuh"
#include "kernels/cuda/row_teams.cuh"
#include "kernels/cuda/sorted.cuh"
#include "kernels/cuda/stream.cuh"

namespace creg::cuda {

using kernels::CsrRows;
using kernels::EntryChances;
using kernels::NewCsrRows;

namespace {

__device__ inline float value_of(const CsrRows& matrix, std::int64_t e) {
  return matrix.values == nullptr ? 1.0F : matrix.values[e];
}

/// What travels with an entry while it is sorted.
struct RowAndValue {
  std::int32_t row;
  float value;
};

__device__ inline void set_item(std::int32_t& item, std::int32_t row, const CsrRows& /*matrix*/,
                                std::int64_t /*entry*/) {
  item = row;
}
__device__ inline void set_item(RowAndValue& item, std::int32_t row, const CsrRows& matrix,
                                std::int64_t entry) {
  item = {row, matrix.values[entry]};
}

/// Entries in their order, by column; places behind the last one go to the end.
template <class Item>
__global__ void __launch_bounds__(team_threads)
    list_entries(const CsrRows matrix, std::int32_t* keys, Item* items) {
  for_row_teams(matrix.rows, matrix.offsets, [&](auto team, std::int64_t r) {
    const std::int64_t last = matrix.offsets[r + 1];
    for (std::int64_t e = matrix.offsets[r] + team.place(); e < last; e += team.threads) {
      keys[e] = matrix.columns[e];
      set_item(items[e], static_cast<std::int32_t>(r), matrix, e);
    }
  });
  const std::int64_t used = matrix.offsets[matrix.rows];
  for (std::int64_t e = used + first_item(); e < matrix.places; e += item_step()) {
    keys[e] = static_cast<std::int32_t>(matrix.cols);
    items[e] = {};
  }
}

__global__ void put_entries(const std::int64_t* used, const std::int32_t* items,
                            const NewCsrRows out) {
  for (std::int64_t t = first_item(); t < *used; t += item_step()) out.columns[t] = items[t];
}

__global__ void put_entries(const std::int64_t* used, const RowAndValue* items,
                            const NewCsrRows out) {
  for (std::int64_t t = first_item(); t < *used; t += item_step()) {
    const RowAndValue item = items[t];
    out.columns[t] = item.row;
    out.values[t] = item.value;
  }
}

template <class Item>
void transpose_by_sorting(const Launch& launch, const CsrRows& matrix, const NewCsrRows& out) {
  auto* const keys = launch.scratch->array<std::int32_t>(matrix.places);
  auto* const items = launch.scratch->array<Item>(matrix.places);
  // At least one block: a matrix of no rows may have places.
  const unsigned blocks = matrix.rows > 0 ? team_blocks(matrix.rows) : 1;
  list_entries<<<blocks, team_threads, 0, stream_of(launch)>>>(matrix, keys, items);
  check_launch("transpose");
  const auto sorted = sort_pairs(launch, keys, items, matrix.places, bits_below(matrix.cols + 1));
  start_find_offsets(launch, sorted.keys, matrix.places, matrix.cols, out.offsets);
  put_entries<<<grid_for(matrix.places, list_threads), list_threads, 0, stream_of(launch)>>>(
      out.offsets + matrix.cols, sorted.items, out);
  check_launch("transpose");
}

/// Whether an entry is the first of its column in its row.
__device__ inline bool is_first(const CsrRows& matrix, std::int64_t row_first, std::int64_t e) {
  return e == row_first || matrix.columns[e] != matrix.columns[e - 1];
}

/// counts[r + 1] = how many entries row r has with its loop.
__global__ void count_with_loops(const CsrRows matrix, SelfLoops loops, std::int64_t* counts) {
  if (first_item() == 0) counts[0] = 0;
  for (std::int64_t r = first_warp_row(); r < matrix.rows; r += warp_row_step()) {
    const std::int64_t first = matrix.offsets[r];
    bool loop = false;
    const std::int64_t distinct = list_row(
        first, matrix.offsets[r + 1], [&](std::int64_t e) { return is_first(matrix, first, e); },
        [&](std::int64_t e, bool listed, std::int64_t /*before*/) {
          loop = loop || (listed && matrix.columns[e] == r);
        });
    const bool exists = __any_sync(all_lanes, loop ? 1 : 0) != 0;
    if (lane_of_warp() != 0) continue;
    counts[r + 1] = distinct + (exists || loops == SelfLoops::as_stored ? 0 : 1);
  }
}

__global__ void put_with_loops(const CsrRows matrix, SelfLoops loops, const NewCsrRows out) {
  for (std::int64_t r = first_warp_row(); r < matrix.rows; r += warp_row_step()) {
    const std::int64_t first = matrix.offsets[r];
    const std::int64_t last = matrix.offsets[r + 1];
    const std::int64_t start = out.offsets[r];
    const auto distinct = [&](std::int64_t e) { return is_first(matrix, first, e); };
    std::int64_t below = 0;  // columns before the diagonal
    bool loop = false;
    list_row(first, last, distinct, [&](std::int64_t e, bool listed, std::int64_t /*before*/) {
      below += listed && matrix.columns[e] < r ? 1 : 0;
      loop = loop || (listed && matrix.columns[e] == r);
    });
    below = warp_sum(below);
    const bool exists = __any_sync(all_lanes, loop ? 1 : 0) != 0;
    const bool added = !exists && loops != SelfLoops::as_stored;
    if (added && lane_of_warp() == 0) {
      out.columns[start + below] = static_cast<std::int32_t>(r);
      out.values[start + below] = static_cast<float>(loop_weight(loops, false, 0));
    }
    list_row(first, last, distinct, [&](std::int64_t e, bool listed, std::int64_t before) {
      if (!listed) return;
      const std::int32_t column = matrix.columns[e];
      double sum = 0;
      for (std::int64_t i = e; i < last && matrix.columns[i] == column; ++i) {
        sum += value_of(matrix, i);
      }
      auto value = static_cast<float>(sum);
      if (column == r) value = static_cast<float>(loop_weight(loops, true, value));
      const std::int64_t place = start + before + (added && column > r ? 1 : 0);
      out.columns[place] = column;
      out.values[place] = value;
    });
  }
}

template <class Team>
__device__ inline double sum_of_row(Team team, const CsrRows& matrix, std::int64_t r) {
  double sum = 0;
  const std::int64_t last = matrix.offsets[r + 1];
  for (std::int64_t e = matrix.offsets[r] + team.place(); e < last; e += team.threads) {
    sum += value_of(matrix, e);
  }
  if constexpr (Team::warps == 1) {
    return warp_sum(sum);
  } else {
    // In the first warp only: handed on to the others.
    __shared__ double all;
    sum = block_sum<Team::warps>(sum);
    if (team.place() == 0) all = sum;
    __syncthreads();
    return all;
  }
}

__global__ void __launch_bounds__(team_threads)
    inverse_root_sums(const CsrRows matrix, double* scales) {
  for_row_teams(matrix.rows, matrix.offsets, [&](auto team, std::int64_t r) {
    const double sum = sum_of_row(team, matrix, r);
    // The root of what is negative is not a number, and so the loss will not be one.
    if (team.place() == 0) scales[r] = sum == 0 ? 0 : 1 / sqrt(sum);
  });
}

__global__ void __launch_bounds__(team_threads)
    scale_entries(const CsrRows matrix, const double* scales, float* values) {
  for_row_teams(matrix.rows, matrix.offsets, [&](auto team, std::int64_t r) {
    const double own = scales[r];
    const std::int64_t last = matrix.offsets[r + 1];
    for (std::int64_t e = matrix.offsets[r] + team.place(); e < last; e += team.threads) {
      values[e] = static_cast<float>(scales[matrix.columns[e]] * value_of(matrix, e) * own);
    }
  });
}

__global__ void __launch_bounds__(team_threads)
    divide_by_sums(const CsrRows matrix, float* values) {
  for_row_teams(matrix.rows, matrix.offsets, [&](auto team, std::int64_t r) {
    const double sum = sum_of_row(team, matrix, r);
    const std::int64_t last = matrix.offsets[r + 1];
    for (std::int64_t e = matrix.offsets[r] + team.place(); e < last; e += team.threads) {
      const float value = value_of(matrix, e);
      values[e] = sum == 0 ? value : static_cast<float>(value / sum);
    }
  });
}

/// Whether entries of a row stay; each thread makes the word that its entry needs, so that both
/// kernels below find the same.
struct Kept {
  EntryChances chances;
  RandomKey key;
  std::int64_t first;

  __device__ Kept(const EntryChances& given, const StepCells* cells, std::int64_t row,
                  std::int64_t row_first)
      : chances(given), key(key_of_row(given.key, cells, row)), first(row_first) {}
  __device__ bool operator()(std::int64_t e) const {
    DeviceStream stream(key, static_cast<std::uint64_t>(e - first));
    const double chance = chances.own == nullptr ? chances.shared : chances.own[e];
    return !(uniform_of(stream()) < chance);
  }
};

/// counts[r + 1] = how many entries of row r stay.
__global__ void count_kept(const CsrRows matrix, const EntryChances chances, const StepCells* cells,
                           std::int64_t* counts) {
  if (first_item() == 0) counts[0] = 0;
  for (std::int64_t r = first_warp_row(); r < matrix.rows; r += warp_row_step()) {
    const std::int64_t first = matrix.offsets[r];
    const std::int64_t count =
        list_row(first, matrix.offsets[r + 1], Kept(chances, cells, r, first),
                 [](std::int64_t, bool, std::int64_t) {});
    if (lane_of_warp() == 0) counts[r + 1] = count;
  }
}

__global__ void put_kept(const CsrRows matrix, const EntryChances chances, const StepCells* cells,
                         const NewCsrRows out) {
  for (std::int64_t r = first_warp_row(); r < matrix.rows; r += warp_row_step()) {
    const std::int64_t first = matrix.offsets[r];
    const std::int64_t start = out.offsets[r];
    list_row(first, matrix.offsets[r + 1], Kept(chances, cells, r, first),
             [&](std::int64_t e, bool listed, std::int64_t before) {
               if (!listed) return;
               out.columns[start + before] = matrix.columns[e];
               if (out.values != nullptr) out.values[start + before] = value_of(matrix, e);
             });
  }
}

}  // namespace

void transpose_rows(const Launch& launch, const CsrRows& matrix, const NewCsrRows& out) {
  if (matrix.places == 0) {
    check(cudaMemsetAsync(out.offsets, 0,
                          static_cast<std::size_t>(matrix.cols + 1) * sizeof(std::int64_t),
                          stream_of(launch)),
          "transpose");
  } else if (matrix.values == nullptr) {
    transpose_by_sorting<std::int32_t>(launch, matrix, out);
  } else {
    transpose_by_sorting<RowAndValue>(launch, matrix, out);
  }
}

void add_self_loops(const Launch& launch, const CsrRows& matrix, SelfLoops loops,
                    const NewCsrRows& out) {
  const unsigned blocks = warp_row_blocks(matrix.rows);
  count_with_loops<<<blocks, list_threads, 0, stream_of(launch)>>>(matrix, loops, out.offsets);
  add_up(launch, out.offsets, matrix.rows + 1);
  put_with_loops<<<blocks, list_threads, 0, stream_of(launch)>>>(matrix, loops, out);
  check_launch("with_self_loops");
}

void scale_both_ways(const Launch& launch, const CsrRows& matrix, float* values) {
  if (matrix.rows == 0) return;
  auto* const scales = launch.scratch->array<double>(matrix.rows);
  const unsigned blocks = team_blocks(matrix.rows);
  inverse_root_sums<<<blocks, team_threads, 0, stream_of(launch)>>>(matrix, scales);
  scale_entries<<<blocks, team_threads, 0, stream_of(launch)>>>(matrix, scales, values);
  check_launch("gcn_normalised");
}

void scale_rows(const Launch& launch, const CsrRows& matrix, float* values) {
  if (matrix.rows == 0) return;
  divide_by_sums<<<team_blocks(matrix.rows), team_threads, 0, stream_of(launch)>>>(matrix, values);
  check_launch("row_normalised");
}

void drop_entries(const Launch& launch, const CsrRows& matrix, const EntryChances& chances,
                  const NewCsrRows& out) {
  const unsigned blocks = warp_row_blocks(matrix.rows);
  count_kept<<<blocks, list_threads, 0, stream_of(launch)>>>(matrix, chances, launch.cells,
                                                             out.offsets);
  add_up(launch, out.offsets, matrix.rows + 1);
  put_kept<<<blocks, list_threads, 0, stream_of(launch)>>>(matrix, chances, launch.cells, out);
  check_launch("drop_edges");
}

}  // namespace creg::cuda
