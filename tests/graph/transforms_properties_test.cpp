#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "creg/core/random.h"
#include "graph/components.h"
#include "graph/stats.h"
#include "graph/transforms.h"
#include "support/arbitrary_graph.h"

namespace creg::transforms_properties_test {
namespace {

using Weights = std::map<std::pair<std::int32_t, std::int32_t>, float>;

// The sum of the weights of every ordered pair.
Weights weights(const CsrMatrix& matrix) {
  Weights sums;
  for (std::int32_t r = 0; r < matrix.rows; ++r) {
    for (std::int64_t e = matrix.offsets[r]; e < matrix.offsets[r + 1]; ++e) {
      sums[{r, matrix.columns[e]}] += matrix.value(e);
    }
  }
  return sums;
}

bool strictly_ascending(const CsrMatrix& matrix) {
  for (std::int64_t r = 0; r < matrix.rows; ++r) {
    const auto row = matrix.row(r);
    if (!std::is_sorted(row.begin(), row.end(), std::less_equal<>())) return false;
  }
  return true;
}

RC_GTEST_PROP(TransformProperties, SymmetriseIsTheLargerOfBothDirectionsAndIdempotent, ()) {
  const Graph graph = test::arbitrary_graph();
  const Graph once = symmetrise(Context(), graph);
  Weights expected;
  const bool weighted = !graph.adjacency.values.empty();
  for (const auto& [pair, weight] : weights(graph.adjacency)) {
    for (const auto& key : {pair, std::pair(pair.second, pair.first)}) {
      float& larger = expected[key];
      larger = weighted ? std::max(larger, weight) : 1;
    }
  }
  RC_ASSERT(weights(once.adjacency) == expected);
  RC_ASSERT(strictly_ascending(once.adjacency));
  RC_ASSERT(test::same(symmetrise(Context(), once), once));
}

RC_GTEST_PROP(TransformProperties, RemoveDuplicatesSumsAndIsIdempotent, ()) {
  const Graph graph = test::arbitrary_graph();
  const Graph once = remove_duplicates(Context(), graph);
  Weights expected = weights(graph.adjacency);
  if (graph.adjacency.values.empty()) {
    for (auto& [pair, weight] : expected) weight = 1;
  }
  RC_ASSERT(weights(once.adjacency) == expected);
  RC_ASSERT(strictly_ascending(once.adjacency));
  RC_ASSERT(test::same(remove_duplicates(Context(), once), once));
}

RC_GTEST_PROP(TransformProperties, LoopsComeAndGo, ()) {
  const Graph graph = test::arbitrary_graph();
  const Graph without = remove_self_loops(Context(), graph);
  const Graph with = add_self_loops(Context(), without);
  RC_ASSERT(graph_stats(Context(), without).self_loops == 0);
  RC_ASSERT(graph_stats(Context(), with).self_loops == graph.nodes());
  RC_ASSERT(test::same(remove_self_loops(Context(), with), without));
  RC_ASSERT(test::same(add_self_loops(Context(), with), with));
}

RC_GTEST_PROP(TransformProperties, TheSubgraphOfAllNodesIsTheGraph, ()) {
  const Graph graph = test::arbitrary_graph();
  std::vector<std::int32_t> all;
  for (std::int32_t i = 0; i < graph.nodes(); ++i) all.push_back(i);
  RC_ASSERT(test::same(induced_subgraph(Context(), graph, all), graph));
}

RC_GTEST_PROP(TransformProperties, ASubgraphHasTheEdgesBetweenItsNodes, ()) {
  const Graph graph = test::arbitrary_graph();
  std::vector<std::int32_t> nodes;
  for (std::int32_t i = 0; i < graph.nodes(); ++i) {
    if (*rc::gen::arbitrary<bool>()) nodes.push_back(i);
  }
  RandomStream random(*rc::gen::arbitrary<std::uint64_t>(), Purpose::test);
  shuffle(std::span(nodes), random);
  const Graph sub = induced_subgraph(Context(), graph, nodes);
  const Weights all = weights(graph.adjacency);
  Weights expected;
  for (std::int32_t i = 0; i < sub.nodes(); ++i) {
    for (std::int32_t j = 0; j < sub.nodes(); ++j) {
      const auto found =
          all.find({nodes[static_cast<std::size_t>(i)], nodes[static_cast<std::size_t>(j)]});
      if (found != all.end()) expected[{i, j}] = found->second;
    }
  }
  RC_ASSERT(weights(sub.adjacency) == expected);
  for (std::int32_t i = 0; i < sub.nodes(); ++i) {
    RC_ASSERT(sub.node_name(i) == graph.node_name(nodes[static_cast<std::size_t>(i)]));
  }
  validate(sub, "sub");
}

RC_GTEST_PROP(TransformProperties, TheLargestComponentIsConnected, ()) {
  const Graph graph = test::arbitrary_graph();
  const Graph part = largest_component(Context(), graph);
  const GraphStats before = graph_stats(Context(), graph);
  const GraphStats after = graph_stats(Context(), part);
  RC_ASSERT(after.components == std::min<std::int64_t>(graph.nodes(), 1));
  RC_ASSERT(after.nodes == before.largest_component_nodes);
  RC_ASSERT(after.edges == before.largest_component_edges);
}

RC_GTEST_PROP(TransformProperties, ASimpleGraphIsSimple, ()) {
  const Graph graph = test::arbitrary_graph();
  const Graph simple = simple_graph(Context(), graph);
  const GraphStats before = graph_stats(Context(), graph);
  const GraphStats after = graph_stats(Context(), simple);
  RC_ASSERT(after.self_loops == 0);
  RC_ASSERT(after.edges == before.edges);
  RC_ASSERT(after.entries == (graph.directed ? before.directed_edges : 2 * before.edges));
  RC_ASSERT(test::same(simple_graph(Context(), simple), simple));
}

}  // namespace
}  // namespace creg::transforms_properties_test
