// What an encoder, and the classifier of a method that has one, make of a graph.
#pragma once

#include <filesystem>

#include "creg/contrast/epoch_pass.h"
#include "creg/core/context.h"
#include "creg/methods/method.h"
#include "creg/train/config.h"
#include "creg/train/trainer.h"

namespace creg {

/// By one pass over the whole graph, or layer by layer where training went by batches (no inputs).
/// A classifier's scores come from `method`, where there is one.
/// The ranks of `world` share the rows of what goes layer by layer.
/// Where memory is short, rows are kept in files in `scratch`.
ModelOutput output_of(const Context& context, const Graph& graph, const GraphInputs* inputs,
                      const Encoder& encoder, Method* method, const TrainConfig& config,
                      const std::filesystem::path& scratch, Communicator* world = nullptr);

}  // namespace creg
