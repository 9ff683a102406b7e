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
//
// Which nodes there are, and in which order:
//   * features as an array: its rows; ids are row numbers 0..N-1;
//   * features keyed by id: those ids, in file order; an edge or a label of another id is an error;
//   * no features but `nodes = N`, or labels as an array of N: 0..N-1;
//   * else the ids of the label file, then those of the edges. When all are integers they are
//     sorted by value, so that 0..N-1 stand for themselves.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/io/edge_list.h"
#include "creg/io/file.h"

namespace creg {

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
};

/// Paths in the result begin with `folder` unless they are absolute. Unknown keys and values of the
/// wrong type are input errors that name the line.
UserDatasetSpec parse_user_dataset(const Bytes& toml, const std::filesystem::path& folder);

/// The files as they are: every row an adjacency entry, repeats and loops kept. How many there are
/// is noticed once in the log. Splits are named after their files.
Graph read_user_dataset(const Context& context, const UserDatasetSpec& spec,
                        const std::function<Bytes(const std::filesystem::path&)>& open = map_file);

/// The graph of a bare edge file.
Graph read_edge_list_graph(const Context& context, const Bytes& bytes,
                           const EdgeListOptions& options = {}, bool directed = false);

struct RepeatCounts {
  std::int64_t repeats = 0;   ///< entries equal to another of the same row, all but one of each
  std::int64_t reverses = 0;  ///< distinct entries (u, v), u > v, whose (v, u) is there too
  std::int64_t loops = 0;     ///< entries (u, u)
};

/// Columns must ascend within rows.
RepeatCounts count_repeats(const Context& context, const CsrMatrix& adjacency);

}  // namespace creg
