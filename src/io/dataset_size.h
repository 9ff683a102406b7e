// How large a dataset is, told without reading or making its graph.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "creg/core/context.h"
#include "creg/graph/graph_size.h"
#include "creg/io/dataset.h"

namespace creg {

struct DatasetSize {
  Dataset dataset;         ///< all but its graph, which has a name alone
  GraphSize graph;         ///< as training sees it, at most
  std::int64_t edges = 0;  ///< undirected ones, or what is stored
  bool estimated = false;  ///< nodes and edges were guessed, or counted with their repeats
};

/// `name` as for open_dataset. Exact for the catalogue, also where a path is known by its
/// checksums, for generators and for .creg files; else what headers and the sizes of files tell.
DatasetSize dataset_size(const Context& context, const std::string& name,
                         const std::filesystem::path& data_dir);

/// Of a user's own files. Features in an array are exact.
DatasetSize user_dataset_size(const UserDatasetSpec& spec);

}  // namespace creg
