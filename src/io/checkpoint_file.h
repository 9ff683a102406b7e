// checkpoint.pt as it lies in a file: a plain dict of dicts of tensors, text and whole numbers,
// which torch.load opens too (with weights_only). Read without libtorch, so that nothing of a
// damaged or hostile file reaches it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "io/containers/torch_archive.h"
#include "io/file.h"

namespace creg {

using TextPairs = std::vector<std::pair<std::string, std::string>>;

struct StoredTensors {
  std::vector<std::pair<std::string, StoredTensor>> items;  ///< in the file's order
};

/// Everything in range by itself: counts are not negative, the best parameters are finite. Whether
/// it fits a model, and a run, is for those who know them.
struct CheckpointContents {
  StoredTensors model;
  StoredTensors moments1;
  StoredTensors moments2;
  std::int64_t optimizer_steps = 0;
  StoredTensors best_model;
  StoredTensors method_state;
  std::int64_t epoch = 0;
  std::int64_t step = 0;
  std::vector<double> step_sums;  ///< none where step is 0
  std::int64_t best_epoch = 0;    ///< -1: none
  std::int64_t epochs_without_gain = 0;
  double lowest_loss = 0;  ///< finite, or infinity before the first epoch
  double best_score = 0;
  double ratio = 0;
  double lr = 0;
  double seconds = 0;
  TextPairs config;
  TextPairs graph;
  std::string version;
};

/// A file that is none, is damaged, or holds what no run writes, is an input error that says where.
CheckpointContents read_checkpoint_contents(const Bytes& file);

}  // namespace creg
