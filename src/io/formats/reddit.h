// GraphSAGE's Reddit posts in DGL's form: reddit_data.npz and reddit_graph.npz.
#pragma once

#include <cstdint>
#include <filesystem>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "io/file.h"

namespace creg {

/// Arrays feature (N x d), label, node_types (1 train, 2 validation, 3 test) and, where there is
/// one, node_ids, kept as names unless they are 0..N-1; the graph is a SciPy matrix, undirected,
/// entries as stored. The split is called "public".
Graph read_reddit(const Context& context, const Bytes& data, const Bytes& graph);

/// Both files in a folder. A missing one is an input error that says where to get it.
Graph read_reddit(const Context& context, const std::filesystem::path& folder);

/// The two files of the folder; a missing one is an input error that says where to get it.
struct RedditFiles {
  Bytes data;
  Bytes graph;
};
RedditFiles open_reddit(const std::filesystem::path& folder);

}  // namespace creg
