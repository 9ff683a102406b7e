// What a step on the parts of a graph adds up to: the ranks' shares, in their order, so that all of
// them go on with the same numbers.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "creg/nn/parameter_list.h"
#include "nn/part_exchange.h"

namespace creg {

/// `values` as TrainingStep has them (StepSums::means): shares of means are added up, the lengths'
/// mean and variance become those of all nodes. Returns the anchors of all ranks.
std::int64_t add_up_parts(PartExchange& part, at::Tensor& values, std::int64_t anchors);

/// The parameters' gradients become the sums over all ranks. A parameter that has none on some
/// ranks has zeros there; one that has none anywhere keeps none.
void add_up_gradients(PartExchange& part, const std::vector<NamedTensor>& parameters);

}  // namespace creg
