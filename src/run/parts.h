// Which nodes are for pretraining and which for fine-tuning, and the file that keeps them.
#pragma once

#include <filesystem>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/run/run.h"
#include "tasks/finetune.h"

namespace creg {

/// The parts of a prepared graph. Reddit's are those of its stored split by default, all other
/// graphs' go by number.
PretrainParts choose_parts(const Context& context, const Graph& graph, const PartsSpec& spec);

/// DIR/parts.json: a split file of what is not for pretraining.
std::filesystem::path parts_path(const std::filesystem::path& directory);
void keep_parts(const std::filesystem::path& directory, const Graph& graph,
                const PretrainParts& parts);
PretrainParts kept_parts(const Context& context, const std::filesystem::path& directory,
                         const Graph& graph);

}  // namespace creg
