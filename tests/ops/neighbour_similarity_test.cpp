#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "creg/core/random.h"
#include "ops/csr.h"
#include "ops/runtime.h"
#include "ops/similarity.h"
#include "support/expect_error.h"
#include "support/gradients.h"
#include "support/graphs.h"

namespace creg::neighbour_similarity_test {
namespace {

using test::expect_error;
using test::irregular;

/// A graph with nodes of every degree from 0 up, loops, repeats, and rows that are not sorted.
CsrMatrix untidy_graph(std::int32_t nodes) {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> columns;
  RandomStream stream(7, Purpose::test);
  for (std::int32_t i = 0; i < nodes; ++i) {
    const std::int32_t degree = i % 23;
    for (std::int32_t d = 0; d < degree; ++d) {
      columns.push_back(static_cast<std::int32_t>(stream.below(static_cast<std::uint64_t>(nodes))));
      if (d % 5 == 1) columns.push_back(columns.back());
      if (d == 3) columns.push_back(i);
    }
    offsets.push_back(static_cast<std::int64_t>(columns.size()));
  }
  return {.rows = nodes, .cols = nodes, .offsets = offsets, .columns = columns};
}

double similarity_of(const at::Tensor& h, std::int64_t i, std::int64_t j, Similarity similarity) {
  const at::Tensor a = h[i].to(at::kDouble);
  const at::Tensor b = h[j].to(at::kDouble);
  const double dot = at::dot(a, b).item<double>();
  if (similarity == Similarity::dot) return dot;
  return dot /
         (std::max(a.norm().item<double>(), 1e-12) * std::max(b.norm().item<double>(), 1e-12));
}

/// The neighbours of a node by falling similarity, then rising number.
std::vector<std::int32_t> ranked(const at::Tensor& h, const CsrMatrix& graph, std::int64_t node,
                                 Similarity similarity) {
  const auto row = graph.row(node);
  std::set<std::int32_t> distinct(row.begin(), row.end());
  distinct.erase(static_cast<std::int32_t>(node));
  std::map<std::int32_t, double> values;
  for (const std::int32_t other : distinct) {
    values[other] = similarity_of(h, node, other, similarity);
  }
  std::vector<std::int32_t> order(distinct.begin(), distinct.end());
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t a, std::int32_t b) { return values[a] > values[b]; });
  return order;
}

TEST(TopKNeighbours, AgainstARankingInDouble) {
  const Context context = test::context();
  const CsrMatrix graph = untidy_graph(90);
  // Whole numbers: dot products are exact and tie often.
  const at::Tensor h = irregular({90, 37}).mul(2).round();
  for (const Similarity similarity : {Similarity::dot, Similarity::cosine}) {
    for (const std::int64_t k : {1, 3, 30}) {
      const NeighbourTopK best =
          top_k_neighbours(context, test::on(h), csr_tensors(context, graph), k, similarity);
      ASSERT_EQ(best.indices.sizes(), (at::IntArrayRef{90, k}));
      const at::Tensor indices = test::on_host(best.indices);
      const at::Tensor values = test::on_host(best.values);
      for (std::int64_t i = 0; i < 90; ++i) {
        const auto order = ranked(h, graph, i, similarity);
        for (std::int64_t p = 0; p < k; ++p) {
          SCOPED_TRACE("node " + std::to_string(i) + ", place " + std::to_string(p));
          const auto got = indices[i][p].item<std::int32_t>();
          const double value = values[i][p].item<double>();
          if (p >= static_cast<std::int64_t>(order.size())) {
            EXPECT_EQ(got, -1);
            EXPECT_EQ(value, 0);
            continue;
          }
          ASSERT_NE(std::find(order.begin(), order.end(), got), order.end());
          EXPECT_NEAR(value, similarity_of(h, i, got, similarity), 1e-5);
          const std::int32_t wanted = order[static_cast<std::size_t>(p)];
          if (similarity == Similarity::dot) {
            EXPECT_EQ(got, wanted);
          }
          EXPECT_NEAR(value, similarity_of(h, i, wanted, similarity), 1e-5);
        }
      }
    }
  }
}

