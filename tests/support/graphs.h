// Tiny graphs with names.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "creg/graph/build.h"
#include "creg/graph/graph.h"

namespace creg::test {

using Edges = std::vector<std::pair<std::int32_t, std::int32_t>>;

inline CsrMatrix csr(std::int64_t nodes, const Edges& edges,
                     const std::vector<float>& values = {}) {
  std::vector<std::int32_t> rows;
  std::vector<std::int32_t> cols;
  for (const auto& [u, v] : edges) {
    rows.push_back(u);
    cols.push_back(v);
  }
  return csr_from_entries(Context(), nodes, nodes, rows, cols, values);
}

/// Every entry as (row, column), in storage order.
inline Edges entries(const CsrMatrix& matrix) {
  Edges out;
  for (std::int32_t r = 0; r < matrix.rows; ++r) {
    for (const std::int32_t c : matrix.row(r)) out.emplace_back(r, c);
  }
  return out;
}

/// 0 - 1 - 2 - ... both directions stored.
inline Graph path_graph(std::int32_t nodes) {
  Edges edges;
  for (std::int32_t i = 0; i + 1 < nodes; ++i) {
    edges.emplace_back(i, i + 1);
    edges.emplace_back(i + 1, i);
  }
  Graph graph;
  graph.name = "path";
  graph.adjacency = csr(nodes, edges);
  return graph;
}

/// Two triangles 0-1-2 and 3-4-5 and the lonely node 6; a loop at 0, the edge 0-1 stored twice.
inline Graph two_triangles() {
  Graph graph;
  graph.name = "two triangles";
  graph.adjacency =
      csr(7, {{0, 0}, {0, 1}, {0, 1}, {1, 0}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}});
  return graph;
}

}  // namespace creg::test
