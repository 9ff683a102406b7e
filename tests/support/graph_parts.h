// Parts of a graph put together again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph_parts.h"
#include "support/graphs.h"

namespace creg::test {

/// The graph that the parts are of, from what they hold alone. Of a directed graph rows ascend.
inline Graph put_together(const std::vector<GraphPart>& parts) {
  std::int64_t nodes = 0;
  for (const GraphPart& part : parts) nodes += part.own;
  const auto n = static_cast<std::size_t>(nodes);
  struct Entry {
    std::int32_t column;
    float value;
  };
  std::vector<std::vector<Entry>> rows(n);
  std::vector<std::vector<float>> features(n);
  std::vector<std::vector<Entry>> sparse(n);
  std::vector<std::int32_t> labels(n, unlabelled);
  std::vector<std::string> names(n);
  Graph graph;
  const Graph& first = parts.front().graph;
  graph.name = first.name;
  graph.directed = first.directed;
  graph.class_names = first.class_names;
  std::vector<std::array<std::vector<std::int32_t>, 3>> splits(first.splits.size());
  bool weighted = false;
  bool valued = false;
  for (const GraphPart& part : parts) {
    const Graph& g = part.graph;
    weighted = weighted || !g.adjacency.values.empty();
    for (std::int64_t r = 0; r < g.nodes(); ++r) {
      for (std::int64_t e = g.adjacency.offsets[r]; e < g.adjacency.offsets[r + 1]; ++e) {
        rows[static_cast<std::size_t>(part.nodes[r])].push_back(
            {part.nodes[g.adjacency.columns[e]], g.adjacency.value(e)});
      }
      if (r >= part.own) continue;
      const auto node = static_cast<std::size_t>(part.nodes[r]);
      if (const auto* dense = std::get_if<DenseMatrix>(&g.features)) {
        features[node].assign(dense->row(r).begin(), dense->row(r).end());
      } else if (const auto* csr = std::get_if<CsrMatrix>(&g.features)) {
        valued = valued || !csr->values.empty();
        for (std::int64_t e = csr->offsets[r]; e < csr->offsets[r + 1]; ++e) {
          sparse[node].push_back({csr->columns[e], csr->value(e)});
        }
      }
      if (g.has_labels()) labels[node] = g.labels[r];
      if (!g.names.empty()) names[node] = g.names[r];
    }
    for (std::size_t s = 0; s < splits.size(); ++s) {
      const std::array lists = {&g.splits[s].train, &g.splits[s].val, &g.splits[s].test};
      for (std::size_t k = 0; k < lists.size(); ++k) {
        for (const std::int32_t row : *lists[k]) splits[s][k].push_back(part.nodes[row]);
      }
    }
  }
  if (graph.directed) {
    for (std::vector<Entry>& row : rows) {
      std::stable_sort(row.begin(), row.end(),
                       [](const Entry& a, const Entry& b) { return a.column < b.column; });
    }
  }
  const auto to_csr = [](const std::vector<std::vector<Entry>>& from, std::int64_t cols,
                         bool with_values) {
    std::vector<std::int64_t> offsets = {0};
    std::vector<std::int32_t> columns;
    std::vector<float> values;
    for (const std::vector<Entry>& row : from) {
      for (const Entry& entry : row) {
        columns.push_back(entry.column);
        if (with_values) values.push_back(entry.value);
      }
      offsets.push_back(static_cast<std::int64_t>(columns.size()));
    }
    return CsrMatrix{.rows = static_cast<std::int64_t>(from.size()),
                     .cols = cols,
                     .offsets = std::move(offsets),
                     .columns = std::move(columns),
                     .values = std::move(values)};
  };
  graph.adjacency = to_csr(rows, nodes, weighted);
  const std::int64_t cols = feature_cols(first.features);
  if (std::holds_alternative<DenseMatrix>(first.features)) {
    std::vector<float> values;
    for (const std::vector<float>& row : features) {
      values.insert(values.end(), row.begin(), row.end());
    }
    graph.features = DenseMatrix{.rows = nodes, .cols = cols, .values = std::move(values)};
  } else if (std::holds_alternative<CsrMatrix>(first.features)) {
    graph.features = to_csr(sparse, cols, valued);
  }
  if (first.has_labels()) graph.labels = std::move(labels);
  if (!first.names.empty()) graph.names = NodeNames(names);
  for (std::size_t s = 0; s < splits.size(); ++s) {
    for (std::vector<std::int32_t>& list : splits[s]) std::sort(list.begin(), list.end());
    graph.splits.push_back({.name = first.splits[s].name,
                            .train = splits[s][0],
                            .val = splits[s][1],
                            .test = splits[s][2]});
  }
  return graph;
}

inline std::vector<GraphPart> all_parts(const Graph& graph, const Partition& partition) {
  const GraphParts parts(Context(), graph, partition);
  std::vector<GraphPart> made;
  for (int p = 0; p < parts.parts(); ++p) made.push_back(parts.make(Context(), p));
  return made;
}

}  // namespace creg::test
