#include "kernels/pagerank.h"

#include "kernels/cuda/common.cuh"

namespace creg::cuda {

using kernels::PowerIteration;
using kernels::WalkChances;

namespace {

constexpr int walk_warps = 8;
constexpr int walk_threads = walk_warps * warp_lanes;
constexpr int most_walk_blocks = 132 * 8;
constexpr int judge_threads = 1024;

/// How far the iteration is. The host hears nothing of it: where it is done, the iterations that
/// are left copy.
struct Progress {
  double total = 0;  ///< of the last vector
  int done = 0;
};

/// Blocks whose warps take a row each in turn: a function of the size alone, sums depend on it.
unsigned walk_blocks(std::int64_t rows) {
  const std::int64_t blocks = pieces_of(rows, walk_warps);
  return static_cast<unsigned>(blocks < 1                  ? 1
                               : blocks < most_walk_blocks ? blocks
                                                           : most_walk_blocks);
}

__device__ inline double alpha_now(const PowerIteration& iteration, const StepCells* cells) {
  return cells == nullptr ? iteration.alpha : cells->own;
}

/// Calls body(row) for every row, in all lanes of a warp.
template <class Body>
__device__ inline void for_warp_rows(std::int64_t rows, const Body& body) {
  const std::int64_t first =
      static_cast<std::int64_t>(blockIdx.x) * walk_warps + threadIdx.x / warp_lanes;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * walk_warps;
  for (std::int64_t r = first; r < rows; r += step) body(r);
}

__global__ void start_uniform(const PowerIteration iteration, const StepCells* cells,
                              std::int64_t nodes, double* pi, Progress* progress) {
  const auto count = static_cast<double>(nodes);
  const double each = 1 / ((1 + alpha_now(iteration, cells)) * count);
  for (std::int64_t i = first_item(); i < nodes; i += item_step()) pi[i] = each;
  if (first_item() != 0) return;
  progress->total = each * count;
  progress->done = sqrt(count) * fabs(each) > iteration.tolerance ? 0 : 1;
}

/// Once more along the edges; sums[2 b] and sums[2 b + 1] are a block's sums of the new vector and
/// of the squares of what it changed.
__global__ void __launch_bounds__(walk_threads)
    walk_on(const WalkChances walk, const PowerIteration iteration, const StepCells* cells,
            const double* before, const Progress* progress, double* after, double* sums) {
  const double alpha = alpha_now(iteration, cells);
  const double teleport = alpha / static_cast<double>(walk.nodes) * progress->total;
  const bool done = progress->done != 0;
  const int lane = static_cast<int>(threadIdx.x % warp_lanes);
  double total = 0;
  double squares = 0;
  for_warp_rows(walk.nodes, [&](std::int64_t r) {
    double next = before[r];
    if (!done) {
      double sum = 0;
      for (std::int64_t e = walk.in_offsets[r] + lane; e < walk.in_offsets[r + 1];
           e += warp_lanes) {
        sum += walk.in_chances[e] * before[walk.in_nodes[e]];
      }
      next = (1 - alpha) * warp_sum(sum) + teleport;
    }
    if (lane != 0) return;
    after[r] = next;
    total += next;
    squares += (next - before[r]) * (next - before[r]);
  });
  total = block_sum<walk_warps>(total);
  squares = block_sum<walk_warps>(squares);
  if (threadIdx.x != 0) return;
  sums[2 * blockIdx.x] = total;
  sums[2 * blockIdx.x + 1] = squares;
}

/// One block: whether that was enough.
__global__ void __launch_bounds__(judge_threads)
    judge_change(const double* sums, int blocks, double tolerance, Progress* progress) {
  double total = 0;
  double squares = 0;
  for (int b = static_cast<int>(threadIdx.x); b < blocks; b += judge_threads) {
    total += sums[2 * b];
    squares += sums[2 * b + 1];
  }
  total = block_sum<judge_threads / warp_lanes>(total);
  squares = block_sum<judge_threads / warp_lanes>(squares);
  if (threadIdx.x != 0 || progress->done != 0) return;
  progress->total = total;
  progress->done = sqrt(squares) > tolerance ? 0 : 1;
}

/// One of the two terms of L at (i, j), with the PageRanks of both.
__device__ inline double term(double at, double other, double p) {
  return isnan(p) ? 0.0 : sqrt(at) * p / sqrt(other);
}

/// L before it is scaled, and its scales.
__global__ void __launch_bounds__(walk_threads)
    weigh_entries(const WalkChances walk, const double* pi, const Progress* progress,
                  double* entries, double* scales) {
  const double total = progress->total;
  const int lane = static_cast<int>(threadIdx.x % warp_lanes);
  for_warp_rows(walk.nodes, [&](std::int64_t i) {
    const double own = pi[i] / total;
    double sum = 0;
    for (std::int64_t e = walk.offsets[i] + lane; e < walk.offsets[i + 1]; e += warp_lanes) {
      const double other = pi[walk.joined[e]] / total;
      const double both = term(own, other, walk.there[e]) + term(other, own, walk.back[e]);
      entries[e] = isfinite(both) ? both / 2 : 0.0;
      sum += entries[e];
    }
    sum = warp_sum(sum);
    if (lane == 0) scales[i] = sum > 0 ? 1 / sqrt(sum) : 0.0;
  });
}

__global__ void __launch_bounds__(walk_threads)
    scale_entries(const WalkChances walk, const double* entries, const double* scales,
                  float* values) {
  const int lane = static_cast<int>(threadIdx.x % warp_lanes);
  for_warp_rows(walk.nodes, [&](std::int64_t i) {
    for (std::int64_t e = walk.offsets[i] + lane; e < walk.offsets[i + 1]; e += warp_lanes) {
      values[e] = static_cast<float>(scales[i] * entries[e] * scales[walk.joined[e]]);
    }
  });
}

}  // namespace

void pagerank_laplacian(const Launch& launch, const WalkChances& walk,
                        const PowerIteration& iteration, float* values) {
  if (walk.nodes == 0) return;
  const cudaStream_t stream = stream_of(launch);
  const unsigned blocks = walk_blocks(walk.nodes);
  auto* before = launch.scratch->array<double>(walk.nodes);
  auto* after = launch.scratch->array<double>(walk.nodes);
  auto* const sums = launch.scratch->array<double>(2LL * blocks);
  auto* const progress = launch.scratch->array<Progress>(1);
  start_uniform<<<grid_for(walk.nodes, walk_threads), walk_threads, 0, stream>>>(
      iteration, launch.cells, walk.nodes, before, progress);
  for (int i = 0; i < iteration.most; ++i) {
    walk_on<<<blocks, walk_threads, 0, stream>>>(walk, iteration, launch.cells, before, progress,
                                                 after, sums);
    judge_change<<<1, judge_threads, 0, stream>>>(sums, static_cast<int>(blocks),
                                                  iteration.tolerance, progress);
    double* const last = after;
    after = before;
    before = last;
  }
  auto* const unscaled = launch.scratch->array<double>(walk.entries);
  auto* const scales = launch.scratch->array<double>(walk.nodes);
  weigh_entries<<<blocks, walk_threads, 0, stream>>>(walk, before, progress, unscaled, scales);
  scale_entries<<<blocks, walk_threads, 0, stream>>>(walk, unscaled, scales, values);
  check_launch("pagerank_laplacian");
}

}  // namespace creg::cuda
