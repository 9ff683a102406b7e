// The time of drawing the neighbourhoods that mini-batch training runs on.
#pragma once

#include <cstdint>
#include <optional>

#include "bench/measure.h"
#include "creg/graph/graph.h"
#include "graph/neighbour_sampler.h"

namespace creg {

/// Means over all batches of the run.
struct BatchSizes {
  double nodes = 0;
  double edges = 0;
};

/// Times are of one batch.
struct SampleBench {
  Measurement ours;
  BatchSizes sizes;
  std::optional<Measurement> plain;
  std::optional<BatchSizes> plain_sizes;
  std::int64_t batches = 0;  ///< in a round
};

/// Batches of a prepared graph, by the CPU's sampler: other devices are refused. Ours are drawn
/// side by side, one per thread; with `compare_plain` also by index operations on whole tensors,
/// each of which uses all threads.
SampleBench bench_sample(const Context& context, const Graph& graph, const SamplerOptions& sampler,
                         std::int64_t batch_size, const MeasureOptions& options,
                         bool compare_plain);

}  // namespace creg
