#include "kernels/cpu/pair.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/made_up.h"

namespace creg::pair_test {
namespace {

using test::Floats;
using test::plain_dot;
using Ids = std::vector<std::int32_t>;

constexpr std::int64_t nodes = 11;

double softplus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}
double sigma(double x) {
  return 1 / (1 + std::exp(-x));
}

Ids random_ids(std::int64_t count, std::uint64_t seed) {
  RandomStream stream(seed, Purpose::test);
  Ids out;
  for (std::int64_t i = 0; i < count; ++i) {
    out.push_back(static_cast<std::int32_t>(stream.below(nodes)));
  }
  return out;
}

TEST(ScorePairs, LossSigmasAndGradient) {
  for (const std::int64_t width : {1, 16, 21}) {
    const Floats anchors = test::random_floats(nodes * width, 1);
    const Floats rows = test::random_floats(nodes * width, 2);
    for (const auto& [p, n] : {std::pair{1, 1}, std::pair{3, 2}, std::pair{2, 7}}) {
      const Ids positives = random_ids(nodes * p, 3);
      const Ids negatives = random_ids(nodes * n, 4);
      Floats coefficients(nodes * (p + n));
      Floats d_anchors(nodes * width);
      kernels::PairScores scores;
      scores.anchors = anchors.data();
      scores.rows = rows.data();
      scores.positives = positives.data();
      scores.negatives = negatives.data();
      scores.positive_count = p;
      scores.negative_count = n;
      scores.width = width;
      scores.scale = 0.5F;
      scores.share = 1.0F / nodes;
      scores.coefficients = coefficients.data();
      scores.d_anchors = d_anchors.data();
      scores.count = nodes;
      float mean_loss = 0;
      double mean_positive = 0;
      double mean_negative = 0;
      scores.loss = &mean_loss;
      scores.positive_sigma = &mean_positive;
      scores.negative_sigma = &mean_negative;
      const OneWorker worker;
      cpu::score_pairs({.workers = &worker}, scores);
      double loss = 0;
      double positive_sigma = 0;
      double negative_sigma = 0;
      for (std::int64_t m = 0; m < nodes; ++m) {
        const float* const anchor = anchors.data() + m * width;
        std::vector<double> gradient(static_cast<std::size_t>(width), 0);
        const auto add = [&](const float* row, double factor) {
          for (std::int64_t j = 0; j < width; ++j) gradient[j] += factor * row[j] / nodes;
        };
        double dot = 0;
        for (int i = 0; i < p; ++i) {
          dot += plain_dot(anchor, rows.data() + positives[m * p + i] * width, width);
        }
        const double score = 0.5 * dot / p;
        loss += softplus(-score);
        positive_sigma += sigma(score);
        for (int i = 0; i < p; ++i) {
          add(rows.data() + positives[m * p + i] * width, (sigma(score) - 1) * 0.5 / p);
        }
        for (int i = 0; i < n; ++i) {
          const float* const row = rows.data() + negatives[m * n + i] * width;
          const double other = 0.5 * plain_dot(anchor, row, width);
          loss += softplus(other);
          negative_sigma += sigma(other);
          add(row, sigma(other) * 0.5);
        }
        for (std::int64_t j = 0; j < width; ++j) {
          ASSERT_NEAR(d_anchors[m * width + j], gradient[j], 1e-5);
        }
      }
      EXPECT_NEAR(mean_loss, loss / nodes, 1e-5);
      EXPECT_NEAR(mean_positive, positive_sigma / nodes, 1e-5);
      EXPECT_NEAR(mean_negative, negative_sigma / (nodes * n), 1e-5);
    }
  }
}

TEST(ScoreEdges, LossAndGradientOfPairsInRows) {
  const test::Pattern pairs(nodes, nodes);
  for (const std::int64_t width : {3, 32}) {
    const Floats rows = test::random_floats(nodes * width);
    for (const bool positive : {true, false}) {
      Floats coefficients(static_cast<std::size_t>(pairs.entries()));
      Floats d_anchors(nodes * width, 9.0F);
      kernels::EdgeScores scores;
      scores.anchors = rows.data();
      scores.rows = rows.data();
      scores.offsets = pairs.offsets.data();
      scores.columns = pairs.columns.data();
      scores.width = width;
      scores.positive = positive;
      scores.coefficients = coefficients.data();
      scores.d_anchors = d_anchors.data();
      scores.count = nodes;
      scores.pairs = pairs.entries();
      float mean_loss = 0;
      double mean_sigma = 0;
      scores.loss = &mean_loss;
      scores.sigma = &mean_sigma;
      const OneWorker worker;
      cpu::score_edges({.workers = &worker}, scores);
      double loss = 0;
      double sigmas = 0;
      for (std::int64_t a = 0; a < nodes; ++a) {
        std::vector<double> gradient(static_cast<std::size_t>(width), 0);
        for (std::int64_t e = pairs.offsets[a]; e < pairs.offsets[a + 1]; ++e) {
          const float* const row = rows.data() + pairs.columns[e] * width;
          const double score = plain_dot(rows.data() + a * width, row, width);
          loss += softplus(positive ? -score : score);
          sigmas += sigma(score);
          const double slope = sigma(score) - (positive ? 1 : 0);
          ASSERT_NEAR(coefficients[e], slope, 1e-5);
          for (std::int64_t j = 0; j < width; ++j) gradient[j] += slope * row[j];
        }
        for (std::int64_t j = 0; j < width; ++j) {
          ASSERT_NEAR(d_anchors[a * width + j], gradient[j], 2e-5);
        }
      }
      EXPECT_NEAR(mean_loss, loss / static_cast<double>(pairs.entries()), 1e-5);
      EXPECT_NEAR(mean_sigma, sigmas / static_cast<double>(pairs.entries()), 1e-5);
    }
  }
}

TEST(ScoreDirection, AndWhatIsMadeOfItsCoefficients) {
  const OneWorker worker;
  for (const std::int64_t width : {1, 18}) {
    const Floats h = test::random_floats(nodes * width);
    const Floats u = test::random_floats(width, 2);
    Floats coefficients(nodes);
    float loss = 0;
    cpu::score_direction({.workers = &worker}, {.count = nodes,
                                                .width = width,
                                                .h = h.data(),
                                                .u = u.data(),
                                                .target = -1,
                                                .share = 0.25F,
                                                .coefficients = coefficients.data(),
                                                .loss = &loss});
    double expected = 0;
    for (std::int64_t i = 0; i < nodes; ++i) {
      const double score = plain_dot(h.data() + i * width, u.data(), width);
      expected += softplus(score);
      ASSERT_NEAR(coefficients[i], 0.25 * sigma(score), 1e-5);
    }
    EXPECT_NEAR(loss, expected / nodes, 1e-5);
    Floats d_h(h.size());
    Floats sums(u.size(), 1.0F);
    cpu::direction_gradient({.workers = &worker}, {.count = nodes,
                                                   .width = width,
                                                   .h = h.data(),
                                                   .u = u.data(),
                                                   .coefficients = coefficients.data(),
                                                   .d_h = d_h.data(),
                                                   .sums = sums.data()});
    for (std::int64_t j = 0; j < width; ++j) {
      double sum = 0;
      for (std::int64_t i = 0; i < nodes; ++i) {
        sum += static_cast<double>(coefficients[i]) * h[i * width + j];
        ASSERT_NEAR(d_h[i * width + j], coefficients[i] * u[j], 1e-6);
      }
      ASSERT_NEAR(sums[j], sum, 1e-5);
    }
  }
}

TEST(LengthStatistics, MeanAndUnbiasedVariance) {
  const OneWorker worker;
  constexpr std::int64_t width = 18;
  const Floats h = test::random_floats(nodes * width);
  for (const std::int64_t count : {std::int64_t{1}, nodes}) {
    Floats lengths(static_cast<std::size_t>(count));
    double mean = -1;
    double variance = -1;
    cpu::length_statistics({.workers = &worker},
                           {h.data(), count, width, lengths.data(), &mean, &variance});
    double sum = 0;
    double squares = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const float* const row = h.data() + i * width;
      const double length = std::sqrt(plain_dot(row, row, width));
      ASSERT_NEAR(lengths[i], length, 1e-5);
      sum += length;
      squares += length * length;
    }
    const auto n = static_cast<double>(count);
    EXPECT_NEAR(mean, sum / n, 1e-5);
    EXPECT_NEAR(variance, count == 1 ? 0 : (squares - sum * sum / n) / (n - 1), 1e-5);
  }
}

