// The loss over all pairs of rows (ops/all_pairs_loss.h), without torch.
#pragma once

#include <cstdint>

#include "creg/core/precision.h"
#include "kernels/launch.h"

namespace creg::kernels {

struct AllPairs {
  const float* rows = nullptr;
  std::int64_t count = 0;
  std::int64_t width = 0;
  Precision precision = Precision::fp32;
  float* value = nullptr;     ///< the mean over all ordered pairs of -log sigma(-s)
  float* gradient = nullptr;  ///< of the value by the rows; null: not wanted
};

}  // namespace creg::kernels

namespace creg::cuda {

void all_pairs_apart(const Launch& launch, const kernels::AllPairs& pairs);

}  // namespace creg::cuda
