#include "contrast/device_batches.h"

#include <torch/types.h>

#include <optional>
#include <utility>

#include "contrast/batch_inputs.h"
#include "graph/build.h"
#include "ops/runtime.h"

namespace creg {

DeviceBatches::DeviceBatches(const Context& context, const Graph& graph, Settings settings)
    : context_(context),
      settings_(std::move(settings)),
      sampler_(context, graph.directed ? transpose(context, graph.adjacency) : graph.adjacency,
               settings_.sampler, settings_.residence),
      features_(context, graph.features, settings_.residence),
      stream_(context) {
  // They were copied on this thread's stream.
  wait_for_device(context);
}

GraphInputs DeviceBatches::make(std::span<const std::int32_t> seeds, std::uint64_t seed,
                                std::uint32_t step) {
  std::optional<GraphInputs> inputs;
  stream_.run([&] {
    const SampledTensors batch = sampler_.sample(seeds, seed, step);
    inputs = batch_inputs(context_, features_, batch, settings_.layers, settings_.neighbours_seen,
                          settings_.feature_scale);
  });
  return *std::move(inputs);
}

}  // namespace creg
