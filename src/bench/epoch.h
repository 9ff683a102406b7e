// The time of whole training epochs, and of the same epochs in plain tensor operations.
#pragma once

#include <optional>

#include "bench/measure.h"
#include "creg/graph/graph.h"
#include "creg/train/config.h"

namespace creg {

/// Of epochs that the host looks at together, as `train` does on a GPU: as many as there are to be
/// trained for every round, up to ten. On the CPU one.
int epochs_per_round(const Device& device, int epochs, const MeasureOptions& options);

struct EpochBench {
  int per_round = 1;  ///< epochs; times are of one
  Measurement ours;
  double first_loss = 0;
  std::optional<Measurement> plain;
  std::optional<double> plain_first_loss;  ///< the same but for rounding
};

/// Epochs as `train` runs them, on a prepared graph; snapshots and files are left out. Of training
/// in batches times are those of one batch. With `compare_plain` also in dense features, gathers
/// and scatters: what plain_epoch_limits allows.
EpochBench bench_epoch(const Context& context, const Graph& graph, const TrainConfig& config,
                       const MeasureOptions& options, bool compare_plain);

}  // namespace creg
