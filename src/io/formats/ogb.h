// Node-property datasets of the Open Graph Benchmark, as a folder or as the zip they come in:
//
//   raw/num-node-list.csv.gz   the number of nodes
//   raw/num-edge-list.csv.gz   the number of edges; optional
//   raw/edge.csv.gz            source,target
//   raw/node-feat.csv.gz       the numbers of a node per row; optional
//   raw/node-label.csv.gz      a class per row, NaN for none; optional
//   split/NAME/{train,valid,test}.csv.gz   a node id per row
//
// None has a header. In the zip all of it lies below one folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/io/dataset.h"
#include "io/files/file_set.h"

namespace creg {

/// As stored: directed, every row of edge.csv an entry. Splits have the names of their folders.
/// Counts that do not match, and ids out of range, are input errors.
Graph read_ogb(const Context& context, const FileSet& files, const ReadOptions& reading = {});
Graph read_ogb(const Context& context, const std::filesystem::path& folder_or_zip,
               const ReadOptions& reading = {});

/// What the small files and the first row of features say of it.
struct OgbCounts {
  std::string name;
  std::int64_t nodes = 0;
  std::int64_t edges = 0;     ///< where no file counts them, about
  std::int64_t features = 0;  ///< columns
  bool splits = false;
};
OgbCounts read_ogb_counts(const Context& context, const FileSet& files);

}  // namespace creg
