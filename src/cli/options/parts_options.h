// Which nodes are for pretraining and which for fine-tuning: flags, and the file that keeps them.
#pragma once

#include <filesystem>
#include <string>

#include "cli/options/dataset_options.h"
#include "tasks/finetune.h"

namespace creg::cli {

struct PartsOptions {
  std::string parts;  ///< by-number, stored-train, or a file; empty: as the dataset has it
  double share = 0;   ///< of by-number; 0: the default
};

void add_parts_options(CLI::App& command, PartsOptions& options);

/// The parts of a prepared graph. Reddit's are those of its stored split by default, all other
/// graphs' go by number.
PretrainParts choose_parts(const Context& context, const Graph& graph, const PartsOptions& options);

/// DIR/parts.json: a split file of what is not for pretraining.
std::filesystem::path parts_path(const std::filesystem::path& directory);
void keep_parts(const std::filesystem::path& directory, const Graph& graph,
                const PretrainParts& parts);
PretrainParts kept_parts(const Context& context, const std::filesystem::path& directory,
                         const Graph& graph);

}  // namespace creg::cli
