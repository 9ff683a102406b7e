// Runs whose batches several ranks share.
#pragma once

#include <cstdint>

#include "creg/run/run.h"
#include "train/memory_estimate.h"

namespace creg {

/// Settles the ranks of `spec` in a plan with its configuration. An input error where they have
/// nothing to share, or not enough of it for each.
void take_ranks(RunPlan& plan, const RunSpec& spec);

/// Whether this process is the rank that writes; true for a process alone.
bool is_first_rank(const RunPlan& plan);

/// Ranks that take their memory from that of one host; 1 for a process alone and on GPUs, of which
/// each has one.
int ranks_sharing_memory(const RunPlan& plan);

/// One rank's share of what all of them take on their host: a file that is mapped is there once.
MemoryEstimate on_this_host(const RunPlan& plan, MemoryEstimate estimate);

/// What each rank sends to the others while it trains: rank 0, which has the most batches.
struct NetworkTraffic {
  std::int64_t updates_per_epoch = 0;
  std::int64_t bytes_per_update = 0;  ///< of a full one
  std::int64_t bytes_per_epoch = 0;
  /// Each time that the embedding is made: once at the end, and where it is looked at meanwhile.
  std::int64_t bytes_of_embedding = 0;
};
NetworkTraffic traffic_of(const RunPlan& plan);

}  // namespace creg
