// How large a dataset is, told without reading or making its graph.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "creg/core/context.h"
#include "creg/io/dataset.h"
#include "graph/graph_size.h"

namespace creg {

struct DatasetSize {
  Dataset dataset;         ///< all but its graph, which has a name alone
  GraphSize graph;         ///< as training sees it, at most
  std::int64_t edges = 0;  ///< undirected ones, or what is stored
  bool estimated = false;  ///< nodes and edges were guessed from the sizes of files
};

/// `name` as for open_dataset. Exact for the catalogue, for generators and for .creg files; guessed
/// for edge lists and TOML. Nothing for other files: these are small, and have to be read.
std::optional<DatasetSize> dataset_size(const Context& context, const std::string& name,
                                        const std::filesystem::path& data_dir);

/// Of a user's own files. Features in an array are exact.
DatasetSize user_dataset_size(const UserDatasetSpec& spec);

}  // namespace creg