/// (anchor, coefficient) of everybody who met a row, in the order of the pairs.
using Meetings = std::vector<std::vector<std::pair<std::int32_t, float>>>;

struct Turned {
  explicit Turned(std::size_t pairs)
      : offsets(nodes + 1, -1), anchors(pairs, -1), coefficients(pairs) {}
  std::vector<std::int64_t> offsets;
  Ids anchors;
  Floats coefficients;

  kernels::TurnedPairs pointers() {
    return {nodes, offsets.data(), anchors.data(), coefficients.data()};
  }
  Meetings meetings() const {
    Meetings out(nodes);
    for (std::int64_t y = 0; y < nodes; ++y) {
      for (std::int64_t e = offsets[y]; e < offsets[y + 1]; ++e) {
        out[y].emplace_back(anchors[e], coefficients[e]);
      }
    }
    return out;
  }
};

TEST(TurnPairs, ListsWhoMetEachRow) {
  const OneWorker worker;
  const Ids ids = {4, 0, 7, 2};
  const Ids positives = random_ids(4 * 3, 3);
  const Ids negatives = random_ids(4 * 2, 4);
  const Floats given = test::random_floats(4 * 5);
  Floats coefficients = given;
  kernels::PairScores scores;
  scores.count = 4;
  scores.positives = positives.data();
  scores.negatives = negatives.data();
  scores.positive_count = 3;
  scores.negative_count = 2;
  scores.coefficients = coefficients.data();
  for (const bool named : {false, true}) {
    scores.ids = named ? ids.data() : nullptr;
    Meetings expected(nodes);
    for (std::int32_t m = 0; m < 4; ++m) {
      for (int e = 0; e < 5; ++e) {
        const std::int32_t y = e < 3 ? positives[m * 3 + e] : negatives[m * 2 + e - 3];
        expected[y].emplace_back(named ? ids[m] : m, given[m * 5 + e]);
      }
    }
    Turned turned(20);
    cpu::turn_pairs({.workers = &worker}, scores, turned.pointers());
    EXPECT_EQ(turned.meetings(), expected);
  }
}

TEST(TurnEdges, ListsWhoMetEachRow) {
  const OneWorker worker;
  const test::Pattern pairs(nodes, nodes);
  Floats coefficients = test::random_floats(pairs.entries());
  kernels::EdgeScores scores;
  scores.count = nodes;
  scores.pairs = pairs.entries();
  scores.offsets = pairs.offsets.data();
  scores.columns = pairs.columns.data();
  scores.coefficients = coefficients.data();
  Meetings expected(nodes);
  for (std::int32_t a = 0; a < nodes; ++a) {
    for (std::int64_t e = pairs.offsets[a]; e < pairs.offsets[a + 1]; ++e) {
      expected[pairs.columns[e]].emplace_back(a, coefficients[e]);
    }
  }
  Turned turned(static_cast<std::size_t>(pairs.entries()));
  cpu::turn_edges({.workers = &worker}, scores, turned.pointers());
  EXPECT_EQ(turned.meetings(), expected);
}

}  // namespace
}  // namespace creg::pair_test
