// Batches that a GPU draws, and gathers the features of, beside what it computes meanwhile.
#pragma once

#include <cstdint>
#include <span>

#include "creg/contrast/epoch_pass.h"
#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "ops/sampled_tensors.h"
#include "ops/side_stream.h"

namespace creg {

class DeviceBatches {
 public:
  struct Settings {
    SamplerOptions sampler;
    int layers = 1;
    bool neighbours_seen = false;
    Residence residence = Residence::device;
    double feature_scale = 1;
  };

  /// `graph` has features. Copies what it needs of it to where it stays.
  DeviceBatches(const Context& context, const Graph& graph, Settings settings);

  /// The inputs that contrast/batch_inputs.h makes of the host's batch. From one thread at a time,
  /// on a stream of its own; done when it returns.
  GraphInputs make(std::span<const std::int32_t> seeds, std::uint64_t seed, std::uint32_t step);

 private:
  Context context_;
  Settings settings_;
  DeviceSampler sampler_;
  ResidentFeatures features_;
  SideStream stream_;
};

}  // namespace creg
