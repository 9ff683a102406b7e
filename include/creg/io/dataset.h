// From what a user writes after --dataset to a graph: names, generators, paths and own files.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "creg/core/context.h"
#include "creg/core/named_enum.h"
#include "creg/graph/graph.h"

namespace creg {

// A user's own dataset: an edge list with optional features, labels and splits, named by a few
// lines of TOML or by flags:
//
//   edges = "edges.csv"            # paths are relative to the TOML file
//   features = "features.npy"      # .npy, .npz, or rows keyed by id
//   labels = "labels.csv"          # rows keyed by id, or .npy
//   splits = "split.json"          # or a list of them
//   directed = false
//   name = "mine"                  # default: the TOML file's name
//   nodes = 1000                   # only without features: ids are 0..999
//   separator = "auto"             # of the edge file: comma, tab, semicolon, space
//   header = true                  # of the edge file; default: recognised
//   transforms = ["…"]             # passed on as they are
//   allow_empty = false            # true: a file above may hold nothing
//   unknown_ids = "error"          # "drop": labels, splits and edges of unknown ids go
//
// Which nodes there are, and in which order:
//   * features as an array: its rows; ids are row numbers 0..N-1;
//   * features keyed by id: those ids, in file order; an edge or a label of another id is an error;
//   * no features but `nodes = N`, or labels as an array of N: 0..N-1;
//   * else the ids of the label file, then those of the edges. When all are integers they are
//     sorted by value, so that 0..N-1 stand for themselves.

/// Between the fields of a row. `space` means any run of blanks and tabs.
enum class Separator : char {
  automatic = 0,
  comma = ',',
  tab = '\t',
  semicolon = ';',
  space = ' ',
};

/// How an edge file is read.
struct EdgeListOptions {
  Separator separator = Separator::automatic;
  std::optional<bool> header;       ///< nothing: recognised (docs/file-formats.md)
  std::int64_t expected_edges = 0;  ///< a hint that saves memory while a gzip file is read
};

/// What becomes of ids in a file of labels or splits that the graph does not have.
enum class UnknownIds { error, drop };
template <>
struct EnumNames<UnknownIds> {
  static constexpr std::array<std::string_view, 2> names = {"error", "drop"};
};

/// What is let pass while files are read.
struct ReadOptions {
  /// A file of edges, features or labels that holds none of them; else an input error that names
  /// it.
  bool allow_empty = false;
  UnknownIds unknown_ids = UnknownIds::error;  ///< dropped ones are counted in a warning
};

/// What one of them lets pass.
constexpr ReadOptions operator|(const ReadOptions& a, const ReadOptions& b) {
  return {.allow_empty = a.allow_empty || b.allow_empty,
          .unknown_ids = a.unknown_ids == UnknownIds::drop ? a.unknown_ids : b.unknown_ids};
}

struct UserDatasetSpec {
  std::string name;
  std::filesystem::path edges;
  std::filesystem::path features;  ///< empty: none
  std::filesystem::path labels;    ///< empty: none
  std::vector<std::filesystem::path> splits;
  bool directed = false;
  std::optional<std::int64_t> nodes;
  EdgeListOptions edge_options;
  std::vector<std::string> transforms;
  ReadOptions reading;
};

struct CatalogueEntry;

/// The dataset taken when none is named: a generator, so it is inside the program.
inline constexpr std::string_view default_dataset = "synthetic:citation";

/// The format of a graph that a program made itself, and what the folder of a run on it has before
/// its name: no command can open that.
inline constexpr std::string_view memory_format = "memory";
inline constexpr std::string_view memory_prefix = "memory:";

struct Dataset {
  std::string source;  ///< where it came from: a path or the generator's name
  std::string format;
  Graph raw;                            ///< as stored: repeats, loops and all
  std::vector<std::string> transforms;  ///< what prepare_graph applies by default
  std::string protocol;                 ///< its own evaluation protocol; empty: none
  const CatalogueEntry* entry = nullptr;
};

/// `name` is a catalogue name, synthetic:NAME[@scale], or a path; empty means default_dataset.
/// Files whose checksums are the catalogue's are that dataset, with its transforms and protocol;
/// any other path has neither. A name that is nothing of these is an input error with suggestions.
Dataset open_dataset(const Context& context, const std::string& name,
                     const std::filesystem::path& data_dir, const ReadOptions& reading = {});

/// A user's own files.
Dataset open_user_dataset(const Context& context, const UserDatasetSpec& spec);

/// What training sees: the dataset's transforms, then `more` by name, then repeats and loops
/// merged, and both directions of every edge unless the graph is directed. Notes through the log
/// what was merged.
Graph prepare_graph(const Context& context, const Dataset& dataset,
                    const std::vector<std::string>& more = {});

}  // namespace creg
