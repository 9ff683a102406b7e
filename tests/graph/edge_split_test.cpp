#include "creg/graph/splits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "support/expect_error.h"
#include "support/graphs.h"

namespace creg::edge_split_test {
namespace {

using test::Edges;

Graph complete_graph(std::int32_t nodes, std::size_t leave_out = 0) {
  Edges edges;
  for (std::int32_t u = 0; u < nodes; ++u) {
    for (std::int32_t v = u + 1; v < nodes; ++v) {
      if (leave_out > 0) {
        --leave_out;
        continue;
      }
      edges.emplace_back(u, v);
      edges.emplace_back(v, u);
    }
  }
  Graph graph;
  graph.name = "dense";
  graph.adjacency = test::csr(nodes, edges);
  return graph;
}

TEST(SplitEdges, CountsRoundDownAndTheRestTrains) {
  const Graph graph = test::path_graph(60);  // 59 edges
  const EdgeSplit split = split_edges(Context(), graph, 4);
  EXPECT_EQ(split.val.size(), 2U);
  EXPECT_EQ(split.test.size(), 5U);
  EXPECT_EQ(split.val_non_edges.size(), 2U);
  EXPECT_EQ(split.test_non_edges.size(), 5U);
  EXPECT_EQ(split.train.adjacency.nonzeros(), 2 * 52);
  EXPECT_EQ(split.train.nodes(), 60);
}

TEST(SplitEdges, RepeatsLoopsAndDirectionsAreOneEdgeOrNone) {
  Edges edges;
  for (std::int32_t i = 0; i < 20; ++i) {
    edges.insert(edges.end(), {{i, i + 1}, {i, i}, {i, i + 1}});
    if (i % 2 == 0) edges.emplace_back(i + 1, i);
  }
  Graph graph;
  graph.adjacency = test::csr(21, edges);
  graph.directed = true;
  graph.labels = std::vector<std::int32_t>(21, 0);
  const EdgeSplit split = split_edges(Context(), graph, 0);
  EXPECT_EQ(split.val.size(), 1U);
  EXPECT_EQ(split.test.size(), 2U);
  EXPECT_EQ(split.train.adjacency.nonzeros(), 2 * 17);
  EXPECT_FALSE(split.train.directed);
  EXPECT_EQ(split.train.labels.size(), 21);
}

TEST(SplitEdges, ADenseGraphGivesItsLastNonEdges) {
  // 21 nodes: 210 pairs, 182 edges, 9 + 18 to hold out of 28 non-edges.
  const EdgeSplit split = split_edges(Context(), complete_graph(21, 28), 0);
  EXPECT_EQ(split.val_non_edges.size() + split.test_non_edges.size(), 27U);
  for (const NodePair& pair : split.val_non_edges) EXPECT_LE(pair.u, 1);
  test::expect_error([] { split_edges(Context(), complete_graph(21, 20), 0); },
                     {"dense", "too dense", "found 20 pairs", "28 or more"});
}

TEST(SplitEdges, NeedsTwentyEdges) {
  test::expect_error([] { split_edges(Context(), test::path_graph(20), 0); },
                     {"path", "too few edges", "found 19 distinct edges", "20 or more"});
  test::expect_error([] { split_edges(Context(), test::path_graph(0), 0); }, {"too few edges"});
  EXPECT_NO_THROW(split_edges(Context(), test::path_graph(21), 0));
}

TEST(SplitEdges, NonEdgesAreUniform) {
  // A star of 21 nodes has 190 non-edges, 3 drawn per seed; the middle has none.
  Edges edges;
  for (std::int32_t i = 1; i <= 20; ++i) edges.emplace_back(0, i);
  Graph graph;
  graph.adjacency = test::csr(21, edges);
  const Context context({.threads = 1});
  std::map<NodePair, int> drawn;
  std::map<NodePair, int> held_out;
  constexpr int seeds = 3800;
  for (int seed = 0; seed < seeds; ++seed) {
    const EdgeSplit split = split_edges(context, graph, static_cast<std::uint64_t>(seed));
    for (const auto* part : {&split.val_non_edges, &split.test_non_edges}) {
      for (const NodePair& pair : *part) ++drawn[pair];
    }
    for (const NodePair& pair : split.test) ++held_out[pair];
  }
  // 60 draws expected of each non-edge, 380 of each edge; the bounds are about six deviations.
  ASSERT_EQ(drawn.size(), 190U);
  for (const auto& [pair, count] : drawn) {
    EXPECT_NEAR(count, 60, 47) << pair.u << " - " << pair.v;
  }
  ASSERT_EQ(held_out.size(), 20U);
  for (const auto& [pair, count] : held_out) EXPECT_NEAR(count, 380, 115);
}

/// A path of 60 nodes with a split that passes, to be spoilt.
struct Spoilt {
  Graph graph = test::path_graph(60);
  EdgeSplit split = split_edges(Context(), graph, 1);

