// A run by several processes, each of which has a part of the graph (io/partition_folder.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "creg/core/context.h"
#include "creg/run/run.h"
#include "io/partition_folder.h"
#include "train/part_traffic.h"

namespace creg {

class Communicator;

/// Whether the dataset is the folder of a graph in parts.
bool is_in_parts(const std::string& dataset);

/// What one rank is about to do.
struct PartRunPlan {
  RunPlan plan;  ///< its graph is the rank's part
  StoredPart stored;
};

/// As plan_run, for rank `rank` of `size`. A folder with another number of parts than there are
/// ranks, and what ranks with a part each cannot do, are input errors.
PartRunPlan plan_part_run(const Context& context, const RunSpec& spec, int rank, int size);

/// The run in this folder, to be continued: on the parts it began with or, where `parts` names a
/// folder, on those there, which must be of the same graph.
PartRunPlan plan_part_resume(const Context& context, const std::filesystem::path& directory,
                             const std::string& parts, int rank, int size, bool own_threads);

/// What each rank will take and send, from the manifest alone: no part is read.
struct PartForecast {
  std::int64_t own = 0;
  std::int64_t halo = 0;
  std::int64_t memory_bytes = 0;
  PartTraffic traffic;
};
struct PartRunForecast {
  RunPlan plan;  ///< without a graph
  std::int64_t nodes = 0;
  std::int64_t entries = 0;
  std::vector<PartForecast> ranks;
};
PartRunForecast forecast_part_run(const Context& context, const RunSpec& spec);

/// Trains, on all ranks at once. Rank 0 writes the folder, with the embedding of all nodes in the
/// order of the whole graph, and evaluates it where there are labels; the result of the others has
/// their own nodes alone. Ranks that were started with other settings, parts or builds are an input
/// error on all of them.
RunResult execute_part(const Context& context, const PartRunPlan& plan, Communicator& communicator);

}  // namespace creg
