// Rows of a sparse matrix among the warps of a GPU: a warp takes a row, the whole block one that is
// long.
#pragma once

#include "kernels/cuda/common.cuh"

namespace creg::cuda {

inline constexpr int team_warps = 8;
inline constexpr int team_threads = team_warps * warp_lanes;
/// Rows with more entries are shared by all warps of a block. A fixed number, so that the order of
/// a row's sum depends on the row alone.
inline constexpr std::int64_t long_row = 64;

/// Enough blocks of team_threads for these rows.
inline unsigned team_blocks(std::int64_t rows) {
  return static_cast<unsigned>(pieces_of(rows, team_warps));
}

/// The threads that work on one row together: a warp, or all warps of a block.
template <int Warps>
struct Team {
  static constexpr int warps = Warps;
  static constexpr int threads = Warps * warp_lanes;

  __device__ static int place() { return static_cast<int>(threadIdx.x) % threads; }
  __device__ static int warp() { return place() / warp_lanes; }

  /// What one thread wrote others may read.
  __device__ static void sync() {
    if constexpr (Warps == 1) {
      __syncwarp();
    } else {
      __syncthreads();
    }
  }

  /// Of the values of all places that are equal modulo `period`, a power of 2 up to 32, and there.
  template <class Join>
  __device__ static float joined(float value, int period, const Join& join) {
    for (int distance = warp_lanes / 2; distance >= period; distance /= 2) {
      value = join(value, __shfl_xor_sync(all_lanes, value, distance));
    }
    if constexpr (Warps > 1) {
      __shared__ float parts[Warps][warp_lanes];
      const int lane = static_cast<int>(threadIdx.x) % warp_lanes;
      __syncthreads();
      parts[warp()][lane] = value;
      __syncthreads();
      value = parts[0][lane];
      for (int w = 1; w < Warps; ++w) value = join(value, parts[w][lane]);
    }
    return value;
  }

  __device__ static float sum(float value, int period) {
    return joined(value, period, [](float a, float b) { return a + b; });
  }
  __device__ static float largest(float value, int period) {
    return joined(value, period, [](float a, float b) { return fmaxf(a, b); });
  }
};

/// Calls body(team, r) for rows team_warps·blockIdx.x and on, in all threads of the team. For
/// blocks of team_threads, all of whose threads take part.
template <class Body>
__device__ inline void for_row_teams(std::int64_t rows, const std::int64_t* offsets,
                                     const Body& body) {
  const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * team_warps;
  const std::int64_t own = begin + threadIdx.x / warp_lanes;
  bool is_long = false;
  if (own < rows) {
    is_long = offsets[own + 1] - offsets[own] > long_row;
    if (!is_long) body(Team<1>(), own);
  }
  if (__syncthreads_or(is_long ? 1 : 0) == 0) return;
  for (std::int64_t r = begin; r < begin + team_warps && r < rows; ++r) {
    if (offsets[r + 1] - offsets[r] <= long_row) continue;
    body(Team<team_warps>(), r);
    __syncthreads();
  }
}

/// What a lane holds of a row of numbers: `Chunks` groups of `Width` neighbouring values, a warp's
/// groups side by side.
template <int Width, int Chunks>
struct Lane {
  static constexpr int tile = warp_lanes * Width * Chunks;
  float sum[Chunks][Width];
};

/// Sums over the entries of each row: add(first, last, column, lane) adds those of some entries to
/// what the lane holds from `column` on, finish(r, column, lane) writes a row. blockIdx.y is the
/// group of columns.
template <int Width, int Chunks, class Add, class Finish>
__device__ inline void sum_rows(std::int64_t rows, const std::int64_t* offsets, const Add& add,
                                const Finish& finish) {
  constexpr int tile = Lane<Width, Chunks>::tile;
  const int place = static_cast<int>(threadIdx.x) % warp_lanes;
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.y) * tile + place * Width;
  for_row_teams(rows, offsets, [&](auto team, std::int64_t r) {
    const std::int64_t first = offsets[r];
    const std::int64_t last = offsets[r + 1];
    Lane<Width, Chunks> lane = {};
    if constexpr (team.warps == 1) {
      add(first, last, column, lane);
      finish(r, column, lane);
    } else {
      // Each warp sums a stretch of the row, the first warp adds the stretches in order.
      __shared__ float shared[team.warps][tile];
      const std::int64_t stretch =
          pieces_of(pieces_of(last - first, team.warps), warp_lanes) * warp_lanes;
      const std::int64_t begin = first + team.warp() * stretch;
      const std::int64_t end = begin + stretch < last ? begin + stretch : last;
      if (begin < end) add(begin, end, column, lane);
#pragma unroll
      for (int c = 0; c < Chunks; ++c) {
        store<Width>(lane.sum[c], &shared[team.warp()][(c * warp_lanes + place) * Width]);
      }
      __syncthreads();
      if (team.warp() != 0) return;
      for (int w = 1; w < team.warps; ++w) {
#pragma unroll
        for (int c = 0; c < Chunks; ++c) {
          float part[Width];
          load<Width>(&shared[w][(c * warp_lanes + place) * Width], part);
#pragma unroll
          for (int l = 0; l < Width; ++l) lane.sum[c][l] += part[l];
        }
      }
      finish(r, column, lane);
    }
  });
}

}  // namespace creg::cuda
