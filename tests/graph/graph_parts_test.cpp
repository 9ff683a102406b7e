#include "graph/graph_parts.h"

#include <gtest/gtest.h>

#include "support/graph_parts.h"

namespace creg::graph_parts_test {
namespace {

using Numbers = std::vector<std::int32_t>;

template <class T>
std::vector<T> listed(const Array<T>& array) {
  return {array.begin(), array.end()};
}

Numbers halo_of(const GraphPart& part) {
  return {part.nodes.begin() + part.own, part.nodes.end()};
}

/// What `part` sends to `other`, by number in the whole graph.
Numbers sent(const GraphPart& part, int other) {
  Numbers numbers;
  for (std::int64_t i = part.send_offsets[other]; i < part.send_offsets[other + 1]; ++i) {
    numbers.push_back(part.nodes[part.send_nodes[i]]);
  }
  return numbers;
}

Partition by(Numbers owners, int parts) {
  return {.parts = parts, .owners = std::move(owners)};
}

TEST(GraphParts, APathHasItsNeighboursAsHalo) {
  const auto parts = test::all_parts(test::path_graph(6), by({0, 0, 1, 1, 2, 2}, 3));
  EXPECT_EQ(listed(parts[0].nodes), (Numbers{0, 1, 2}));
  EXPECT_EQ(parts[0].own, 2);
  EXPECT_EQ(listed(parts[0].halo_owners), (Numbers{1}));
  EXPECT_EQ(listed(parts[1].nodes), (Numbers{2, 3, 1, 4}));
  EXPECT_EQ(listed(parts[1].halo_owners), (Numbers{0, 2}));
  // Rows of 2 and 3 in the numbers of the part: 2 is 0, 3 is 1, 1 is 2, 4 is 3.
  EXPECT_EQ(test::entries(parts[1].graph.adjacency), (test::Edges{{0, 2}, {0, 1}, {1, 0}, {1, 3}}));
  EXPECT_EQ(parts[1].graph.nodes(), 4);
  EXPECT_EQ(sent(parts[0], 1), (Numbers{1}));
  EXPECT_EQ(sent(parts[0], 2), (Numbers{}));
  EXPECT_EQ(sent(parts[1], 0), (Numbers{2}));
  EXPECT_EQ(sent(parts[1], 2), (Numbers{3}));
}

TEST(GraphParts, AStarSendsItsMiddleToAll) {
  Graph star;
  star.adjacency = test::csr(5, {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 0}, {2, 0}, {3, 0}, {4, 0}});
  const auto parts = test::all_parts(star, by({0, 1, 1, 2, 0}, 3));
  EXPECT_EQ(halo_of(parts[0]), (Numbers{1, 2, 3}));
  EXPECT_EQ(halo_of(parts[1]), (Numbers{0}));
  EXPECT_EQ(halo_of(parts[2]), (Numbers{0}));
  EXPECT_EQ(sent(parts[0], 1), (Numbers{0}));
  EXPECT_EQ(sent(parts[0], 2), (Numbers{0}));
  EXPECT_EQ(sent(parts[1], 0), (Numbers{1, 2}));
}

TEST(GraphParts, InACliqueEverybodyElseIsHalo) {
  test::Edges edges;
  for (std::int32_t u = 0; u < 4; ++u) {
    for (std::int32_t v = 0; v < 4; ++v) {
      if (u != v) edges.emplace_back(u, v);
    }
  }
  Graph clique;
  clique.adjacency = test::csr(4, edges);
  const auto parts = test::all_parts(clique, by({1, 0, 1, 0}, 2));
  EXPECT_EQ(listed(parts[0].nodes), (Numbers{1, 3, 0, 2}));
  EXPECT_EQ(listed(parts[1].nodes), (Numbers{0, 2, 1, 3}));
  EXPECT_EQ(sent(parts[0], 1), (Numbers{1, 3}));
}

TEST(GraphParts, IsolatedNodesHaveNoHalo) {
  Graph lonely;
  lonely.adjacency = test::csr(3, {});
  const auto parts = test::all_parts(lonely, by({0, 1, 0}, 2));
  EXPECT_EQ(listed(parts[0].nodes), (Numbers{0, 2}));
  EXPECT_EQ(parts[0].halo() + parts[1].halo(), 0);
  EXPECT_EQ(listed(parts[1].send_offsets), (std::vector<std::int64_t>{0, 0, 0}));
}

// Messages follow the edges: 0 -> 1 -> 2 makes 1 gather from 0, and 2 from 1.
TEST(GraphParts, ADirectedHaloIsWhereEdgesComeFrom) {
  Graph graph;
  graph.directed = true;
  graph.adjacency = test::csr(4, {{0, 1}, {1, 2}, {3, 2}, {0, 2}}, {1, 2, 3, 4});
  const auto parts = test::all_parts(graph, by({0, 0, 1, 1}, 2));
  EXPECT_EQ(halo_of(parts[0]), (Numbers{}));
  EXPECT_EQ(test::entries(parts[0].graph.adjacency), (test::Edges{{0, 1}}));
  EXPECT_EQ(listed(parts[1].nodes), (Numbers{2, 3, 0, 1}));
  // All edges to 2, which is row 0 there: from 3, 0 and 1.
  EXPECT_EQ(test::entries(parts[1].graph.adjacency), (test::Edges{{1, 0}, {2, 0}, {3, 0}}));
  EXPECT_EQ(listed(parts[1].graph.adjacency.values), (std::vector<float>{3, 4, 2}));
  EXPECT_EQ(sent(parts[0], 1), (Numbers{0, 1}));
  EXPECT_TRUE(test::same(test::put_together(parts), graph));
}

TEST(GraphParts, WhatANodeHasComesWithIt) {
  Graph graph = test::path_graph(4);
  graph.features =
      DenseMatrix{.rows = 4, .cols = 2, .values = std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7}};
  graph.labels = Numbers{3, 2, 1, 0};
  graph.names = NodeNames(std::vector<std::string>{"a", "", "ccc", "dd"});
  graph.class_names = {"p", "q", "r", "s"};
  graph.splits = {{.name = "s", .train = Numbers{0, 3}, .val = Numbers{1}, .test = Numbers{2}}};
  const auto parts = test::all_parts(graph, by({1, 0, 1, 0}, 2));
  const Graph& second = parts[1].graph;
  EXPECT_EQ(listed(parts[1].nodes), (Numbers{0, 2, 1, 3}));
  EXPECT_EQ(listed(std::get<DenseMatrix>(second.features).values),
            (std::vector<float>{0, 1, 4, 5, 2, 3, 6, 7}));
  EXPECT_EQ(listed(second.labels), (Numbers{3, 1, unlabelled, unlabelled}));
  EXPECT_EQ(second.node_name(1), "ccc");
  EXPECT_EQ(second.node_name(2), "");
  EXPECT_EQ(second.node_name(3), "dd");
  EXPECT_EQ(listed(second.splits[0].train), (Numbers{0}));
  EXPECT_EQ(listed(second.splits[0].val), (Numbers{}));
  EXPECT_EQ(listed(second.splits[0].test), (Numbers{1}));
  EXPECT_EQ(second.classes(), 4);
  EXPECT_TRUE(test::same(test::put_together(parts), graph));
}

TEST(GraphParts, OnePartIsTheGraph) {
  const Graph graph = test::two_triangles();
  const auto parts = test::all_parts(graph, by(Numbers(7, 0), 1));
  EXPECT_EQ(parts.size(), 1U);
  EXPECT_TRUE(test::same(parts[0].graph, graph));
  EXPECT_EQ(parts[0].halo(), 0);
}

}  // namespace
}  // namespace creg::graph_parts_test
