#include "ops/pair_sources.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <set>
#include <vector>

#include "creg/core/random.h"
#include "graph/non_edges.h"
#include "graph/random_walks.h"
#include "ops/csr.h"
#include "ops/edge_loss.h"
#include "support/attributed_graph.h"
#include "support/gradients.h"
#include "support/graphs.h"

namespace creg::pair_sources_test {
namespace {

/// The loss of a table over walks: its value by windows as they stand, its gradient by differences.
TEST(WalkSource, GivesTheSkipGramLoss) {
  const Graph graph = test::two_groups(12, 4);
  const Context context = test::context();
  const RandomWalker walker(Context(), graph.adjacency, 0.5, 2);
  const std::vector<std::int32_t> starts = {1, 2, 3, 7, 8, 11};
  const Walks walks = walker.walk(Context(), starts, 2, 6, 4, 1);
  constexpr int window = 3;
  const WalkSource::Pairs pairs =
      make_walk_source(context, csr_tensors(context, graph.adjacency), 0.5, 2)
          ->draw(context, test::on(at::tensor(starts, at::kInt)),
                 {.per_start = 2, .length = 6, .window = window, .negatives = 2}, 4, 1);

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

TEST(WalkSource, StartsFromAllNodesUnlessTold) {
  const Graph graph = test::two_groups(12, 4);
  const Context context = test::context();
  const auto source = make_walk_source(context, csr_tensors(context, graph.adjacency), 1, 1);
  const WalkOptions options{.per_start = 2, .length = 4, .window = 2, .negatives = 1};
  const auto whole = source->draw(context, {}, options, 3, 1);
  const auto named = source->draw(context, at::arange(12, test::options(at::kInt)), options, 3, 1);
  EXPECT_TRUE(test::equal(whole.positives.columns, named.positives.columns));
  EXPECT_TRUE(test::equal(whole.negatives.columns, named.negatives.columns));
  EXPECT_EQ(whole.positives.nonzeros(), 12 * 2 * 3);
}

TEST(NonEdgeSource, ListsNonEdgesByTheirFirstNode) {
  const Graph graph = test::two_groups(12, 4);
  const Context context = test::context();
  const auto source = make_non_edge_source(context, csr_tensors(context, graph.adjacency));
  std::set<std::pair<std::int32_t, std::int32_t>> joined;
  for (const auto& [u, v] : test::entries(host_csr(source->edges()))) joined.insert({u, v});
  for (const auto& [u, v] : test::entries(graph.adjacency)) {
    EXPECT_TRUE(u == v || (joined.contains({u, v}) && joined.contains({v, u})));
  }
  constexpr std::int64_t count = 500;
  const CsrMatrix drawn = host_csr(source->draw(context, count, 9, 2));
  EXPECT_EQ(drawn.nonzeros(), count);
  // The sampler's pairs, each row in the order of drawing.
  std::vector<std::int32_t> from(count);
  std::vector<std::int32_t> to(count);
  NonEdgeSampler(Context(), graph.adjacency, "")
      .draw(Context(), 9, Purpose::negatives, 2, 0, from, to);
  std::vector<std::vector<std::int32_t>> expected(12);
  for (std::size_t i = 0; i < from.size(); ++i) {
    EXPECT_FALSE(joined.contains({from[i], to[i]}));
    expected[static_cast<std::size_t>(from[i])].push_back(to[i]);
  }
  for (std::int64_t u = 0; u < 12; ++u) {
    const auto row = drawn.row(u);
    EXPECT_EQ(std::vector<std::int32_t>(row.begin(), row.end()),
              expected[static_cast<std::size_t>(u)]);
  }
}

}  // namespace
}  // namespace creg::pair_sources_test
