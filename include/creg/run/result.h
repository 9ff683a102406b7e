// What came of a run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "creg/core/context.h"
#include "creg/run/plan.h"
#include "creg/tasks/classify.h"
#include "creg/train/trainer.h"

namespace creg {

struct SeedResult {
  std::uint64_t seed = 0;
  TrainResult training;
  std::optional<ClassifyResult> classification;  ///< where there are labels
};

/// What came of a plan.
struct RunResult {
  RunPlan plan;
  std::vector<SeedResult> seeds;

  /// Of the first seed.
  const DenseMatrix& embedding() const { return seeds.front().training.embedding; }
};

/// Trains every seed, several side by side where the plan says so, and keeps them in the plan's
/// folder where it has one. A run that needs more memory than there is is an environment error
/// before anything is trained.
RunResult execute(const Context& context, const RunPlan& plan);

}  // namespace creg
