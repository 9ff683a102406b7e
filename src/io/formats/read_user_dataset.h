// The files of a user's own dataset (creg/io/dataset.h) as a graph.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/io/dataset.h"
#include "io/file.h"

namespace creg {

/// Paths in the result begin with `folder` unless they are absolute. Unknown keys and values of the
/// wrong type are input errors that name the line.
UserDatasetSpec parse_user_dataset(const Bytes& toml, const std::filesystem::path& folder);

/// The files as they are: every row an adjacency entry, repeats and loops kept. How many there are
/// is noticed once in the log. Splits are named after their files.
Graph read_user_dataset(const Context& context, const UserDatasetSpec& spec,
                        const std::function<Bytes(const std::filesystem::path&)>& open = map_file);

/// The graph of a bare edge file, undirected.
Graph read_edge_list_graph(const Context& context, const Bytes& bytes);

struct RepeatCounts {
  std::int64_t repeats = 0;   ///< entries equal to another of the same row, all but one of each
  std::int64_t reverses = 0;  ///< distinct entries (u, v), u > v, whose (v, u) is there too
  std::int64_t loops = 0;     ///< entries (u, u)
};

/// Columns must ascend within rows.
RepeatCounts count_repeats(const Context& context, const CsrMatrix& adjacency);

}  // namespace creg
