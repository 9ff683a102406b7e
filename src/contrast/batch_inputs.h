// A sampled batch as the encoders and losses need it.
#pragma once

#include <vector>

#include "creg/contrast/epoch_pass.h"
#include "creg/contrast/options.h"
#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "graph/neighbour_sampler.h"
#include "ops/sampled_tensors.h"

namespace creg {

/// How many neighbours are drawn per hop for `fanouts`, one per layer from the nodes outward. An
/// extra hop comes first and draws as many as the one after it.
std::vector<int> sampled_fanouts(const std::vector<int>& fanouts, BatchNeighbours neighbours);

/// For an encoder of `layers` layers that takes means. Without `neighbours_seen` the losses look at
/// the batch's nodes alone. `batch` was drawn with sampled_fanouts. Features are multiplied by
/// `feature_scale`.
GraphInputs batch_inputs(const Context& context, const Graph& graph, const SampledBatch& batch,
                         int layers, bool neighbours_seen, double feature_scale = 1);

/// Of a batch that a GPU drew, with features gathered there: the same inputs. The host waits for
/// sizes.
GraphInputs batch_inputs(const Context& context, const ResidentFeatures& features,
                         const SampledTensors& batch, int layers, bool neighbours_seen,
                         double feature_scale = 1);

/// What the inputs are made of.
std::vector<at::Tensor> tensors_of(const GraphInputs& inputs);

}  // namespace creg
