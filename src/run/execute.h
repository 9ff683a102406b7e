// The parts of carrying out a plan: one seed, and the result in JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "creg/core/context.h"
#include "creg/core/progress.h"
#include "creg/run/result.h"

namespace creg {

/// The run of the Context's seed on its threads, alone. `epochs` counts along where it is given.
SeedResult execute_one(const Context& context, const RunPlan& plan, ProgressTask* epochs = nullptr);

/// Every parameter of the configuration, by key.
nlohmann::ordered_json config_json(const TrainConfig& config);

/// result.json of one seed or of all.
nlohmann::ordered_json result_json(const RunResult& result);

}  // namespace creg
