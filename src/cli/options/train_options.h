// The flags that say what a run is to be.
#pragma once

#include "cli/options/dataset_options.h"
#include "creg/run/run.h"

namespace creg::cli {

/// --recipe and one flag per parameter.
void add_train_options(CLI::App& command, RunSpec& spec);
/// The flags of the parameters alone.
void add_parameter_flags(CLI::App& command, RunSpec& spec);

/// plan_run, with the data folder that the global options name.
RunPlan plan_chosen(const Context& context, RunSpec spec, const GlobalOptions& globals);
/// The same without the graph, where its sizes are known (plan_dry_run).
RunPlan plan_dry(const Context& context, RunSpec spec, const GlobalOptions& globals);

}  // namespace creg::cli
