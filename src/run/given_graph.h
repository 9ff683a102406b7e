// Plans of runs on a graph that is there already, as training is to see it.
#pragma once

#include <filesystem>

#include "creg/core/context.h"
#include "creg/run/run.h"

namespace creg {

/// The plan of `spec` on `graph`, of `dataset`: neither is opened, prepared or split.
RunPlan plan_on_graph(const Context& context, const Dataset& dataset, const Graph& graph,
                      const RunSpec& spec);

/// The run in this folder, to be continued on `graph`.
RunPlan plan_resume_on_graph(const Context& context, const std::filesystem::path& directory,
                             const Dataset& dataset, const Graph& graph, bool own_threads);

}  // namespace creg
