// How large a stored graph is, told without reading it: what --dry-run shows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph_size.h"
#include "creg/io/dataset.h"
#include "io/file.h"

namespace creg {

struct StoredSize {
  std::string name;
  GraphSize graph;         ///< as training sees it, about or at most; bytes, and entries of dense
                           ///< features, are left open
  std::int64_t edges = 0;  ///< undirected ones, or what is stored
  std::vector<std::string> transforms = {};  ///< those that the files themselves ask for, by name
  bool splits = false;                       ///< it has some
  bool exact = false;                        ///< in nodes, edges and features, up to repeats
};

/// An undirected edge has two entries.
GraphSize undirected_size(std::int64_t nodes, std::int64_t edges, std::int64_t features);

/// Rows of a text, as long as its first ones are, and fields of the last of these.
struct TextSize {
  std::int64_t rows = 0;
  std::int64_t fields = 0;
};
TextSize size_of_text(const Bytes& bytes);

// Of the forms in the table of formats. All say what is wrong with what they look at: headers,
// shapes, files that are missing.
StoredSize measure_creg(const Context& context, const std::filesystem::path& path);
StoredSize measure_gnn_benchmark(const Context& context, const std::filesystem::path& path);
StoredSize measure_scipy_sparse(const Context& context, const std::filesystem::path& path);
StoredSize measure_planetoid(const Context& context, const std::filesystem::path& folder);
StoredSize measure_wiki(const Context& context, const std::filesystem::path& folder);
StoredSize measure_ogb(const Context& context, const std::filesystem::path& folder_or_zip);
StoredSize measure_reddit(const Context& context, const std::filesystem::path& folder);
StoredSize measure_wikics(const Context& context, const std::filesystem::path& path);
StoredSize measure_toml(const Context& context, const std::filesystem::path& path);
StoredSize measure_edge_list(const Context& context, const std::filesystem::path& path);

/// A user's own files. Features in an array are exact.
StoredSize measure_user_dataset(const UserDatasetSpec& spec);

}  // namespace creg
