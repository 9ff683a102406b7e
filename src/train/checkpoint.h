// checkpoint.pt (io/checkpoint_file.h) with its tensors.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "creg/nn/parameter_list.h"
#include "io/checkpoint_file.h"
#include "io/file.h"

namespace creg {

struct Checkpoint {
  std::vector<NamedTensor> model;
  std::vector<NamedTensor> moments1;
  std::vector<NamedTensor> moments2;
  std::int64_t optimizer_steps = 0;
  std::vector<NamedTensor> best_model;
  std::vector<NamedTensor> method_state;
  std::int64_t epoch = 0;  ///< epochs done
  std::int64_t step = 0;   ///< batches done of the next one
  at::Tensor step_sums;    ///< what these batches add to the epoch's statistics; or undefined
  std::int64_t best_epoch = 0;
  std::int64_t epochs_without_gain = 0;
  double lowest_loss = 0;
  double best_score = 0;
  double ratio = 0;  ///< Contrast-Reg's weight in the next step
  double lr = 0;
  double seconds = 0;
  TextPairs config;
  TextPairs graph;  ///< what the graph was: name, nodes, edges, features, checksums
  std::string version;
};

void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);

/// A file that is none, or is damaged, is an input error that says where: nothing of it is used.
Checkpoint read_checkpoint(const std::filesystem::path& path);
Checkpoint read_checkpoint(const Bytes& file);

}  // namespace creg
