#include "kernels/kept_best.h"

#include "kernels/cuda/common.cuh"

namespace creg::cuda {

using kernels::JudgedStep;
using kernels::KeptBest;

namespace {

/// A row of blocks per parameter. Every block finds the same answer from what stood before: what is
/// written is read by the next step alone.
__global__ void keep_where_best(const KeptBest v) {
  const double loss = v.statistics[0];
  const JudgedStep after = kernels::judged(*v.before, loss, v.always);
  if (blockIdx.x == 0 && blockIdx.y == 0) {
    if (threadIdx.x == 0) {
      v.after->lowest = after.lowest;
      v.after->slot = after.slot;
      v.after->halted = after.halted;
      if (after.halted != 0) *v.halt = nanf("");
    }
    if (threadIdx.x < v.numbers) v.after->statistics[threadIdx.x] = v.statistics[threadIdx.x];
  }
  if (blockIdx.y >= v.count || !kernels::is_kept(*v.before, loss, v.always)) return;
  const KeptBest::Parameter& one = v.parameters[blockIdx.y];
  float* const kept = one.kept[after.slot != 0 ? 1 : 0];
  for (std::int64_t i = first_item(); i < one.count; i += item_step()) kept[i] = one.value[i];
}

}  // namespace

void keep_best(const Launch& launch, const KeptBest& values) {
  constexpr int threads = 256;
  std::int64_t most = 1;
  for (int p = 0; p < values.count; ++p) {
    const std::int64_t count = values.parameters[static_cast<std::size_t>(p)].count;
    most = count > most ? count : most;
  }
  // A few items per thread: most parameters are small beside the largest.
  const dim3 grid(grid_for(pieces_of(most, 4), threads),
                  static_cast<unsigned>(values.count > 0 ? values.count : 1));
  keep_where_best<<<grid, threads, 0, stream_of(launch)>>>(values);
  check_launch("keep_best");
}

}  // namespace creg::cuda
