// How much memory a run will take, before it takes any.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/memory_limits.h"
#include "creg/graph/graph.h"
#include "creg/graph/graph_size.h"
#include "creg/train/config.h"

namespace creg {

struct MemoryEstimate {
  std::vector<MemoryPart> parts;
  std::int64_t total = 0;
};

/// At its peak, by the arrays that are alive together; within some tenths of what is measured.
MemoryEstimate estimate_memory(const Graph& graph, const TrainConfig& config);
/// The same from sizes alone.
MemoryEstimate estimate_memory(const GraphSize& graph, const TrainConfig& config);

/// What has to be free for a run of this estimate: estimates miss a quarter at most, and beside the
/// tensors there are buffers of libraries and threads. A control group forgives nothing.
std::int64_t safe_bytes(std::int64_t estimate);

/// Memory this process can still get, by all limits (core/memory_limits.h).
std::int64_t available_memory();

/// An environment error with the estimate and what to change, when `runs` of these at once are not
/// safe with what there is; it names the limit.
void require_memory(const MemoryEstimate& estimate, int runs, const MemoryLimit& available);

}  // namespace creg
