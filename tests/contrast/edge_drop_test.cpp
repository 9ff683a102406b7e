#include "contrast/edge_drop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "contrast/adaptive_chances.h"
#include "graph/centrality.h"
#include "support/graphs.h"

namespace creg::edge_drop_test {
namespace {

/// A ring with chords, both directions stored, long enough for several pieces of parallel work.
CsrMatrix ring(std::int32_t nodes = 5000) {
  test::Edges edges;
  for (std::int32_t u = 0; u < nodes; ++u) {
    for (const std::int32_t step : {1, 7}) {
      edges.emplace_back(u, (u + step) % nodes);
      edges.emplace_back((u + step) % nodes, u);
    }
  }
  return test::csr(nodes, edges);
}

double share_gone(const CsrMatrix& whole, const CsrMatrix& view) {
  return 1 - static_cast<double>(view.nonzeros()) / static_cast<double>(whole.nonzeros());
}

/// Entries of `view` that are none of `whole`, as multisets.
std::size_t strangers(const CsrMatrix& whole, const CsrMatrix& view) {
  const test::Edges all = test::entries(whole);
  const test::Edges kept = test::entries(view);
  test::Edges added;
  std::set_difference(kept.begin(), kept.end(), all.begin(), all.end(), std::back_inserter(added));
  return added.size();
}

TEST(DropEdges, TakesTheGivenShareOfEntriesAndAddsNone) {
  const CsrMatrix whole = ring();
  for (const double chance : {0.1, 0.4, 0.9}) {
    const CsrMatrix view = drop_edges(Context(), whole, chance, {.seed = 3, .step = 5});
    const double deviation =
        std::sqrt(chance * (1 - chance) / static_cast<double>(whole.nonzeros()));
    EXPECT_NEAR(share_gone(whole, view), chance, 4 * deviation);
    EXPECT_EQ(strangers(whole, view), 0);
    EXPECT_EQ(view.rows, whole.rows);
    EXPECT_EQ(view.cols, whole.cols);
  }
}

/// With each direction on its own, both are gone with the square of the chance.
TEST(DropEdges, DirectionsAreDrawnOnTheirOwn) {
  const CsrMatrix whole = ring();
  const test::Edges kept = test::entries(drop_edges(Context(), whole, 0.5, {.seed = 1}));
  const std::set<std::pair<std::int32_t, std::int32_t>> there(kept.begin(), kept.end());
  std::int64_t one_way = 0;
  for (const auto& [u, v] : kept) one_way += there.contains({v, u}) ? 0 : 1;
  EXPECT_NEAR(static_cast<double>(one_way) / static_cast<double>(whole.nonzeros()), 0.25, 0.02);
}

TEST(DropEdges, IsAFunctionOfSeedStepAndView) {
  const CsrMatrix whole = ring();
  const ViewDraw draw{.seed = 3, .step = 5, .view = 1};
  const auto view = [&](const ViewDraw& key, int threads) {
    return drop_edges(Context({.threads = threads}), whole, 0.3, key);
  };
  EXPECT_TRUE(test::same(view(draw, 1), view(draw, 4)));
  EXPECT_FALSE(test::same(view(draw, 1), view({.seed = 3, .step = 5, .view = 0}, 1)));
  EXPECT_FALSE(test::same(view(draw, 1), view({.seed = 3, .step = 6, .view = 1}, 1)));
  EXPECT_FALSE(test::same(view(draw, 1), view({.seed = 4, .step = 5, .view = 1}, 1)));
}

TEST(DropEdges, ZeroKeepsAllAndOneNothing) {
  const CsrMatrix whole = test::csr(3, {{0, 1}, {0, 1}, {2, 0}}, {1, 2, 3});
  EXPECT_TRUE(test::same(drop_edges(Context(), whole, 0, {}), whole));
  EXPECT_TRUE(test::same(drop_edges(Context(), whole, std::vector<float>{0, 0, 0}, {}), whole));
  EXPECT_EQ(drop_edges(Context(), whole, 1, {}).nonzeros(), 0);
}

TEST(DropEdges, EntriesHaveChancesAndKeepTheirValues) {
  const CsrMatrix whole = test::csr(3, {{0, 1}, {0, 2}, {1, 0}, {2, 2}}, {1, 2, 3, 4});
  const CsrMatrix view = drop_edges(Context(), whole, std::vector<float>{0, 1, 1, 0}, {});
  EXPECT_EQ(test::entries(view), (test::Edges{{0, 1}, {2, 2}}));
  EXPECT_EQ(std::vector<float>(view.values.begin(), view.values.end()), (std::vector<float>{1, 4}));
}

TEST(DropEdges, TakesGraphsWithoutNodesOrEdges) {
  for (const std::int64_t nodes : {0, 3}) {
    EXPECT_EQ(drop_edges(Context(), test::csr(nodes, {}), 0.5, {}).nonzeros(), 0);
  }
}

/// The formula, step by step, in double.
std::vector<double> chances_by_formula(const std::vector<double>& s, double chance) {
  double largest = -1e300;
  double mean = 0;
  std::size_t count = 0;
  for (const double x : s) {
    if (std::isinf(x)) continue;
    largest = std::max(largest, x);
    mean += x;
    ++count;
  }
  mean /= static_cast<double>(count);
  std::vector<double> w;
  double mean_weight = 0;
  for (const double x : s) {
    w.push_back((largest - x) / (largest - mean));
    if (!std::isinf(x)) mean_weight += w.back() / static_cast<double>(count);
  }
  for (double& x : w) x = std::min(x / mean_weight * chance, 0.7);
  return w;
}

TEST(AdaptiveChances, AreTheFormula) {
  const std::vector<double> s = {0, 0.7, 2, -1, 1.3, -3, 0};
  for (const double chance : {0.05, 0.3, 0.6}) {
    const std::vector<double> wanted = chances_by_formula(s, chance);
    const std::vector<float> found = adaptive_chances(s, chance);
    for (std::size_t i = 0; i < s.size(); ++i) EXPECT_NEAR(found[i], wanted[i], 1e-6);
    EXPECT_EQ(found[2], 0);
  }
}

TEST(AdaptiveChances, WhatIsNeverThereIsLeftOut) {
  const std::vector<double> s = {1, -INFINITY, 2, 0.5};
  const std::vector<float> found = adaptive_chances(s, 0.3);
  const std::vector<double> wanted = chances_by_formula({1, 2, 0.5}, 0.3);
  EXPECT_NEAR(found[0], wanted[0], 1e-6);
  EXPECT_FLOAT_EQ(found[1], 0.7F);
  EXPECT_NEAR(found[2], wanted[1], 1e-6);
  EXPECT_NEAR(found[3], wanted[2], 1e-6);
  EXPECT_EQ(adaptive_chances(s, 0), (std::vector<float>{0, 0, 0, 0}));
  EXPECT_EQ(adaptive_chances(std::vector<double>{-INFINITY}, 0.2), (std::vector<float>{0.7F}));
}

TEST(AdaptiveChances, EqualScoresHaveEqualChances) {
  const std::vector<double> s(7, std::log(3.0));
  EXPECT_EQ(adaptive_chances(s, 0.3), std::vector<float>(7, 0.3F));
  EXPECT_EQ(adaptive_chances(s, 0.9), std::vector<float>(7, 0.7F));
}

TEST(AdaptiveEdgeChances, GoByTheNodeThatAnEdgeLeadsTo) {
  // A hub, its leaves, and a tail.
  const CsrMatrix a = test::csr(
      6, {{0, 1}, {0, 2}, {0, 3}, {1, 0}, {2, 0}, {3, 0}, {3, 4}, {4, 3}, {4, 5}, {5, 4}});
  const std::vector<double> degree = degree_centrality(Context(), a);
  std::vector<double> s;
  for (const auto& [u, v] : test::entries(a)) s.push_back(std::log(degree[v]));
  const std::vector<double> wanted = chances_by_formula(s, 0.4);
  const std::vector<float> found = adaptive_edge_chances(Context(), a, degree, 0.4);
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(found[i], wanted[i], 1e-6);
  EXPECT_EQ(found[3], 0);  // into the hub
}

}  // namespace
}  // namespace creg::edge_drop_test
