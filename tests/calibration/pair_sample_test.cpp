#include "calibration/pair_sample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "creg/core/random.h"
#include "graph/build.h"
#include "graph/normalise.h"
#include "support/device_under_test.h"
#include "support/expect_error.h"
#include "support/graphs.h"

namespace creg::pair_sample_test {
namespace {

using test::expect_error;

DenseMatrix random_rows(std::int64_t rows, std::int64_t cols, std::uint64_t seed = 1) {
  RandomStream stream(seed, Purpose::test);
  Buffer<float> values(rows * cols);
  for (std::int64_t i = 0; i < rows * cols; ++i) values[i] = static_cast<float>(stream.normal());
  return {.rows = rows, .cols = cols, .values = std::move(values)};
}

/// A ring with a chord from every third node, and one node apart from all.
Graph ring_and_one(std::int64_t nodes) {
  test::Edges edges;
  const auto last = static_cast<std::int32_t>(nodes - 1);
  const auto join = [&](std::int32_t u, std::int32_t v) {
    edges.emplace_back(u, v);
    edges.emplace_back(v, u);
  };
  for (std::int32_t i = 0; i < last; ++i) {
    join(i, (i + 1) % last);
    if (i % 3 == 0) join(i, (i + 5) % last);
  }
  Graph graph;
  graph.name = "ring";
  graph.adjacency = test::csr(nodes, edges);
  return graph;
}

double score(const DenseMatrix& h, std::int64_t a, std::int64_t b) {
  double sum = 0;
  for (std::int64_t c = 0; c < h.cols; ++c) {
    sum += static_cast<double>(h.values[a * h.cols + c]) * h.values[b * h.cols + c];
  }
  return sum;
}

double sigma(double x) {
  return 1 / (1 + std::exp(-x));
}

class PairSamples : public testing::Test {
 protected:
  Context context_ = test::context({.threads = 2, .seed = 3});
  Graph graph_ = ring_and_one(40);
  DenseMatrix h_ = random_rows(40, 6);
};

/// All similarities in double, sorted: the N x N reference.
TEST_F(PairSamples, PositivesAreTheMostSimilarOfAll) {
  for (const Similarity similarity : {Similarity::cosine, Similarity::dot}) {
    for (const SelfPairs self : {SelfPairs::include, SelfPairs::exclude}) {
      for (const std::int64_t anchors : {0, 15, 40}) {
        const PairSample sample =
            sample_pairs(context_, graph_, h_,
                         {.k = 4, .similarity = similarity, .self = self, .anchors = anchors});
        ASSERT_EQ(sample.anchors.size(), anchors == 15 ? 15U : 40U);
        ASSERT_TRUE(std::is_sorted(sample.anchors.begin(), sample.anchors.end()));
        for (std::size_t i = 0; i < sample.anchors.size(); ++i) {
          const std::int32_t a = sample.anchors[i];
          const auto likeness = [&](std::int64_t b) {
            const double norms = std::sqrt(score(h_, a, a) * score(h_, b, b));
            return similarity == Similarity::dot ? score(h_, a, b) : score(h_, a, b) / norms;
          };
          std::vector<std::int32_t> order(40);
          std::iota(order.begin(), order.end(), 0);
          if (self == SelfPairs::exclude) std::erase(order, a);
          std::sort(order.begin(), order.end(),
                    [&](auto x, auto y) { return likeness(x) > likeness(y); });
          ASSERT_EQ(sample.offsets[i + 1] - sample.offsets[i], 4);
          for (std::size_t p = 0; p < 4; ++p) {
            const std::size_t place = 4 * i + p;
            EXPECT_EQ(sample.positives[place], order[p]);
            EXPECT_NEAR(sample.positive_sigma[place], sigma(score(h_, a, order[p])), 1e-12);
          }
        }
      }
    }
  }
}

TEST_F(PairSamples, NegativesAreAnyOtherNodes) {
  std::vector<int> met(40, 0);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const PairSample sample = sample_pairs(context_.with_seed(seed), graph_, h_, {.k = 8});
    ASSERT_EQ(sample.negatives.size(), 320U);
    for (std::size_t p = 0; p < sample.negatives.size(); ++p) {
      const std::int32_t a = sample.anchors[p / 8];
      const std::int32_t b = sample.negatives[p];
      ASSERT_TRUE(b >= 0 && b < 40 && b != a);
      ASSERT_NEAR(sample.negative_sigma[p], sigma(score(h_, a, b)), 1e-12);
      ++met[static_cast<std::size_t>(b)];
    }
  }
  // 400 times each on average: 5 standard deviations are 100.
  for (const int count : met) EXPECT_NEAR(count, 400, 100);
}

TEST_F(PairSamples, AnchorsAreDrawnBySeedWithoutRepeats) {
  std::set<std::vector<std::int32_t>> seen;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const PairSample sample = sample_pairs(context_.with_seed(seed), graph_, h_, {.anchors = 10});
    const std::set<std::int32_t> distinct(sample.anchors.begin(), sample.anchors.end());
    EXPECT_EQ(distinct.size(), 10U);
    seen.insert(sample.anchors);
  }
  EXPECT_EQ(seen.size(), 5U);
}

