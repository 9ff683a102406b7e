// The neighbours of nodes as a report, and those of all nodes as a file.
#pragma once

#include <filesystem>
#include <string>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/tasks/neighbours.h"
#include "io/file.h"
#include "report/document.h"

namespace creg {

/// Where lists of neighbours come from, for people.
struct NeighbourSource {
  std::string embedding;  ///< a file
  std::string graph;      ///< a name; empty: none
  NodeNames names;        ///< empty: 0 … N-1
};

/// A table per node. `body` is one field without a key, a list with an object per node: what
/// machines read is that list.
Report neighbours_report(const NeighbourLists& lists, const NeighbourSource& source,
                         const NeighbourOptions& options);

/// Rows node, rank (from 1), neighbour, score, edge (1, 0, or nothing without a graph) below a line
/// of these words: .tsv, or .csv with quotes where names need them. In a .tsv tabs and line ends
/// inside names become blanks. It appears whole or not at all.
class NeighboursFile {
 public:
  /// Any other ending is an input error.
  explicit NeighboursFile(const std::filesystem::path& path);
  void add(const Context& context, const NeighbourLists& lists, const NodeNames& names);
  void commit();

 private:
  bool commas_;
  AtomicFile file_;
};

/// What came of the neighbours of all nodes.
Report neighbours_file_report(const NeighbourSummary& summary, const NeighbourSource& source,
                              const NeighbourOptions& options, std::int64_t nodes,
                              const std::filesystem::path& out);

}  // namespace creg
