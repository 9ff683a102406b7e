// Some of a row's entries in their order, by one warp per row.
#pragma once

#include "kernels/cuda/common.cuh"

namespace creg::cuda {

inline constexpr int list_threads = 256;

/// Blocks of list_threads whose warps take rows in turn: first_warp_row(), and every
/// warp_row_step()th from there.
inline unsigned warp_row_blocks(std::int64_t rows) {
  return grid_for(rows * warp_lanes, list_threads);
}
__device__ inline std::int64_t first_warp_row() {
  return first_item() / warp_lanes;
}
__device__ inline std::int64_t warp_row_step() {
  return item_step() / warp_lanes;
}

__device__ inline int lane_of_warp() {
  return static_cast<int>(threadIdx.x) % warp_lanes;
}

/// Calls body(e, listed, before) for the entries first..last-1, a warp at a time and in all its
/// lanes (e may be behind the last, and then is not listed): whether keep(e), and how many of the
/// entries before are kept. Returns how many there are.
template <class Keep, class Body>
__device__ inline std::int64_t list_row(std::int64_t first, std::int64_t last, const Keep& keep,
                                        const Body& body) {
  const unsigned lanes_before = (1U << lane_of_warp()) - 1;
  std::int64_t before = 0;
  for (std::int64_t start = first; start < last; start += warp_lanes) {
    const std::int64_t e = start + lane_of_warp();
    const bool listed = e < last && keep(e);
    const unsigned all = __ballot_sync(all_lanes, listed ? 1 : 0);
    body(e, listed, before + __popc(all & lanes_before));
    before += __popc(all);
  }
  return before;
}

}  // namespace creg::cuda
