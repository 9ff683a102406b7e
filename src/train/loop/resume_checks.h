// Whether a run can go on from a checkpoint.
#pragma once

#include <cstdint>
#include <string>

#include "train/checkpoint.h"

namespace creg {

/// An input error naming every difference, unless the checkpoint was made on this graph by this
/// configuration and a version that writes the same checkpoints.
void check_resumable(const Checkpoint& checkpoint, const TextPairs& graph, const TextPairs& config,
                     const std::string& file);

/// The run that goes on.
struct RunLimits {
  int epochs = 0;
  std::int64_t steps_per_epoch = 1;
  std::int64_t steps_per_update = 1;
  double lr = 0;
  std::string file;  ///< the checkpoint's, for messages
};

/// How far it says it has come must be a place of that run, else an input error.
void check_progress(const Checkpoint& checkpoint, const RunLimits& run);

}  // namespace creg
