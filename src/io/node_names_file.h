// The names of an embedding's rows, one a line, in a file beside it: nodes.tsv in the folder of a
// run, EMB.npy.nodes.tsv elsewhere.
#pragma once

#include <filesystem>

#include "creg/graph/graph.h"
#include "io/file.h"

namespace creg {

/// EMB.npy.nodes.tsv.
std::filesystem::path node_names_path(const std::filesystem::path& embedding);

/// Tabs and line ends inside names become blanks. The caller commits the file.
void write_node_names(AtomicFile& file, const NodeNames& names);

/// The same, whole; nothing is written where there are no names.
void write_node_names(const std::filesystem::path& path, const NodeNames& names);

/// The file of names that goes with this embedding: EMB.npy.nodes.tsv, EMB.nodes.tsv, or nodes.tsv
/// beside the embedding.npy of a run. Empty: there is none.
std::filesystem::path find_node_names(const std::filesystem::path& embedding);

/// An input error that names both files unless every row of the embedding has a name.
NodeNames read_node_names(const Bytes& file, const std::filesystem::path& embedding,
                          std::int64_t rows);
NodeNames read_node_names(const std::filesystem::path& path, const std::filesystem::path& embedding,
                          std::int64_t rows);

}  // namespace creg
