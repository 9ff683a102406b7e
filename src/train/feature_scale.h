// feature_scale = "auto": the number that features are multiplied by, found before training.
//
// The scores of pairs, and the steps of Adam beside them, depend on how long embeddings are when
// training starts. Features of any size then start it alike.
#pragma once

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/train/config.h"
#include "train/part_training.h"

namespace creg {

/// The configuration with encoder.feature_scale, to three digits, where auto_feature_scale asks for
/// it: the embeddings of the encoder as it begins (of the first batch, where there are batches)
/// then have a mean length of 1. It stays 1 for encoders whose layers normalise what they see, have
/// no features or are a program's own, and where all embeddings are 0. `graph` is prepared.
TrainConfig with_feature_scale(const Context& context, const Graph& graph,
                               const TrainConfig& config);

/// The same on all ranks at once, which come to the same number.
TrainConfig with_feature_scale(const Context& context, const PartOfRun& part,
                               const TrainConfig& config);

/// The same with what a run has found before that is gone on with.
TrainConfig with_feature_scale(const Checkpoint& kept, const TrainConfig& config);

}  // namespace creg
