// The sizes of a graph, where it is not there itself: what memory is estimated by.
#pragma once

#include <cstdint>

#include "creg/graph/graph.h"

namespace creg {

struct GraphSize {
  std::int64_t nodes = 0;
  std::int64_t entries = 0;  ///< of the adjacency: an undirected edge has two
  std::int64_t adjacency_bytes = 0;
  bool directed = false;
  std::int64_t features = 0;         ///< columns; 0: none
  std::int64_t feature_entries = 0;  ///< stored numbers
  bool sparse_features = false;
  std::int64_t feature_bytes = 0;
  std::int64_t classes = 0;  ///< 0 without labels
};

GraphSize size_of(const Graph& graph);

/// With the bytes that matrices of these sizes take, of edges without weights.
GraphSize with_bytes(GraphSize size);

}  // namespace creg
