// What is asked of a run, in plain values.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "creg/methods/entry.h"

namespace creg {

/// A dataset by name or path, or a user's own files.
struct DataSpec {
  std::string dataset;  ///< a name, synthetic:NAME[@scale], or a path; empty: the embedded graph
  std::string edges;    ///< own files; the rest goes with them (creg/io/user_dataset.h)
  std::string features;
  std::string labels;
  std::vector<std::string> splits;
  bool directed = false;
  std::vector<std::string> transforms;  ///< applied after the dataset's own
  std::filesystem::path data_dir;       ///< of the named datasets; empty: $CREG_DATA or the cache
};

/// Which nodes are for pretraining and which for fine-tuning.
struct PartsSpec {
  std::string parts;  ///< by-number, stored-train, or a split file; empty: as the dataset has it
  double share = 0;   ///< of by-number; 0: the default
};

/// Settings of a run by their keys (docs/parameters.md): {{"method", "ml"}, {"lr", "0.01"}}.
using Settings = std::map<std::string, std::string>;

struct RunSpec {
  DataSpec data;
  std::string recipe;  ///< a file, "none", or empty: the shipped one of this method and dataset
  Settings settings;   ///< on top of the recipe
  /// A program's own method; taken where the settings name it.
  std::shared_ptr<const MethodEntry> added;
  /// 0: the Context's seed alone; else the seeds 0 … seeds-1, each with a folder of its own.
  int seeds = 0;
  std::filesystem::path out;                ///< the folder of the run; empty: nothing is written
  std::optional<std::uint64_t> edge_split;  ///< train on the training edges of this split alone
  std::optional<PartsSpec> pretrain;        ///< train on the part of the graph for pretraining
  bool evaluate = true;                     ///< where there are labels
  int eval_splits = 0;                      ///< 0: the protocol's own number
  int calibrate = 0;  ///< epochs between two looks at the calibration; 0: none
};

}  // namespace creg