TEST(DrawTopNeighbour, DrawsEveryOneOfTheBestAndNoOther) {
  const CsrMatrix graph = untidy_graph(60);
  const at::Tensor h = irregular({60, 16}).mul(2).round();
  const at::Tensor there = test::on(h);
  const Context context = test::context();
  const CsrTensors adjacency = csr_tensors(context, graph);
  constexpr std::int64_t k = 4;
  std::vector<std::map<std::int32_t, int>> counts(60);
  constexpr std::uint32_t epochs = 400;
  for (std::uint32_t epoch = 0; epoch < epochs; ++epoch) {
    const at::Tensor drawn =
        test::on_host(draw_top_neighbour(context, there, adjacency, k, Similarity::dot, 5, epoch));
    const auto view = drawn.accessor<std::int32_t, 1>();
    for (std::int64_t i = 0; i < 60; ++i) ++counts[static_cast<std::size_t>(i)][view[i]];
  }
  for (std::int64_t i = 0; i < 60; ++i) {
    auto order = ranked(h, graph, i, Similarity::dot);
    if (order.size() > k) order.resize(k);
    auto& seen = counts[static_cast<std::size_t>(i)];
    if (order.empty()) {
      EXPECT_EQ(seen[-1], static_cast<int>(epochs)) << "node " << i;
      continue;
    }
    ASSERT_EQ(seen.size(), order.size()) << "node " << i;
    const double expected = static_cast<double>(epochs) / static_cast<double>(order.size());
    for (const std::int32_t other : order) {
      EXPECT_NEAR(seen[other], expected, 6 * std::sqrt(expected)) << "node " << i;
    }
  }
}

TEST(DrawTopNeighbour, DependsOnSeedAndEpochButNotOnThreads) {
  const CsrMatrix graph = untidy_graph(700);
  const at::Tensor h = test::on(irregular({700, 5}));
  const auto draw = [&](int threads, std::uint64_t seed, std::uint32_t epoch) {
    const Context context = test::context({.threads = threads});
    prepare_torch(context);
    return draw_top_neighbour(context, h, csr_tensors(context, graph), 3, Similarity::cosine, seed,
                              epoch);
  };
  const at::Tensor first = draw(1, 1, 1);
  EXPECT_TRUE(test::equal(draw(2, 1, 1), first));
  EXPECT_TRUE(test::equal(draw(3, 1, 1), first));
  EXPECT_FALSE(test::equal(draw(1, 2, 1), first));
  EXPECT_FALSE(test::equal(draw(1, 1, 2), first));
}

TEST(DrawTopNeighbour, LooksAtNoSimilarityWhereAllNeighboursQualify) {
  // Rows that would be refused show that they are not read.
  const at::Tensor h =
      at::full({5, 3}, std::numeric_limits<float>::quiet_NaN(), test::options(at::kFloat));
  const Context context = test::context();
  const CsrTensors path = csr_tensors(context, test::path_graph(5).adjacency);
  const at::Tensor drawn =
      test::on_host(draw_top_neighbour(context, h, path, 2, Similarity::dot, 0, 0));
  EXPECT_EQ(drawn[0].item<std::int32_t>(), 1);
  EXPECT_EQ(drawn[4].item<std::int32_t>(), 3);
}

TEST(TopKNeighbours, RefusesBadInput) {
  const Context context = test::context();
  const CsrTensors path = csr_tensors(context, test::path_graph(5).adjacency);
  const at::Tensor h = test::on(irregular({5, 3}));
  expect_error([&] { top_k_neighbours(context, h, path, 0); }, {"k", "found 0"});
  EXPECT_THROW(top_k_neighbours(context, test::on(irregular({4, 3})), path, 1), Bug);
}

TEST(TopKNeighbours, ANodeWhoseSimilaritiesAreNotFiniteIsRefusedOrHasNoNeighbour) {
  const Context context = test::context();
  const CsrTensors path = csr_tensors(context, test::path_graph(5).adjacency);
  at::Tensor bad = irregular({5, 3});
  bad[2][1] = std::numeric_limits<float>::quiet_NaN();
  const at::Tensor h = test::on(bad);
  const at::Tensor huge = at::full({5, 3}, 1e30, test::options(at::kFloat));
  const auto best = [&](const at::Tensor& rows) {
    return top_k_neighbours(context, rows, path, 1);
  };
  const auto drawn = [&] { return draw_top_neighbour(context, h, path, 1, Similarity::dot, 0, 0); };
  if (test::tensor_device().is_cpu()) {
    expect_error([&] { best(h); }, {"not finite", "node 2, column 2"});
    expect_error([&] { drawn(); }, {"not finite", "node 2, column 2"});
    expect_error([&] { top_k_neighbours(context, h, path, 1, Similarity::cosine); },
                 {"not finite", "node 2, column 2"});
    expect_error([&] { best(huge); }, {"leave the range of float32"});
  } else {
    // A step on a GPU does not wait to hear of it.
    EXPECT_EQ(test::on_host(best(h).indices)[2][0].item<std::int32_t>(), -1);
    EXPECT_EQ(test::on_host(drawn())[2].item<std::int32_t>(), -1);
    EXPECT_EQ(test::on_host(best(huge).indices)[1][0].item<std::int32_t>(), -1);
  }
}

}  // namespace
}  // namespace creg::neighbour_similarity_test
