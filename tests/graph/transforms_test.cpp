#include "graph/transforms.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/graphs.h"

namespace creg::transforms_test {
namespace {

using test::Edges;

Graph graph_of(std::int64_t nodes, const Edges& edges, const std::vector<float>& weights = {}) {
  Graph graph;
  graph.name = "g";
  graph.adjacency = test::csr(nodes, edges, weights);
  return graph;
}

std::vector<float> values(const Graph& graph) {
  return {graph.adjacency.values.begin(), graph.adjacency.values.end()};
}

TEST(SumDirections, CountsRepeatsAndLoops) {
  const Graph counted = sum_directions(Context(), test::two_triangles());
  const CsrMatrix wanted = test::csr(7,
                                     {{0, 0},
                                      {0, 1},
                                      {0, 2},
                                      {1, 0},
                                      {1, 2},
                                      {2, 0},
                                      {2, 1},
                                      {3, 4},
                                      {3, 5},
                                      {4, 3},
                                      {4, 5},
                                      {5, 3},
                                      {5, 4}},
                                     {2, 3, 1, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1});
  EXPECT_TRUE(test::same(counted.adjacency, wanted));
  EXPECT_FALSE(counted.directed);

  Graph weighted;
  weighted.directed = true;
  weighted.adjacency = test::csr(2, {{0, 1}, {0, 1}, {1, 0}}, {0.5F, 2, 3});
  EXPECT_TRUE(test::same(sum_directions(Context(), weighted).adjacency,
                         test::csr(2, {{0, 1}, {1, 0}}, {5.5F, 5.5F})));
}

TEST(Symmetrise, GivesBothDirectionsOnce) {
  Graph graph = test::two_triangles();
  graph.directed = true;
  const Graph s = symmetrise(Context(), graph);
  EXPECT_FALSE(s.directed);
  EXPECT_TRUE(s.adjacency.values.empty());
  EXPECT_EQ(test::entries(s.adjacency), (Edges{{0, 0},
                                               {0, 1},
                                               {0, 2},
                                               {1, 0},
                                               {1, 2},
                                               {2, 0},
                                               {2, 1},
                                               {3, 4},
                                               {3, 5},
                                               {4, 3},
                                               {4, 5},
                                               {5, 3},
                                               {5, 4}}));
}

TEST(Symmetrise, SumsRepeatsThenTakesTheLargerDirection) {
  const Graph s =
      symmetrise(Context(), graph_of(3, {{0, 1}, {0, 1}, {1, 0}, {1, 2}, {2, 2}}, {2, 3, 4, 7, 9}));
  EXPECT_EQ(test::entries(s.adjacency), (Edges{{0, 1}, {1, 0}, {1, 2}, {2, 1}, {2, 2}}));
  EXPECT_EQ(values(s), (std::vector<float>{5, 5, 7, 7, 9}));
}

TEST(Symmetrise, NegativeWeightsOfOneDirectionStay) {
  const Graph s = symmetrise(Context(), graph_of(2, {{0, 1}}, {-3}));
  EXPECT_EQ(values(s), (std::vector<float>{-3, -3}));
}

TEST(RemoveDuplicates, SumsWeightsAndKeepsUnweightedOnes) {
  const Graph merged =
      remove_duplicates(Context(), graph_of(2, {{0, 1}, {0, 1}, {1, 0}}, {2, 3, 4}));
  EXPECT_EQ(test::entries(merged.adjacency), (Edges{{0, 1}, {1, 0}}));
  EXPECT_EQ(values(merged), (std::vector<float>{5, 4}));
  const Graph plain = remove_duplicates(Context(), graph_of(2, {{0, 1}, {0, 1}}));
  EXPECT_EQ(plain.adjacency.nonzeros(), 1);
  EXPECT_TRUE(plain.adjacency.values.empty());
}

TEST(SelfLoops, AreRemovedWithTheirWeights) {
  const Graph r =
      remove_self_loops(Context(), graph_of(2, {{0, 0}, {0, 1}, {1, 1}, {1, 1}}, {1, 2, 3, 4}));
  EXPECT_EQ(test::entries(r.adjacency), (Edges{{0, 1}}));
  EXPECT_EQ(values(r), (std::vector<float>{2}));
}

TEST(SelfLoops, AreAddedOnlyWhereMissing) {
  const Graph a =
      add_self_loops(Context(), graph_of(3, {{0, 1}, {1, 0}, {1, 1}, {2, 0}}, {2, 3, 7, 5}));
  EXPECT_EQ(test::entries(a.adjacency), (Edges{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 2}}));
  EXPECT_EQ(values(a), (std::vector<float>{1, 2, 3, 7, 5, 1}));
  EXPECT_TRUE(add_self_loops(Context(), graph_of(2, {})).adjacency.values.empty());
}

Graph labelled_path() {
  Graph graph = test::path_graph(5);
  graph.features =
      DenseMatrix{.rows = 5, .cols = 1, .values = std::vector<float>{0, 10, 20, 30, 40}};
  graph.labels = std::vector<std::int32_t>{0, 1, 0, 1, unlabelled};
  graph.class_names = {"even", "odd"};
  const std::vector<std::string> names = {"a", "b", "c", "d", "e"};
  graph.names = NodeNames(names);
  graph.splits.push_back({.name = "s",
                          .train = std::vector<std::int32_t>{0, 3},
                          .val = std::vector<std::int32_t>{1},
                          .test = std::vector<std::int32_t>{2, 4}});
  return graph;
}

TEST(InducedSubgraph, CarriesEverythingInTheGivenOrder) {
  const std::vector<std::int32_t> nodes = {3, 1, 2};
  for (const bool sparse : {false, true}) {
    Graph graph = labelled_path();
    if (sparse) graph.features = to_sparse(std::get<DenseMatrix>(graph.features));
    const Graph sub = induced_subgraph(Context(), graph, nodes);
    EXPECT_EQ(test::entries(sub.adjacency), (Edges{{0, 2}, {1, 2}, {2, 0}, {2, 1}}));
    const DenseMatrix features = to_dense(sub.features);
    EXPECT_EQ(std::vector<float>(features.values.begin(), features.values.end()),
              (std::vector<float>{30, 10, 20}));
    EXPECT_TRUE(test::same(sub.labels, Array<std::int32_t>(std::vector<std::int32_t>{1, 1, 0})));
    EXPECT_EQ(sub.class_names, graph.class_names);
    EXPECT_EQ(sub.node_name(0), "d");
    ASSERT_EQ(sub.splits.size(), 1U);
    EXPECT_TRUE(test::same(sub.splits[0].train, Array<std::int32_t>(std::vector<std::int32_t>{0})));
    EXPECT_TRUE(test::same(sub.splits[0].val, Array<std::int32_t>(std::vector<std::int32_t>{1})));
    EXPECT_TRUE(test::same(sub.splits[0].test, Array<std::int32_t>(std::vector<std::int32_t>{2})));
    validate(sub, "sub");
  }
}

TEST(InducedSubgraph, NumbersBecomeNames) {
  const std::vector<std::int32_t> nodes = {2, 4};
  const Graph sub = induced_subgraph(Context(), test::path_graph(5), nodes);
  EXPECT_EQ(sub.node_name(0), "2");
  EXPECT_EQ(sub.node_name(1), "4");
}

TEST(InducedSubgraph, RefusesNodesOutsideAndRepeats) {
  const auto take = [](std::vector<std::int32_t> nodes) {
    return [nodes] { induced_subgraph(Context(), test::path_graph(3), nodes); };
  };
  test::expect_error(take({0, 3}),
                     {"path", "subgraph node 1", "out of range", "found 3", "0 to 2"});
  test::expect_error(take({-1}), {"out of range", "found -1"});
  test::expect_error(take({1, 0, 1}), {"subgraph node 2", "listed twice", "node 1"});
}

TEST(LargestComponent, TakesTheFirstOfEquals) {
  const Graph c = largest_component(Context(), test::two_triangles());
  EXPECT_EQ(c.nodes(), 3);
  EXPECT_EQ(c.node_name(0), "0");
  EXPECT_EQ(c.adjacency.nonzeros(), 6);
  const Graph d = largest_component(Context(), graph_of(4, {{0, 0}, {3, 1}}));
  EXPECT_EQ(d.node_name(0), "1");
  EXPECT_EQ(test::entries(d.adjacency), (Edges{{1, 0}}));
}

TEST(SimpleGraph, IsSymmetricUnlessDirected) {
  Graph graph = test::two_triangles();
  EXPECT_EQ(simple_graph(Context(), graph).adjacency.nonzeros(), 12);
  graph.directed = true;
  const Graph directed = simple_graph(Context(), graph);
  EXPECT_TRUE(directed.directed);
  EXPECT_EQ(directed.adjacency.nonzeros(), 7);
}

TEST(ApplyTransforms, RunsThemInOrderByName) {
  const std::vector<std::string> names = {"remove-self-loops", "symmetrise", "largest-component"};
  const Graph g = apply_transforms(Context(), test::two_triangles(), names);
  EXPECT_EQ(test::entries(g.adjacency), (Edges{{0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 1}}));
}

TEST(ApplyTransforms, KnowsEveryNameOnEveryKindOfGraph) {
  EXPECT_EQ(
      transform_names(),
      (std::vector<std::string>{"symmetrise", "remove-duplicates", "remove-self-loops",
                                "add-self-loops", "largest-component", "row-normalise",
                                "row-normalise-plain", "column-max", "binarise", "standardise"}));
  for (const std::string& name : transform_names()) {
    for (const Graph& graph : {test::path_graph(0), test::path_graph(1), test::two_triangles(),
                               labelled_path(), Graph()}) {
      const Graph changed = apply_transforms(Context(), graph, std::span(&name, 1));
      if (graph.nodes() > 0) {
        EXPECT_NO_THROW(validate(changed, name)) << name;
      }
    }
  }
}

TEST(ApplyTransforms, SuggestsNames) {
  const std::vector<std::string> names = {"symetrise"};
  test::expect_error([&] { apply_transforms(Context(), test::path_graph(2), names); },
                     {"no such transform", "'symetrise'", "symmetrise"});
}

}  // namespace
}  // namespace creg::transforms_test
