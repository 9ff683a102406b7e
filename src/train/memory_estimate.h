// How much memory a run will take, before it takes any.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/memory_limits.h"
#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/graph/graph_size.h"
#include "creg/train/config.h"

namespace creg {

struct MemoryEstimate {
  std::vector<MemoryPart> parts;
  std::int64_t total = 0;
};

/// At its peak, by the arrays that are alive together; within some tenths of what is measured.
/// Of the memory of `device`.
MemoryEstimate estimate_memory(const Graph& graph, const TrainConfig& config,
                               const Device& device = {});
/// The same from sizes alone.
MemoryEstimate estimate_memory(const GraphSize& graph, const TrainConfig& config,
                               const Device& device = {});

/// Numbers that a run trains, biases and slopes left out.
std::int64_t trained_numbers(const GraphSize& graph, const TrainConfig& config);

/// Without graph and features where they may stay in the host's memory: in sampled batches on a
/// GPU, which has no room for all of it.
MemoryEstimate least_memory(MemoryEstimate estimate, const TrainConfig& config,
                            const Device& device, const MemoryLimit& available);

/// A share of what so many processes take together that map one file of the graph.
MemoryEstimate with_shared_graph(MemoryEstimate estimate, int processes);

/// What has to be free for a run of this estimate: estimates miss a quarter at most, and beside the
/// tensors there are buffers of libraries and threads. A control group forgives nothing.
std::int64_t safe_bytes(std::int64_t estimate);

/// Memory this process can still get, by all limits (core/memory_limits.h).
std::int64_t available_memory();

/// Whether `runs` of these at once are safe with what there is.
bool is_safe(const MemoryEstimate& estimate, int runs, const MemoryLimit& available);

/// An environment error with the estimate and what to change, when `runs` of these at once are not
/// safe with what there is; it names the limit. `one`: what several of them are called.
void require_memory(const MemoryEstimate& estimate, int runs, const MemoryLimit& available,
                    std::string_view one = "run");

}  // namespace creg