  void expect_refused(std::initializer_list<std::string> parts) const {
    test::expect_error([&] { check_edge_split(Context(), split, "s.json"); }, parts);
  }
};

TEST(CheckEdgeSplit, CountsWhatItLookedAt) {
  const Spoilt fine;
  const LeakCheck check = check_edge_split(Context(), fine.split, "s.json");
  EXPECT_EQ(check.training_edges, 52);
  EXPECT_EQ(check.held_out_edges, 7);
  EXPECT_EQ(check.non_edges, 7);
}

TEST(CheckEdgeSplit, RefusesLeaksAndWhatIsNoSplit) {
  Spoilt leak;
  leak.split.train = leak.graph;
  leak.expect_refused({"s.json", "in the training graph"});
  Spoilt wrong;  // 0 - 1 is an edge, in training or held out
  wrong.split.test_non_edges.front() = {0, 1};
  wrong.expect_refused({"0 - 1"});
  Spoilt twice;
  twice.split.val_non_edges = twice.split.test_non_edges;
  twice.expect_refused({"in two parts", "test_non_edges"});
  Spoilt both;
  both.split.val.push_back(both.split.test.back());
  std::sort(both.split.val.begin(), both.split.val.end());
  both.expect_refused({"in two parts", "test"});
  for (auto part :
       {&EdgeSplit::val, &EdgeSplit::test, &EdgeSplit::val_non_edges, &EdgeSplit::test_non_edges}) {
    Spoilt empty;
    (empty.split.*part).clear();
    empty.expect_refused({"a part of the edge split is empty"});
    Spoilt outside;
    (outside.split.*part).push_back({3, 60});
    outside.expect_refused({"3 - 60", "nodes 0 to 59"});
    Spoilt turned;
    (turned.split.*part).front() = {5, 4};
    turned.expect_refused({"5 - 4", "the smaller one first"});
    Spoilt repeated;
    (repeated.split.*part).push_back((repeated.split.*part).back());
    repeated.expect_refused({"ascending"});
  }
}

TEST(ApplyEdgeSplit, GivesTheSameTrainingGraphByteForByte) {
  const Spoilt fine;
  EdgeSplit lists = fine.split;
  lists.train = {};
  const EdgeSplit again = apply_edge_split(Context(), fine.graph, lists, "s.json");
  EXPECT_TRUE(test::same(again.train, fine.split.train));
  EXPECT_EQ(again.val, fine.split.val);
  EXPECT_EQ(again.test_non_edges, fine.split.test_non_edges);
}

TEST(ApplyEdgeSplit, RefusesWhatTheGraphDoesNotHave) {
  Spoilt other;
  other.split.val = {{0, 30}};
  test::expect_error([&] { apply_edge_split(Context(), other.graph, other.split, "s.json"); },
                     {"s.json: val[0]", "not in the graph", "0 - 30", "another graph"});
  Spoilt all;  // nothing is left to train on
  all.split.val = distinct_edges(Context(), all.graph.adjacency);
  all.split.test = {all.split.val.back()};
  all.split.val.pop_back();
  test::expect_error([&] { apply_edge_split(Context(), all.graph, all.split, "s.json"); },
                     {"no edges to train on"});
}

TEST(CheckNoLeak, FindsAHeldOutEdgeInEitherDirection) {
  CsrMatrix training = test::csr(5, {{0, 1}, {3, 2}});
  const std::vector<NodePair> clean = {{0, 2}, {1, 4}};
  EXPECT_NO_THROW(check_no_leak(Context(), training, clean, "split.json"));
  const std::vector<NodePair> forward = {{1, 4}, {0, 1}};
  test::expect_error([&] { check_no_leak(Context(), training, forward, "split.json"); },
                     {"split.json", "pair 1", "0 - 1", "in the training graph"});
  const std::vector<NodePair> backward = {{2, 3}};
  test::expect_error([&] { check_no_leak(Context(), training, backward, "split.json"); },
                     {"2 - 3", "in the training graph"});
  const std::vector<NodePair> outside = {{2, 5}};
  test::expect_error([&] { check_no_leak(Context(), training, outside, "split.json"); },
                     {"not in the graph", "0 to 4"});
}

TEST(CheckNoLeak, DoesNotTrustTheOrderOfColumns) {
  CsrMatrix training = test::csr(4, {{0, 1}, {0, 2}, {0, 3}});
  training.columns = std::vector<std::int32_t>{3, 1, 2};
  const std::vector<NodePair> held_out = {{0, 3}};
  test::expect_error([&] { check_no_leak(Context(), training, held_out, "s"); }, {"0 - 3"});
}

}  // namespace
}  // namespace creg::edge_split_test
