#include "kernels/slow_copy.h"

#include "kernels/cuda/common.cuh"

namespace creg::cuda {
namespace {

constexpr int copy_threads = 256;

__global__ void keep_share_of(std::int64_t count, double given, const StepCells* cells,
                              const float* values, float* slow) {
  const double share = cells == nullptr ? given : cells->own;
  const auto kept = static_cast<float>(share);
  const auto taken = static_cast<float>(1 - share);
  for (std::int64_t i = first_item(); i < count; i += item_step()) {
    slow[i] = fmaf(taken, values[i], kept * slow[i]);
  }
}

}  // namespace

void keep_share(const Launch& launch, std::int64_t count, double share, const float* values,
                float* slow) {
  if (count == 0) return;
  keep_share_of<<<grid_for(count, copy_threads), copy_threads, 0, stream_of(launch)>>>(
      count, share, launch.cells, values, slow);
  check_launch("keep_share");
}

}  // namespace creg::cuda
