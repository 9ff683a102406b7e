#include "contrast/walk_pairs.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "creg/core/random.h"
#include "support/attributed_graph.h"
#include "support/expect_error.h"
#include "support/gradients.h"
#include "support/graphs.h"

namespace creg::walk_pairs_test {
namespace {

using Nodes = std::vector<std::int32_t>;

Walks given_walks(std::int64_t count, int length, Nodes nodes) {
  return {.count = count, .length = length, .nodes = std::move(nodes)};
}

Nodes partners(const PairRows& pairs, std::int32_t centre) {
  return {pairs.columns.begin() + pairs.offsets[static_cast<std::size_t>(centre)],
          pairs.columns.begin() + pairs.offsets[static_cast<std::size_t>(centre) + 1]};
}

TEST(WalkPairs, TheFirstOfAWindowMeetsTheOthers) {
  const Walks walks = given_walks(2, 4, {0, 1, 2, 1, 2, 1, 0, 1});
  const WalkPairs pairs = walk_pairs(Context(), walks, 3, 1, 4, 0, 0);
  EXPECT_EQ(partners(*pairs.positives, 0), (Nodes{1, 2}));
  EXPECT_EQ(partners(*pairs.positives, 1), (Nodes{2, 1, 0, 1}));
  EXPECT_EQ(partners(*pairs.positives, 2), (Nodes{1, 0}));
  EXPECT_EQ(partners(*pairs.positives, 3), Nodes{});
  EXPECT_EQ(pairs.negatives->offsets, pairs.positives->offsets);
}

TEST(WalkPairs, AWindowAsLongAsTheWalkIsTheWalk) {
  const WalkPairs pairs = walk_pairs(Context(), given_walks(1, 3, {1, 0, 2}), 3, 1, 3, 0, 0);
  EXPECT_EQ(pairs.positives->columns, (Nodes{0, 2}));
  EXPECT_EQ(partners(*pairs.positives, 1), (Nodes{0, 2}));
}

TEST(WalkPairs, WindowsMustFitTheWalks) {
  const Walks walks = given_walks(1, 3, {0, 1, 0});
  test::expect_error([&] { walk_pairs(Context(), walks, 4, 1, 2, 0, 0); }, {"context", "4", "3"});
  test::expect_error([&] { walk_pairs(Context(), walks, 1, 1, 2, 0, 0); }, {"context", "1"});
}

TEST(WalkPairs, NegativesAreUniformAndFresh) {
  const Walks walks = given_walks(2000, 5, Nodes(10000, 1));
  const WalkPairs pairs = walk_pairs(Context(), walks, 3, 1, 4, 9, 2);
  ASSERT_EQ(pairs.negatives->columns.size(), 12000U);
  std::map<std::int32_t, int> seen;
  for (const std::int32_t node : pairs.negatives->columns) ++seen[node];
  ASSERT_EQ(seen.size(), 4U);
  for (const auto& [node, count] : seen) EXPECT_NEAR(count, 3000, 250) << node;
  EXPECT_NE(pairs.negatives->columns,
            walk_pairs(Context(), walks, 3, 1, 4, 9, 3).negatives->columns);
}

TEST(WalkPairs, DoNotDependOnThreads) {
  const Graph graph = test::two_groups();
  const RandomWalker walker(Context(), graph.adjacency);
  Nodes starts(40);
  std::iota(starts.begin(), starts.end(), 0);
  const Walks walks = walker.walk(Context(), starts, 10, 8, 1, 1);
  const WalkPairs one = walk_pairs(Context({.threads = 1}), walks, 4, 2, 40, 1, 1);
  const WalkPairs four = walk_pairs(Context({.threads = 4}), walks, 4, 2, 40, 1, 1);
  EXPECT_EQ(one.positives->columns, four.positives->columns);
  EXPECT_EQ(one.negatives->columns, four.negatives->columns);
}

/// The loss of a table over walks: its value by windows as they stand, its gradient by differences.
TEST(WalkPairs, GiveTheSkipGramLoss) {
  const Graph graph = test::two_groups(12, 4);
  const RandomWalker walker(Context(), graph.adjacency, 0.5, 2);
  const Walks walks = walker.walk(Context(), Nodes{1, 2, 3, 7, 8, 11}, 2, 6, 4, 1);
  constexpr int window = 3;
  const WalkPairs pairs = walk_pairs(Context(), walks, window, 2, 12, 4, 1);

  std::vector<std::int64_t> centres;
  std::vector<std::int64_t> near;
  std::vector<std::int64_t> far;
  for (std::int64_t i = 0; i < walks.count; ++i) {
    RandomStream stream(4, Purpose::walk_negatives, 1, static_cast<std::uint64_t>(i));
    const auto walk = walks.walk(i);
    for (std::size_t w = 0; w + window <= walk.size(); ++w) {
      for (std::size_t j = 1; j < window; ++j) {
        centres.push_back(walk[w]);
        near.push_back(walk[w + j]);
        for (int k = 0; k < 2; ++k) far.push_back(static_cast<std::int64_t>(stream.below(12)));
      }
    }
  }
  const at::Tensor c = at::tensor(centres);
  const at::Tensor n = at::tensor(near);
  const at::Tensor f = at::tensor(far);
  for (const LogForm form : {LogForm::stable, LogForm::naive}) {
    test::expect_matches(
        [&](const test::Tensors& x) {
          return edge_loss(x[0], x[0], pairs.positives, 1, 1.0, form).loss +
                 edge_loss(x[0], x[0], pairs.negatives, -1, 1.0, form).loss;
        },
        [&](const test::Tensors& x) {
          const auto sigma = [&](const at::Tensor& from, const at::Tensor& to) {
            return at::sigmoid((x[0].index_select(0, from) * x[0].index_select(0, to)).sum(1));
          };
          return -at::log(sigma(c, n) + 1e-15).mean() -
                 at::log(1 - sigma(c.repeat_interleave(2), f) + 1e-15).mean();
        },
        {test::irregular({12, 5})});
  }
}

}  // namespace
}  // namespace creg::walk_pairs_test
