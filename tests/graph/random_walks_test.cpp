#include "graph/random_walks.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "creg/core/error.h"
#include "support/expect_error.h"
#include "support/graphs.h"

namespace creg::random_walks_test {
namespace {

using Nodes = std::vector<std::int32_t>;

Nodes all_nodes(std::int64_t count) {
  Nodes nodes(static_cast<std::size_t>(count));
  std::iota(nodes.begin(), nodes.end(), 0);
  return nodes;
}

Nodes list(std::span<const std::int32_t> values) {
  return {values.begin(), values.end()};
}

/// 0-1-2 a triangle, 1-3 and 3-4 a tail, a loop at 3: from 1, reached from 0, a step back, a step
/// to a common neighbour and a step away are all there.
test::Edges kite() {
  return {{0, 1}, {1, 0}, {1, 2}, {2, 1}, {0, 2}, {2, 0}, {1, 3}, {3, 1}, {3, 4}, {4, 3}, {3, 3}};
}

/// Not symmetric; nothing leads out of 3.
test::Edges one_way() {
  return {{0, 1}, {1, 2}, {2, 0}, {0, 2}, {1, 3}, {2, 1}};
}

/// The chances of every next node from their definition.
std::map<std::int32_t, double> chances(const CsrMatrix& adjacency, std::int32_t before,
                                       std::int32_t node, double p, double q) {
  const test::Edges edges = test::entries(adjacency);
  const std::set<std::pair<std::int32_t, std::int32_t>> known(edges.begin(), edges.end());
  std::map<std::int32_t, double> out;
  double sum = 0;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (edges[e].first != node) continue;
    const std::int32_t next = edges[e].second;
    double share = adjacency.value(static_cast<std::int64_t>(e));
    if (before >= 0) share *= next == before ? 1 / p : known.contains({before, next}) ? 1 : 1 / q;
    out[next] += share;
    sum += share;
  }
  for (auto& [next, share] : out) share /= sum;
  return out;
}

/// Every pair (before, node) that walks meet often goes on as its chances say; before the first
/// step there is no node.
void expect_chances(const CsrMatrix& adjacency, double p, double q) {
  const RandomWalker walker(Context(), adjacency, p, q);
  const Walks walks = walker.walk(Context(), all_nodes(adjacency.rows), 4000, 8, 11, 2);
  std::map<std::pair<std::int32_t, std::int32_t>, std::map<std::int32_t, double>> seen;
  for (std::int64_t i = 0; i < walks.count; ++i) {
    const auto walk = walks.walk(i);
    for (std::size_t s = 0; s + 1 < walk.size(); ++s) {
      ++seen[{s == 0 ? -1 : walk[s - 1], walk[s]}][walk[s + 1]];
    }
  }
  for (const auto& [where, counts] : seen) {
    const auto wanted = chances(adjacency, where.first, where.second, p, q);
    if (wanted.empty()) continue;  // a node without a way out
    double total = 0;
    for (const auto& [next, count] : counts) {
      EXPECT_TRUE(wanted.contains(next)) << where.second << " -> " << next << " is no edge";
      total += count;
    }
    for (const auto& [next, chance] : wanted) {
      const auto found = counts.find(next);
      const double frequency = found == counts.end() ? 0 : found->second / total;
      // Five standard deviations.
      EXPECT_NEAR(frequency, chance, 5 * std::sqrt(chance * (1 - chance) / total) + 1e-12)
          << where.first << " " << where.second << " -> " << next << " with p " << p << ", q " << q;
    }
  }
}

TEST(RandomWalks, StepsHaveTheChancesOfSecondOrder) {
  const CsrMatrix graph = test::csr(5, kite());
  expect_chances(graph, 1, 1);
  expect_chances(graph, 0.25, 1);
  expect_chances(graph, 1, 0.25);
  expect_chances(graph, 4, 0.5);
  expect_chances(graph, 0.5, 4);
}

TEST(RandomWalks, DirectionsCount) {
  const CsrMatrix graph = test::csr(4, one_way());
  expect_chances(graph, 1, 1);
  expect_chances(graph, 2, 0.25);
}

TEST(RandomWalks, WeightsCount) {
  const CsrMatrix graph = test::csr(5, kite(), {0.5F, 1, 2, 4, 1, 0, 3, 0.25F, 1, 2, 1});
  expect_chances(graph, 1, 1);
  expect_chances(graph, 0.5, 3);
}

TEST(RandomWalks, RepeatedEdgesCountTwice) {
  const CsrMatrix graph = test::csr(3, {{0, 1}, {0, 1}, {0, 2}, {1, 0}, {2, 0}});
  ASSERT_EQ(graph.nonzeros(), 5);
  expect_chances(graph, 1, 1);
  expect_chances(graph, 0.5, 2);
}

/// Draws would be in vain nearly always: the neighbours are then listed.
TEST(RandomWalks, ExtremeParametersStillGoTheirWay) {
  const CsrMatrix graph = test::csr(5, kite());
  expect_chances(graph, 1e6, 2e6);
  expect_chances(graph, 1e-4, 1);
}

/// What p and q say is multiplied by the weights, also where neighbours are listed; the last edges
/// of nodes 2 and 3 weigh nothing.
TEST(RandomWalks, WeightsCountWhereNeighboursAreListed) {
  const CsrMatrix graph = test::csr(5, kite(), {0.5F, 1, 2, 0, 1, 3, 0.25F, 4, 0, 2, 1.5F});
  expect_chances(graph, 1e6, 2e6);
  expect_chances(graph, 1e-4, 1);
  expect_chances(graph, 1, 1e-4);
}

TEST(RandomWalks, ANodeWithoutAWayOutKeepsTheWalk) {
  const RandomWalker walker(Context(), test::csr(4, {{0, 1}, {2, 3}, {3, 2}}));
  const Walks walks = walker.walk(Context(), Nodes{0, 1, 2}, 2, 5, 0, 0);
  EXPECT_EQ(walks.count, 6);
  EXPECT_EQ(walks.length, 5);
  EXPECT_EQ(list(walks.walk(1)), (Nodes{0, 1, 1, 1, 1}));
  EXPECT_EQ(list(walks.walk(2)), (Nodes{1, 1, 1, 1, 1}));
  EXPECT_EQ(list(walks.walk(5)), (Nodes{2, 3, 2, 3, 2}));

  // Weights of 0 lead nowhere.
  const RandomWalker weighted(Context(), test::csr(2, {{0, 1}, {1, 0}}, {1, 0}));
  EXPECT_EQ(list(weighted.walk(Context(), Nodes{0}, 1, 4, 0, 0).walk(0)), (Nodes{0, 1, 1, 1}));
}

TEST(RandomWalks, AWalkOfOneNodeIsItsStart) {
  const RandomWalker walker(Context(), test::csr(5, kite()), 0.5, 2);
  EXPECT_EQ(list(walker.walk(Context(), Nodes{4, 2}, 1, 1, 0, 0).nodes.span()), (Nodes{4, 2}));
  EXPECT_EQ(walker.walk(Context(), Nodes{}, 3, 4, 0, 0).count, 0);
}

TEST(RandomWalks, DependOnSeedEpochAndNumberAlone) {
  const CsrMatrix graph = test::csr(5, kite());
  for (const double p : {1.0, 0.3}) {
    const RandomWalker walker(Context(), graph, p, 1);
    const Nodes starts = all_nodes(5);
    const Context one({.threads = 1});
    const Context four({.threads = 4});
    const Walks walks = walker.walk(one, starts, 200, 12, 7, 3);
    EXPECT_TRUE(test::same(walks.nodes, walker.walk(four, starts, 200, 12, 7, 3).nodes));
    EXPECT_FALSE(test::same(walks.nodes, walker.walk(one, starts, 200, 12, 8, 3).nodes));
    EXPECT_FALSE(test::same(walks.nodes, walker.walk(one, starts, 200, 12, 7, 4).nodes));
    // The first walks do not care how many follow, and a longer walk begins like the shorter one.
    const Walks fewer = walker.walk(four, Nodes{0}, 200, 6, 7, 3);
    for (std::int64_t i = 0; i < fewer.count; ++i) {
      EXPECT_EQ(list(fewer.walk(i)), list(walks.walk(i).first(6)));
    }
  }
}

TEST(RandomWalks, UnusableParametersAndWeightsAreInputErrors) {
  const CsrMatrix graph = test::csr(5, kite());
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double wrong : {0.0, -1.0, infinity, std::nan("")}) {
    test::expect_error([&] { RandomWalker(Context(), graph, wrong, 1); }, {"p", "above 0"});
    test::expect_error([&] { RandomWalker(Context(), graph, 1, wrong); }, {"q", "above 0"});
  }
  const CsrMatrix negative = test::csr(2, {{0, 1}, {1, 0}}, {1, -2});
  test::expect_error([&] { RandomWalker(Context(), negative); }, {"1 -> 0", "-2"});
}

TEST(RandomWalks, LookedUpNeighboursMustAscend) {
  CsrMatrix graph{.rows = 3, .cols = 3};
  graph.offsets = std::vector<std::int64_t>{0, 2, 3, 4};
  graph.columns = Nodes{2, 1, 0, 0};
  EXPECT_NO_THROW(RandomWalker(Context(), graph));
  EXPECT_THROW(RandomWalker(Context(), graph, 2, 1), Bug);
}

}  // namespace
}  // namespace creg::random_walks_test
