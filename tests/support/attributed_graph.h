// Small attributed graphs for whole encoders and runs.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "creg/core/random.h"
#include "creg/graph/graph.h"
#include "graph/build.h"
#include "support/graphs.h"

namespace creg::test {

/// Two groups of nodes with more edges inside than between, sparse features that lean to the
/// group, labels and a public split; both directions stored, node 0 isolated.
inline Graph two_groups(std::int32_t nodes = 40, std::int32_t features = 12) {
  RandomStream stream(7, Purpose::test);
  std::vector<std::uint8_t> joined(static_cast<std::size_t>(nodes) * nodes, 0);
  for (std::int32_t u = 1; u < nodes; ++u) {
    for (std::int32_t v = u + 1; v < nodes; ++v) {
      const float chance = u % 2 == v % 2 ? 0.2F : 0.02F;
      if (stream.uniform() < chance) joined[static_cast<std::size_t>(u) * nodes + v] = 1;
    }
  }
  Edges edges;
  for (std::int32_t u = 0; u < nodes; ++u) {
    for (std::int32_t v = 0; v < nodes; ++v) {
      if (joined[static_cast<std::size_t>(u < v ? u : v) * nodes + (u < v ? v : u)] != 0) {
        edges.emplace_back(u, v);
      }
    }
  }
  Graph graph;
  graph.name = "two-groups";
  graph.adjacency = csr(nodes, edges);
  std::vector<std::int32_t> rows;
  std::vector<std::int32_t> cols;
  std::vector<std::int32_t> labels;
  Split split{.name = "public"};
  std::vector<std::int32_t> parts[3];
  for (std::int32_t u = 0; u < nodes; ++u) {
    for (std::int32_t f = 0; f < features; ++f) {
      if (stream.uniform() < (f % 2 == u % 2 ? 0.35F : 0.1F)) {
        rows.push_back(u);
        cols.push_back(f);
      }
    }
    labels.push_back(u % 2);
    parts[u / 2 % 3].push_back(u);
  }
  graph.features = csr_from_entries(Context(), nodes, features, rows, cols, {});
  graph.labels = labels;
  graph.class_names = {"even", "odd"};
  split.train = parts[0];
  split.val = parts[1];
  split.test = parts[2];
  graph.splits = {split};
  return graph;
}

}  // namespace creg::test
