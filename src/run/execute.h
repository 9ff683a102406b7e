// A plan carried out: every seed trained, kept in its folder, evaluated.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "creg/core/context.h"
#include "creg/core/progress.h"
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
};

/// Trains every seed, several side by side where the plan says so. Needs more memory than there is:
/// an environment error before anything is trained.
RunResult execute(const Context& context, const RunPlan& plan);

/// The run of the Context's seed on its threads, alone. `epochs` counts along where it is given.
SeedResult execute_one(const Context& context, const RunPlan& plan, ProgressTask* epochs = nullptr);

/// Every parameter of the configuration, by key.
nlohmann::ordered_json config_json(const TrainConfig& config);

/// result.json of one seed or of all.
nlohmann::ordered_json result_json(const RunResult& result);

}  // namespace creg
