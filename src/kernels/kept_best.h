// After a training step: whether its parameters are the best so far, decided where the loss is, and
// a copy of them if so. The host may start many steps before it looks at one.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "core/both_devices.h"
#include "kernels/launch.h"

namespace creg::kernels {

/// What is known after a step: the statistics it is judged by, and what the next one is judged by.
struct JudgedStep {
  static constexpr int most_numbers = 16;

  double lowest = 0;  ///< loss of the steps so far
  double slot = 0;  ///< 0 or 1: where the best parameters are; the other holds what was best before
  double halted = 0;  ///< not 0: a loss was not finite, and no later step counts
  std::array<double, most_numbers> statistics = {};
};

struct KeptBest {
  /// Of one call; the same step may be judged by several calls for different parameters.
  static constexpr int most_parameters = 32;

  struct Parameter {
    std::int64_t count = 0;
    const float* value = nullptr;
    std::array<float*, 2> kept = {};  ///< by slot
  };

  std::array<Parameter, most_parameters> parameters = {};
  int count = 0;                       ///< of them
  const double* statistics = nullptr;  ///< of the step; the first is its loss
  int numbers = 0;                     ///< of these, at most JudgedStep::most_numbers
  const JudgedStep* before = nullptr;
  JudgedStep* after = nullptr;  ///< another one
  float* halt = nullptr;        ///< NaN is written there once a loss is not finite
  bool always = false;          ///< every step is the best so far
};

/// The rule: the latest of the lowest losses, or the latest of all. None once a loss was not
/// finite.
CREG_BOTH inline bool is_kept(const JudgedStep& before, double loss, bool always) {
  return before.halted == 0 && std::isfinite(loss) && (always || loss <= before.lowest);
}

/// All of `after` but the statistics.
CREG_BOTH inline JudgedStep judged(const JudgedStep& before, double loss, bool always) {
  JudgedStep after;
  const bool counts = before.halted == 0 && std::isfinite(loss);
  after.lowest = counts && loss < before.lowest ? loss : before.lowest;
  after.slot = is_kept(before, loss, always) ? 1 - before.slot : before.slot;
  after.halted = counts ? 0 : 1;
  return after;
}

}  // namespace creg::kernels

namespace creg::cpu {

void keep_best(const Launch& launch, const kernels::KeptBest& values);

}  // namespace creg::cpu

namespace creg::cuda {

void keep_best(const Launch& launch, const kernels::KeptBest& values);

}  // namespace creg::cuda
