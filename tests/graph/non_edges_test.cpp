#include "graph/non_edges.h"

#include <gtest/gtest.h>

#include <map>

#include "support/expect_error.h"
#include "support/graphs.h"

namespace creg::non_edges_test {
namespace {

using test::Edges;
using Ids = std::vector<std::int32_t>;

struct Drawn {
  Ids from;
  Ids to;
  bool operator==(const Drawn&) const = default;
};

Drawn draw(const NonEdgeSampler& sampler, std::size_t count, std::uint32_t epoch = 1,
           int threads = 1, std::uint64_t seed = 0) {
  Drawn drawn{Ids(count), Ids(count)};
  sampler.draw(Context({.threads = threads}), seed, Purpose::test, epoch, 0, drawn.from, drawn.to);
  return drawn;
}

/// Every ordered pair of two nodes without an edge, by brute force.
std::map<std::pair<std::int32_t, std::int32_t>, int> absent_pairs(const CsrMatrix& adjacency) {
  std::map<std::pair<std::int32_t, std::int32_t>, int> pairs;
  for (std::int32_t u = 0; u < adjacency.rows; ++u) {
    for (std::int32_t v = 0; v < adjacency.rows; ++v) {
      if (u != v) pairs[{u, v}] = 0;
    }
  }
  for (const auto& [u, v] : test::entries(adjacency)) {
    pairs.erase({u, v});
    pairs.erase({v, u});
  }
  return pairs;
}

void expect_uniform(const CsrMatrix& adjacency) {
  const NonEdgeSampler sampler(Context(), adjacency, "made up");
  auto counts = absent_pairs(adjacency);
  constexpr std::size_t each = 400;
  const Drawn drawn = draw(sampler, each * counts.size());
  for (std::size_t i = 0; i < drawn.from.size(); ++i) {
    const auto found = counts.find({drawn.from[i], drawn.to[i]});
    ASSERT_NE(found, counts.end()) << drawn.from[i] << " - " << drawn.to[i];
    ++found->second;
  }
  // About six standard deviations.
  for (const auto& [pair, count] : counts) EXPECT_NEAR(count, each, 120) << pair.first;
}

TEST(NonEdges, AreUniformAmongPairsWithoutAnEdgeInEitherDirection) {
  // Directed entries, a loop, a repeat, columns out of order.
  CsrMatrix adjacency = test::csr(7, {{0, 1}, {0, 1}, {2, 2}, {5, 3}, {5, 6}, {4, 0}});
  adjacency.columns = Ids{1, 1, 2, 0, 6, 3};
  expect_uniform(adjacency);
}

TEST(NonEdges, AreUniformWhereEdgesAreTheRule) {
  Edges edges;
  for (std::int32_t u = 0; u < 8; ++u) {
    for (std::int32_t v = u + 1; v < 8; ++v) {
      if ((u + v) % 5 != 0) edges.emplace_back(u, v);
    }
  }
  expect_uniform(test::csr(8, edges));
}

TEST(NonEdges, AreTheSameForAnyThreadsAndPieces) {
  const NonEdgeSampler sampler(Context(), test::path_graph(50).adjacency, "path");
  const std::size_t count = 3 * NonEdgeSampler::block + 17;
  const Drawn whole = draw(sampler, count);
  EXPECT_EQ(whole, draw(sampler, count, 1, 3));
  Drawn pieces{Ids(count), Ids(count)};
  const std::size_t cut = 2 * NonEdgeSampler::block;
  const Context context;
  const auto part = [](Ids& ids, std::size_t first) { return std::span(ids).subspan(first); };
  sampler.draw(context, 0, Purpose::test, 1, 0, std::span(pieces.from).first(cut),
               std::span(pieces.to).first(cut));
  sampler.draw(context, 0, Purpose::test, 1, static_cast<std::int64_t>(cut), part(pieces.from, cut),
               part(pieces.to, cut));
  EXPECT_EQ(whole, pieces);
  EXPECT_NE(whole, draw(sampler, count, 2));
  EXPECT_NE(whole, draw(sampler, count, 1, 1, 9));
}

TEST(NonEdges, ACompleteGraphHasNone) {
  const CsrMatrix triangle = test::csr(3, {{0, 1}, {1, 2}, {2, 0}});
  test::expect_error([&] { NonEdgeSampler(Context(), triangle, "triangle"); },
                     {"triangle", "no non-edge", "3 nodes, 3 edges"});
  test::expect_error([] { NonEdgeSampler(Context(), test::csr(1, {}), ""); }, {"no non-edge"});
  EXPECT_EQ(draw(NonEdgeSampler(Context(), test::csr(2, {}), ""), 5).from.size(), 5U);
}

}  // namespace
}  // namespace creg::non_edges_test
