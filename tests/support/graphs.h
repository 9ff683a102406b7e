// Tiny graphs with names.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "creg/graph/graph.h"
#include "graph/build.h"

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

/// Equal as values, element by element.
template <class T>
bool same(const Array<T>& a, const Array<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

inline bool same(const CsrMatrix& a, const CsrMatrix& b) {
  return a.rows == b.rows && a.cols == b.cols && same(a.offsets, b.offsets) &&
         same(a.columns, b.columns) && same(a.values, b.values);
}

inline bool same(const Features& a, const Features& b) {
  if (a.index() != b.index()) return false;
  if (const auto* sparse = std::get_if<CsrMatrix>(&a)) return same(*sparse, std::get<CsrMatrix>(b));
  if (const auto* dense = std::get_if<DenseMatrix>(&a)) {
    const auto& other = std::get<DenseMatrix>(b);
    return dense->rows == other.rows && dense->cols == other.cols &&
           same(dense->values, other.values);
  }
  return true;
}

inline bool same(const Graph& a, const Graph& b) {
  const auto same_split = [](const Split& x, const Split& y) {
    return x.name == y.name && same(x.train, y.train) && same(x.val, y.val) && same(x.test, y.test);
  };
  bool names = a.names.size() == b.names.size();
  for (std::int64_t i = 0; names && i < a.names.size(); ++i) names = a.names[i] == b.names[i];
  return names && a.name == b.name && a.directed == b.directed && same(a.adjacency, b.adjacency) &&
         same(a.features, b.features) && same(a.labels, b.labels) &&
         a.class_names == b.class_names &&
         std::equal(a.splits.begin(), a.splits.end(), b.splits.begin(), b.splits.end(), same_split);
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
