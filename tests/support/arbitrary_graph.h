// Random small graphs for property tests, with everything a graph may carry or lack.
#pragma once

#include <rapidcheck.h>

#include <string>
#include <utility>
#include <vector>

#include "support/graphs.h"

namespace creg::test {

template <class T>
T in_range(T low, T high) {
  return *rc::gen::inRange<T>(low, high);
}

/// Any square pattern with repeats and loops; weights are small integers, so sums are exact.
inline CsrMatrix arbitrary_adjacency(std::int32_t nodes, bool weighted) {
  Edges edges;
  std::vector<float> weights;
  const int count = nodes == 0 ? 0 : in_range(0, 4 * nodes + 1);
  for (int e = 0; e < count; ++e) {
    edges.emplace_back(in_range<std::int32_t>(0, nodes), in_range<std::int32_t>(0, nodes));
    if (weighted) weights.push_back(static_cast<float>(in_range(1, 9)));
  }
  CsrMatrix matrix = csr(nodes, edges, weights);
  // A few rows out of order: nothing may rely on sorted input.
  if (*rc::gen::arbitrary<bool>() && matrix.nonzeros() > 0) {
    std::vector<std::int32_t> columns(matrix.columns.begin(), matrix.columns.end());
    for (std::int64_t r = 0; r < matrix.rows; r += 2) {
      std::reverse(columns.begin() + matrix.offsets[r], columns.begin() + matrix.offsets[r + 1]);
    }
    matrix.columns = std::move(columns);
  }
  return matrix;
}

inline Features arbitrary_features(std::int32_t nodes) {
  const int kind = in_range(0, 4);
  if (kind == 0) return {};
  const int cols = in_range(0, 6);
  std::vector<float> values(static_cast<std::size_t>(nodes) * static_cast<std::size_t>(cols));
  for (float& x : values) {
    x = in_range(0, 2) == 0 ? 0.0F : static_cast<float>(in_range(kind == 2 ? 1 : -5, 2)) / 4;
  }
  DenseMatrix dense{.rows = nodes, .cols = cols, .values = std::move(values)};
  if (kind == 1) return dense;
  return to_sparse(dense);
}

inline Split arbitrary_split(const std::string& name, std::int32_t nodes) {
  std::vector<std::vector<std::int32_t>> parts(4);
  for (std::int32_t i = 0; i < nodes; ++i) {
    parts[static_cast<std::size_t>(in_range(0, 4))].push_back(i);
  }
  return {.name = name, .train = parts[0], .val = parts[1], .test = parts[2]};
}

inline Graph arbitrary_graph() {
  Graph graph;
  const auto nodes = in_range<std::int32_t>(0, 24);
  graph.name = *rc::gen::arbitrary<bool>() ? "random" : "";
  graph.directed = *rc::gen::arbitrary<bool>();
  graph.adjacency = arbitrary_adjacency(nodes, *rc::gen::arbitrary<bool>());
  graph.features = arbitrary_features(nodes);
  if (*rc::gen::arbitrary<bool>()) {
    std::vector<std::int32_t> labels;
    for (std::int32_t i = 0; i < nodes; ++i) labels.push_back(in_range(-1, 4));
    graph.labels = std::move(labels);
    graph.class_names = {"a", "b \"quoted\"", "", "d"};
  }
  if (*rc::gen::arbitrary<bool>()) {
    std::vector<std::string> names;
    for (std::int32_t i = 0; i < nodes; ++i) {
      names.push_back(std::string(static_cast<std::size_t>(i % 3), 'n') + std::to_string(i));
    }
    graph.names = NodeNames(names);
  }
  for (int s = in_range(0, 3); s > 0; --s) {
    graph.splits.push_back(arbitrary_split("split " + std::to_string(s), nodes));
  }
  return graph;
}

}  // namespace creg::test
