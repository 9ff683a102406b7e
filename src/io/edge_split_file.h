// The edges that a run did not see, as JSON by node number:
//
//   {"protocol": "edge-85-5-10", "seed": 0,
//    "dataset": "cora", "nodes": 2708, "edges": 5278, "edges_crc32c": 1234567890,
//    "val": [[0, 633], …], "test": […], "val_non_edges": […], "test_non_edges": […]}
//
// Every key is required and no other is known. A pair has its smaller node first; lists ascend.
// `edges` and the checksum are those of the whole graph, so that a split cannot be taken for one of
// another graph.
#pragma once

#include <cstdint>
#include <filesystem>

#include "creg/core/context.h"
#include "creg/graph/splits.h"
#include "io/file.h"

namespace creg {

struct EdgeSplitFile {
  std::uint64_t seed = 0;
  EdgeSplit split;
};

/// The split with its training graph, made of `graph`. A file of another graph, and one that
/// check_edge_split refuses, is an input error that names the file.
EdgeSplitFile read_edge_split_file(const Context& context, const Bytes& bytes, const Graph& graph);

/// The file appears under its name only when whole. `graph` is the whole one.
void write_edge_split_file(const Context& context, const std::filesystem::path& path,
                           const Graph& graph, const EdgeSplitFile& file);

}  // namespace creg
