#include "graph/stats.h"

#include <gtest/gtest.h>

#include <set>

#include "creg/core/random.h"
#include "support/graphs.h"

namespace creg::stats_test {
namespace {

TEST(GraphStats, CountsPairsLoopsAndComponents) {
  const GraphStats s = graph_stats(Context(), test::two_triangles());
  EXPECT_EQ(s.name, "two triangles");
  EXPECT_EQ(s.nodes, 7);
  EXPECT_EQ(s.entries, 9);
  EXPECT_EQ(s.edges, 6);
  EXPECT_EQ(s.directed_edges, 7);
  EXPECT_EQ(s.self_loops, 1);
  EXPECT_EQ(s.isolated, 1);
  EXPECT_EQ(s.components, 3);
  EXPECT_EQ(s.largest_component_nodes, 3);
  EXPECT_EQ(s.largest_component_edges, 3);
  EXPECT_FALSE(s.features || s.nonzeros || s.classes || s.unlabelled || s.train || s.val || s.test);
}

TEST(GraphStats, ALoopDoesNotConnect) {
  Graph graph;
  graph.adjacency = test::csr(2, {{0, 0}, {0, 0}, {1, 1}});
  const GraphStats s = graph_stats(Context(), graph);
  EXPECT_EQ(s.isolated, 2);
  EXPECT_EQ(s.self_loops, 2);
  EXPECT_EQ(s.edges, 0);
}

TEST(GraphStats, CountsFeaturesLabelsAndTheFirstSplit) {
  Graph graph = test::path_graph(4);
  graph.features =
      DenseMatrix{.rows = 4, .cols = 2, .values = std::vector<float>{1, 0, 0, 0, 2, 3, 0, 0}};
  graph.labels = std::vector<std::int32_t>{5, unlabelled, 2, 5};
  graph.class_names = {"a", "b", "c", "d", "e", "f", "g"};
  graph.splits.push_back({.name = "first",
                          .train = std::vector<std::int32_t>{0, 2},
                          .test = std::vector<std::int32_t>{3}});
  graph.splits.push_back({.name = "second"});
  const GraphStats s = graph_stats(Context(), graph);
  EXPECT_EQ(s.features, 2);
  EXPECT_EQ(s.nonzeros, 3);
  EXPECT_EQ(s.classes, 2);
  EXPECT_EQ(s.unlabelled, 1);
  EXPECT_EQ(s.train, 2);
  EXPECT_EQ(s.val, 0);
  EXPECT_EQ(s.test, 1);
}

TEST(GraphStats, OfTheEmptyGraphAndOfOneNode) {
  EXPECT_EQ(graph_stats(Context(), Graph()).components, 0);
  EXPECT_EQ(graph_stats(Context(), test::path_graph(0)).largest_component_nodes, 0);
  const GraphStats one = graph_stats(Context(), test::path_graph(1));
  EXPECT_EQ(one.isolated, 1);
  EXPECT_EQ(one.components, 1);
  EXPECT_EQ(one.largest_component_nodes, 1);
  EXPECT_EQ(one.largest_component_edges, 0);
}

TEST(GraphStats, AgreesWithSetsOnARandomUnsortedGraph) {
  constexpr std::int32_t nodes = 20000;
  RandomStream random(11, Purpose::test);
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::int32_t> columns;
  std::set<std::pair<std::int32_t, std::int32_t>> ordered;
  std::set<std::pair<std::int32_t, std::int32_t>> unordered;
  std::set<std::int32_t> loops;
  for (std::int32_t u = 0; u < nodes; ++u) {
    for (std::uint64_t e = random.below(6); e > 0; --e) {
      const auto v = static_cast<std::int32_t>((u + nodes - 4 + random.below(9)) % nodes);
      columns.push_back(v);
      if (u == v) {
        loops.insert(u);
      } else {
        ordered.emplace(u, v);
        unordered.emplace(std::minmax(u, v));
      }
    }
    offsets.push_back(static_cast<std::int64_t>(columns.size()));
  }
  Graph graph;
  graph.adjacency = {.rows = nodes, .cols = nodes, .offsets = offsets, .columns = columns};
  const GraphStats s = graph_stats(Context({.threads = 3}), graph);
  EXPECT_EQ(s.edges, static_cast<std::int64_t>(unordered.size()));
  EXPECT_EQ(s.directed_edges, static_cast<std::int64_t>(ordered.size()));
  EXPECT_EQ(s.self_loops, static_cast<std::int64_t>(loops.size()));
}

}  // namespace
}  // namespace creg::stats_test
