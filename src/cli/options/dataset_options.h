// The flags by which every command takes a graph.
#pragma once

#include "cli/command_line.h"
#include "creg/io/dataset.h"
#include "creg/run/run.h"

namespace creg::cli {

enum class DatasetFlags {
  all,             ///< also as a positional argument
  without_splits,  ///< --dataset alone, and --splits left for what the command means by it
};

/// The dataset by name or path, or a user's own files by --edges and its companions.
void add_dataset_options(CLI::App& command, DataSpec& data, DatasetFlags flags = DatasetFlags::all);

/// With the data folder that the global options name.
DataSpec with_data_dir(DataSpec data, const GlobalOptions& globals);

/// An input error that says how to name a dataset where none was.
void require_dataset(const DataSpec& data);

/// The dataset that was named; an input error that says how where none was. Only what is trained
/// for its own sake takes the graph inside creg unasked.
Dataset open_chosen(const Context& context, const DataSpec& data, const GlobalOptions& globals);

/// The same, or the graph inside creg.
Dataset open_chosen_or_embedded(const Context& context, const DataSpec& data,
                                const GlobalOptions& globals);

}  // namespace creg::cli
