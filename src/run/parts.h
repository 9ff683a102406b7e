// Which nodes are for pretraining and which for fine-tuning, and the file that keeps them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/run/run.h"
#include "tasks/finetune.h"

namespace creg {

/// What is asked for with its defaults filled in: Reddit's parts are those of its stored split, all
/// other graphs' go by number. A file has its absolute path.
PartsSpec settle_parts(const std::string& graph, bool has_splits, PartsSpec spec);

/// How many of so many nodes are for pretraining, without the graph: exact by number, else about.
/// `spec` is settled.
std::int64_t count_pretrain(const PartsSpec& spec, std::int64_t nodes);

/// The parts of a prepared graph.
PretrainParts choose_parts(const Context& context, const Graph& graph, const PartsSpec& spec);

/// DIR/parts.json: a split file of what is not for pretraining.
std::filesystem::path parts_path(const std::filesystem::path& directory);
void keep_parts(const std::filesystem::path& directory, const Graph& graph,
                const PretrainParts& parts);
/// Where there is none an input error.
PretrainParts kept_parts(const Context& context, const std::filesystem::path& directory,
                         const Graph& graph);

}  // namespace creg
