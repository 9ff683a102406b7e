#include "graph/walk_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "creg/core/random.h"
#include "support/attributed_graph.h"
#include "support/expect_error.h"
#include "support/graphs.h"

namespace creg::walk_pairs_test {
namespace {

using Nodes = std::vector<std::int32_t>;

Walks given_walks(std::int64_t count, int length, Nodes nodes) {
  return {.count = count, .length = length, .nodes = std::move(nodes)};
}

Nodes partners(const CsrMatrix& pairs, std::int32_t centre) {
  const auto row = pairs.row(centre);
  return {row.begin(), row.end()};
}

Nodes columns(const CsrMatrix& pairs) {
  return {pairs.columns.begin(), pairs.columns.end()};
}

TEST(WalkPairs, TheFirstOfAWindowMeetsTheOthers) {
  const Walks walks = given_walks(2, 4, {0, 1, 2, 1, 2, 1, 0, 1});
  const WalkPairs pairs = walk_pairs(Context(), walks, 3, 1, 4, 0, 0);
  EXPECT_EQ(partners(pairs.positives, 0), (Nodes{1, 2}));
  EXPECT_EQ(partners(pairs.positives, 1), (Nodes{2, 1, 0, 1}));
  EXPECT_EQ(partners(pairs.positives, 2), (Nodes{1, 0}));
  EXPECT_EQ(partners(pairs.positives, 3), Nodes{});
  for (std::int64_t centre = 0; centre <= 4; ++centre) {
    EXPECT_EQ(pairs.negatives.offsets[centre], pairs.positives.offsets[centre]);
  }
}

TEST(WalkPairs, AWindowAsLongAsTheWalkIsTheWalk) {
  const WalkPairs pairs = walk_pairs(Context(), given_walks(1, 3, {1, 0, 2}), 3, 1, 3, 0, 0);
  EXPECT_EQ(columns(pairs.positives), (Nodes{0, 2}));
  EXPECT_EQ(partners(pairs.positives, 1), (Nodes{0, 2}));
}

TEST(WalkPairs, WindowsMustFitTheWalks) {
  const Walks walks = given_walks(1, 3, {0, 1, 0});
  test::expect_error([&] { walk_pairs(Context(), walks, 4, 1, 2, 0, 0); }, {"context", "4", "3"});
  test::expect_error([&] { walk_pairs(Context(), walks, 1, 1, 2, 0, 0); }, {"context", "1"});
}

TEST(WalkPairs, NegativesAreUniformAndFresh) {
  const Walks walks = given_walks(2000, 5, Nodes(10000, 1));
  const WalkPairs pairs = walk_pairs(Context(), walks, 3, 1, 4, 9, 2);
  ASSERT_EQ(pairs.negatives.nonzeros(), 12000);
  std::map<std::int32_t, int> seen;
  for (const std::int32_t node : pairs.negatives.columns) ++seen[node];
  ASSERT_EQ(seen.size(), 4U);
  for (const auto& [node, count] : seen) EXPECT_NEAR(count, 3000, 250) << node;
  EXPECT_NE(columns(pairs.negatives),
            columns(walk_pairs(Context(), walks, 3, 1, 4, 9, 3).negatives));
}

TEST(WalkPairs, DoNotDependOnThreads) {
  const Graph graph = test::two_groups();
  const RandomWalker walker(Context(), graph.adjacency);
  Nodes starts(40);
  std::iota(starts.begin(), starts.end(), 0);
  const Walks walks = walker.walk(Context(), starts, 10, 8, 1, 1);
  const WalkPairs one = walk_pairs(Context({.threads = 1}), walks, 4, 2, 40, 1, 1);
  const WalkPairs four = walk_pairs(Context({.threads = 4}), walks, 4, 2, 40, 1, 1);
  EXPECT_EQ(columns(one.positives), columns(four.positives));
  EXPECT_EQ(columns(one.negatives), columns(four.negatives));
}

}  // namespace
}  // namespace creg::walk_pairs_test
