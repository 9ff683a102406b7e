// The parts of carrying out a plan: one seed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "creg/core/context.h"
#include "creg/core/progress.h"
#include "creg/run/run.h"

namespace creg {

/// The run of the Context's seed on its threads, alone. `epochs` counts along where it is given.
SeedResult execute_one(const Context& context, const RunPlan& plan, ProgressTask* epochs = nullptr,
                       const RunListener& listener = {});

/// Refuses a plan that needs more memory than the Context's device has free.
void require_memory_for(const Context& context, const RunPlan& plan);

}  // namespace creg
