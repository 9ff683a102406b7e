#include "graph/edge_drop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

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

}  // namespace
}  // namespace creg::edge_drop_test
