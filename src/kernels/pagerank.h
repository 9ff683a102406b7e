// DiGCL's Laplacians on a GPU. (On the CPU graph/normalise.h has them over arrays.)
#pragma once

#include <cstdint>

#include "kernels/launch.h"

namespace creg::kernels {

/// PagerankWalk (graph/normalise.h).
struct WalkChances {
  std::int64_t nodes = 0;
  std::int64_t entries = 0;  ///< of the Laplacian
  const std::int64_t* in_offsets = nullptr;
  const std::int32_t* in_nodes = nullptr;
  const double* in_chances = nullptr;
  const std::int64_t* offsets = nullptr;
  const std::int32_t* joined = nullptr;
  const double* there = nullptr;
  const double* back = nullptr;
};

/// When the power iteration ends.
struct PowerIteration {
  double alpha = 0;  ///< in a step that was recorded StepCells::own
  double tolerance = 0;
  int most = 0;
};

}  // namespace creg::kernels

namespace creg::cuda {

/// pagerank_laplacian: one value per entry.
void pagerank_laplacian(const Launch& launch, const kernels::WalkChances& walk,
                        const kernels::PowerIteration& iteration, float* values);

}  // namespace creg::cuda
