// A sampled batch as the encoders and losses need it.
#pragma once

#include <vector>

#include "creg/contrast/epoch_pass.h"
#include "creg/contrast/options.h"
#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "graph/neighbour_sampler.h"

namespace creg {

/// How many neighbours are drawn per hop for `fanouts`, one per layer from the nodes outward. An
/// extra hop comes first and draws as many as the one after it.
std::vector<int> sampled_fanouts(const std::vector<int>& fanouts, BatchNeighbours neighbours);

/// For an encoder of `layers` layers that takes means. Without `neighbours_seen` the losses look at
/// the batch's nodes alone. `batch` was drawn with sampled_fanouts.
GraphInputs batch_inputs(const Context& context, const Graph& graph, const SampledBatch& batch,
                         int layers, bool neighbours_seen);

}  // namespace creg
