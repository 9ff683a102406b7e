#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "graph/build.h"
#include "support/arbitrary_graph.h"
#include "support/graph_parts.h"

namespace creg::graph_parts_properties_test {
namespace {

/// A graph with a node or more.
Graph some_graph() {
  Graph graph = test::arbitrary_graph();
  RC_PRE(graph.nodes() > 0);
  return graph;
}

/// Any that has no empty part.
Partition any_partition(const Graph& graph) {
  Partition partition;
  partition.parts =
      test::in_range(1, static_cast<int>(std::min<std::int64_t>(graph.nodes(), 5)) + 1);
  for (int i = 0; i < graph.nodes(); ++i) {
    partition.owners.push_back(i < partition.parts ? i : test::in_range(0, partition.parts));
  }
  return partition;
}

// Edges in their order, weights, features, labels, names and splits.
RC_GTEST_PROP(GraphPartsProperties, TogetherTheyAreTheGraph, ()) {
  Graph graph = some_graph();
  const Partition partition = any_partition(graph);
  const Graph back = test::put_together(test::all_parts(graph, partition));
  if (graph.directed) graph.adjacency = sort_rows(Context(), graph.adjacency);
  RC_ASSERT(test::same(back, graph));
}

RC_GTEST_PROP(GraphPartsProperties, HalosAndListsByDefinition, ()) {
  const Graph graph = some_graph();
  const Partition partition = any_partition(graph);
  const auto parts = test::all_parts(graph, partition);
  const auto owner = [&](std::int32_t u) { return partition.owners[static_cast<std::size_t>(u)]; };
  for (int p = 0; p < partition.parts; ++p) {
    const GraphPart& part = parts[static_cast<std::size_t>(p)];
    // By owner, then number, as sets are.
    std::set<std::pair<std::int32_t, std::int32_t>> halo;
    std::set<std::int32_t> own;
    for (std::int32_t u = 0; u < graph.nodes(); ++u) {
      if (owner(u) == p) own.insert(u);
    }
    for (const auto& [u, v] : test::entries(graph.adjacency)) {
      const auto& [gathers, from] = graph.directed ? std::pair(v, u) : std::pair(u, v);
      if (owner(gathers) == p && owner(from) != p) halo.insert({owner(from), from});
    }
    std::vector<std::int32_t> nodes(own.begin(), own.end());
    for (const auto& [q, u] : halo) nodes.push_back(u);
    RC_ASSERT(std::equal(nodes.begin(), nodes.end(), part.nodes.begin(), part.nodes.end()));
    RC_ASSERT(part.own == static_cast<std::int64_t>(own.size()));
    for (std::int64_t i = 0; i < part.halo(); ++i) {
      RC_ASSERT(part.halo_owners[i] == owner(part.nodes[part.own + i]));
    }
    validate(part.graph, "a part");
    // What q receives of p stands in q's halo in the order in which p sends it.
    for (int q = 0; q < partition.parts; ++q) {
      const GraphPart& other = parts[static_cast<std::size_t>(q)];
      std::vector<std::int32_t> received;
      for (std::int64_t i = 0; i < other.halo(); ++i) {
        if (other.halo_owners[i] == p) received.push_back(other.nodes[other.own + i]);
      }
      std::vector<std::int32_t> sent;
      for (std::int64_t i = part.send_offsets[q]; i < part.send_offsets[q + 1]; ++i) {
        RC_ASSERT(part.send_nodes[i] < part.own);
        sent.push_back(part.nodes[part.send_nodes[i]]);
      }
      RC_ASSERT(sent == received);
    }
  }
}

RC_GTEST_PROP(GraphPartsProperties, StreamingGivesEveryNodeAPartInBalance, ()) {
  const Graph graph = some_graph();
  const int parts = test::in_range(1, static_cast<int>(graph.nodes()) + 1);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const Partition partition =
      partition_nodes(Context({.threads = 1, .seed = seed}), graph,
                      {.parts = parts, .method = PartitionMethod::streaming});
  const std::vector<std::int64_t> sizes = part_sizes(partition.owners, parts);
  const std::int64_t share = (graph.nodes() + parts - 1) / parts;
  RC_ASSERT(*std::min_element(sizes.begin(), sizes.end()) >= 1);
  RC_ASSERT(*std::max_element(sizes.begin(), sizes.end()) <= share);
}

}  // namespace
}  // namespace creg::graph_parts_properties_test
