// The forms in which creg reads graphs: one row each. Recognising a path, reading it, the words of
// messages and what `creg data convert` writes follow this table, so a new reader is one row in it.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/io/dataset.h"
#include "io/containers/zip.h"
#include "io/creg_file.h"
#include "io/file.h"
#include "io/formats/stored_size.h"

namespace creg {

struct StoredGraph {
  Graph graph;                          ///< as stored: repeats, loops and all
  std::vector<std::string> transforms;  ///< those that the files themselves ask for, by name
};

/// What tells that a path is of a form; null: this never does. Asked in this order, and each of the
/// forms in the order of the table.
struct FormatSigns {
  bool (*member)(std::string_view name) = nullptr;  ///< a file that stands for the folder it is in
  bool (*folder)(const std::filesystem::path& folder) = nullptr;
  bool (*bytes)(const Bytes& file) = nullptr;
  bool (*archive)(const ZipArchive& archive) = nullptr;
  bool (*text)(std::string_view start) = nullptr;  ///< the first bytes of a text, unpacked
};

/// What messages call it; empty: there is no such.
struct FormatWords {
  /// A file. Forms that share a phrase share its place {}, which their names fill.
  std::string_view file = {};
  int place = 0;                 ///< of the phrase among those of files
  std::string_view folder = {};  ///< whose files a folder holds
};

struct FormatWriter {
  std::string_view ending = {};  ///< of the names that ask for this form; empty: it is not written
  std::string_view words = {};   ///< the same for messages
  void (*write)(const Context& context, const std::filesystem::path& path, const Graph& graph,
                const CregProvenance& provenance) = nullptr;
};

struct GraphFormat {
  std::string_view name;
  FormatSigns signs;
  std::string_view file_inside = {};  ///< of a folder, what `read` takes; empty: the folder itself
  FormatWords words;
  StoredGraph (*read)(const Context& context, const std::filesystem::path& path,
                      const ReadOptions& reading) = nullptr;
  /// Its sizes without reading it.
  StoredSize (*measure)(const Context& context, const std::filesystem::path& path) = nullptr;
  FormatWriter writer = {};
};

/// All of them, in the order in which they are recognised.
std::span<const GraphFormat> graph_formats();

/// What a path may hold, for messages.
std::string known_forms();

}  // namespace creg
