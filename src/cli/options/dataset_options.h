// The flags by which every command takes a graph.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.h"
#include "creg/io/dataset.h"

namespace creg::cli {

struct DatasetOptions {
  std::string dataset;
  UserDatasetSpec own;
  std::string edges;
  std::string features;
  std::string labels;
  std::vector<std::string> splits;
  std::vector<std::string> transforms;
};

enum class DatasetFlags {
  all,             ///< also as a positional argument
  without_splits,  ///< --dataset alone, and --splits left for what the command means by it
};

/// The dataset by name or path, or a user's own files by --edges and its companions.
void add_dataset_options(CLI::App& command, DatasetOptions& options,
                         DatasetFlags flags = DatasetFlags::all);

Dataset open_chosen(const Context& context, const DatasetOptions& options,
                    const GlobalOptions& globals);

}  // namespace creg::cli
