// Nodes that a user names, on the command line or in a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph.h"

namespace creg {

/// The numbers of these nodes, in their order. Without `names` they are called 0 … nodes-1. A name
/// that is none of theirs, or that several share, is an input error that names `file`, a flag or
/// file, and what comes near.
std::vector<std::int32_t> find_nodes(const Context& context, const NodeNames& names,
                                     std::int64_t nodes, std::span<const std::string> wanted,
                                     const std::string& file);

/// The names in a file of one a line, or with "-" on standard input; empty lines do not count. No
/// name at all is an input error.
std::vector<std::string> read_name_list(const Context& context, const std::filesystem::path& path);

}  // namespace creg
