// What a path holds, told from its content, never from its name's ending.
#pragma once

#include <filesystem>
#include <string_view>

namespace creg {

enum class PathFormat {
  creg_file,
  planetoid,      ///< a folder of ind.* files
  gnn_benchmark,  ///< an npz with adj_* and attr_* arrays
  scipy_sparse,   ///< an npz with one sparse matrix: an adjacency
  wiki_tadw,      ///< a folder with graph.txt, group.txt, tfidf.txt
  ogb,            ///< a node-property folder or its zip
  reddit,         ///< a folder with reddit_data.npz and reddit_graph.npz
  wikics,         ///< data.json or its folder
  user_dataset,   ///< TOML that names edges, features, labels
  edge_list,      ///< text, plain or gzip
};

std::string_view format_name(PathFormat format);

struct DetectedPath {
  PathFormat format = PathFormat::edge_list;
  std::filesystem::path path;  ///< what that format's reader takes: the file, or the folder
};

/// Looks at names inside folders and archives and at the first bytes of files. A path that holds
/// nothing known is an input error that says what was looked for.
DetectedPath detect_path(const std::filesystem::path& path);

}  // namespace creg