TEST_F(PairSamples, OfLcAreTheNeighboursWithTheLargestProduct) {
  const PairSample sample =
      sample_pairs(context_, graph_, h_, {.source = PairSource::neighbours, .k = 2});
  for (std::size_t i = 0; i < sample.anchors.size(); ++i) {
    const std::int32_t a = sample.anchors[i];
    const auto row = graph_.adjacency.row(a);
    std::vector<std::int32_t> order(row.begin(), row.end());
    std::sort(order.begin(), order.end(),
              [&](auto x, auto y) { return score(h_, a, x) > score(h_, a, y); });
    order.resize(std::min<std::size_t>(order.size(), 2));
    const std::vector<std::int32_t> found(sample.positives.begin() + sample.offsets[i],
                                          sample.positives.begin() + sample.offsets[i + 1]);
    EXPECT_EQ(found, order);
  }
  // The node apart has none.
  EXPECT_EQ(sample.offsets[40], sample.offsets[39]);
}

TEST_F(PairSamples, OfGcnNegAreNeighbours) {
  const PairSample sample =
      sample_pairs(context_, graph_, h_, {.source = PairSource::edges, .k = 3});
  for (std::size_t i = 0; i < sample.anchors.size(); ++i) {
    const auto row = graph_.adjacency.row(sample.anchors[i]);
    const std::set<std::int32_t> neighbours(row.begin(), row.end());
    const std::set<std::int32_t> found(sample.positives.begin() + sample.offsets[i],
                                       sample.positives.begin() + sample.offsets[i + 1]);
    EXPECT_EQ(found.size(), std::min<std::size_t>(3, neighbours.size()));
    EXPECT_TRUE(std::includes(neighbours.begin(), neighbours.end(), found.begin(), found.end()));
  }
}

TEST_F(PairSamples, OfMlAreTheNodesOnePropagationDeeper) {
  const PairSample sample =
      sample_pairs(context_, graph_, h_, {.source = PairSource::propagation, .k = 2});
  const CsrMatrix propagation = gcn_normalised(context_, graph_.adjacency);
  const auto deeper_score = [&](std::int64_t a, std::int64_t b) {
    double sum = 0;
    for (std::int64_t e = propagation.offsets[a]; e < propagation.offsets[a + 1]; ++e) {
      sum += static_cast<double>(propagation.value(e)) * score(h_, propagation.columns[e], b);
    }
    return sum;
  };
  ASSERT_EQ(sample.positives, sample.anchors);
  for (std::size_t i = 0; i < sample.anchors.size(); ++i) {
    const std::int32_t a = sample.anchors[i];
    EXPECT_NEAR(sample.positive_sigma[i], sigma(deeper_score(a, a)), 1e-5);
    for (std::size_t p = 2 * i; p < 2 * i + 2; ++p) {
      EXPECT_NEAR(sample.negative_sigma[p], sigma(deeper_score(a, sample.negatives[p])), 1e-5);
    }
  }
}

TEST_F(PairSamples, DoNotDependOnThreads) {
  const Context one = test::context({.threads = 1, .seed = 3});
  for (const std::int64_t anchors : {0, 11}) {
    const PairSample a = sample_pairs(context_, graph_, h_, {.anchors = anchors});
    const PairSample b = sample_pairs(one, graph_, h_, {.anchors = anchors});
    EXPECT_EQ(a.positives, b.positives);
    EXPECT_EQ(a.negatives, b.negatives);
    EXPECT_EQ(a.positive_sigma, b.positive_sigma);
  }
}

TEST_F(PairSamples, RefuseWhatMakesNoPairs) {
  expect_error([&] { sample_pairs(context_, graph_, h_, {.k = 41}); }, {"1 to 40"});
  expect_error([&] { sample_pairs(context_, graph_, h_, {.k = 40, .self = SelfPairs::exclude}); },
               {"1 to 39"});
  expect_error([&] { sample_pairs(context_, graph_, h_, {.k = 0}); }, {"--k"});
  expect_error([&] { sample_pairs(context_, graph_, h_, {.anchors = 41}); },
               {"--anchors", "1 to 40"});
  expect_error([&] { sample_pairs(context_, graph_, random_rows(39, 6)); }, {"39", "40"});
  Graph single;
  single.adjacency = test::csr(1, {});
  expect_error([&] { sample_pairs(context_, single, random_rows(1, 6)); }, {"single node"});
}

TEST(AnchorCount, IsAllNodesOrTenThousand) {
  EXPECT_EQ(anchor_count(500, {}), 500);
  EXPECT_EQ(anchor_count(1'000'000, {}), 10'000);
  EXPECT_EQ(anchor_count(1'000'000, {.anchors = 20'000}), 20'000);
}

}  // namespace
}  // namespace creg::pair_sample_test
