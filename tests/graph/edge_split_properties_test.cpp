#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "creg/graph/splits.h"
#include "support/graphs.h"

namespace creg::edge_split_properties_test {
namespace {

using test::Edges;

// At least 20 distinct edges on up to 40 nodes, with repeats, loops and both directions mixed in.
Graph random_graph() {
  const auto nodes = *rc::gen::inRange<std::int32_t>(22, 40);
  const auto id = rc::gen::inRange<std::int32_t>(0, nodes);
  Edges edges = *rc::gen::container<Edges>(rc::gen::pair(id, id));
  for (std::int32_t i = 0; i + 1 < nodes; ++i) edges.emplace_back(i + 1, i);
  Graph graph;
  graph.adjacency = test::csr(nodes, edges);
  return graph;
}

std::set<NodePair> edge_set(const CsrMatrix& adjacency) {
  std::set<NodePair> edges;
  for (const auto& [u, v] : test::entries(adjacency)) {
    if (u != v) edges.insert({std::min(u, v), std::max(u, v)});
  }
  return edges;
}

RC_GTEST_PROP(EdgeSplitProperties, PartsPartitionTheEdges, ()) {
  const Graph graph = random_graph();
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const EdgeSplit split = split_edges(Context({.threads = 2}), graph, seed);
  const std::set<NodePair> all = edge_set(graph.adjacency);
  const std::size_t m = all.size();
  RC_ASSERT(split.val.size() == m * 5 / 100);
  RC_ASSERT(split.test.size() == m * 10 / 100);

  std::set<NodePair> found = edge_set(split.train.adjacency);
  RC_ASSERT(found.size() == m - split.val.size() - split.test.size());
  found.insert(split.val.begin(), split.val.end());
  found.insert(split.test.begin(), split.test.end());
  RC_ASSERT(found == all);  // the sizes add up, so the parts are disjoint: nothing leaks

  const Edges stored = test::entries(split.train.adjacency);
  const std::set<std::pair<std::int32_t, std::int32_t>> directed(stored.begin(), stored.end());
  RC_ASSERT(directed.size() == stored.size());
  for (const auto& [u, v] : stored) RC_ASSERT(directed.contains({v, u}));
}

RC_GTEST_PROP(EdgeSplitProperties, NonEdgesAreDistinctAndNoEdges, ()) {
  const Graph graph = random_graph();
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const EdgeSplit split = split_edges(Context({.threads = 1}), graph, seed);
  RC_ASSERT(split.val_non_edges.size() == split.val.size());
  RC_ASSERT(split.test_non_edges.size() == split.test.size());
  std::set<NodePair> non_edges(split.val_non_edges.begin(), split.val_non_edges.end());
  non_edges.insert(split.test_non_edges.begin(), split.test_non_edges.end());
  RC_ASSERT(non_edges.size() == split.val.size() + split.test.size());
  const std::set<NodePair> edges = edge_set(graph.adjacency);
  for (const NodePair& pair : non_edges) {
    RC_ASSERT(pair.u >= 0 && pair.u < pair.v && pair.v < graph.nodes());
    RC_ASSERT(!edges.contains(pair));
  }
}

RC_GTEST_PROP(EdgeSplitProperties, TheSeedDecidesNotTheThreads, ()) {
  const Graph graph = random_graph();
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const EdgeSplit one = split_edges(Context({.threads = 1}), graph, seed);
  const EdgeSplit five = split_edges(Context({.threads = 5}), graph, seed);
  const EdgeSplit other = split_edges(Context({.threads = 1}), graph, seed + 1);
  RC_ASSERT(one.val == five.val && one.test == five.test);
  RC_ASSERT(one.val_non_edges == five.val_non_edges && one.test_non_edges == five.test_non_edges);
  RC_ASSERT(test::entries(one.train.adjacency) == test::entries(five.train.adjacency));
  RC_ASSERT(one.val != other.val || one.test != other.test);
  RC_ASSERT(one.val_non_edges != other.val_non_edges || one.test_non_edges != other.test_non_edges);
}

}  // namespace
}  // namespace creg::edge_split_properties_test
