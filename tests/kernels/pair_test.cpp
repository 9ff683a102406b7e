#include "kernels/pair.h"

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
      cpu::PairScores scores;
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
      const cpu::PairSums found = cpu::score_pairs(scores, 0, nodes);
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
      EXPECT_NEAR(found.loss, loss, 1e-4);
      EXPECT_NEAR(found.positive_sigma, positive_sigma, 1e-4);
      EXPECT_NEAR(found.negative_sigma, negative_sigma, 1e-4);
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
      cpu::EdgeScores scores;
      scores.anchors = rows.data();
      scores.rows = rows.data();
      scores.offsets = pairs.offsets.data();
      scores.columns = pairs.columns.data();
      scores.width = width;
      scores.positive = positive;
      scores.coefficients = coefficients.data();
      scores.d_anchors = d_anchors.data();
      const cpu::EdgeSums found = cpu::score_edges(scores, 0, nodes);
      double loss = 0;
      for (std::int64_t a = 0; a < nodes; ++a) {
        std::vector<double> gradient(static_cast<std::size_t>(width), 0);
        for (std::int64_t e = pairs.offsets[a]; e < pairs.offsets[a + 1]; ++e) {
          const float* const row = rows.data() + pairs.columns[e] * width;
          const double score = plain_dot(rows.data() + a * width, row, width);
          loss += softplus(positive ? -score : score);
          const double slope = sigma(score) - (positive ? 1 : 0);
          ASSERT_NEAR(coefficients[e], slope, 1e-5);
          for (std::int64_t j = 0; j < width; ++j) gradient[j] += slope * row[j];
        }
        for (std::int64_t j = 0; j < width; ++j) {
          ASSERT_NEAR(d_anchors[a * width + j], gradient[j], 2e-5);
        }
      }
      EXPECT_NEAR(found.loss, loss, 1e-4);
    }
  }
}

TEST(ScoreDirection, AndWhatIsMadeOfItsCoefficients) {
  for (const std::int64_t width : {1, 18}) {
    const Floats h = test::random_floats(nodes * width);
    const Floats u = test::random_floats(width, 2);
    Floats coefficients(nodes);
    const double loss = cpu::score_direction(h.data(), u.data(), width, 0, 0.25F, false,
                                             coefficients.data(), 0, nodes);
    double expected = 0;
    for (std::int64_t i = 0; i < nodes; ++i) {
      const double score = plain_dot(h.data() + i * width, u.data(), width);
      expected += softplus(score);
      ASSERT_NEAR(coefficients[i], 0.25 * sigma(score), 1e-5);
    }
    EXPECT_NEAR(loss, expected, 1e-4);
    Floats d_h(h.size());
    cpu::spread_direction(u.data(), width, coefficients.data(), d_h.data(), 0, nodes);
    Floats sums(u.size(), 1.0F);
    cpu::sum_direction(h.data(), width, coefficients.data(), sums.data(), 0, nodes);
    Floats lengths(nodes);
    cpu::row_lengths(h.data(), width, lengths.data(), 0, nodes);
    for (std::int64_t j = 0; j < width; ++j) {
      double sum = 1;
      for (std::int64_t i = 0; i < nodes; ++i) {
        sum += static_cast<double>(coefficients[i]) * h[i * width + j];
        ASSERT_NEAR(d_h[i * width + j], coefficients[i] * u[j], 1e-6);
      }
      ASSERT_NEAR(sums[j], sum, 1e-5);
    }
    for (std::int64_t i = 0; i < nodes; ++i) {
      const float* const row = h.data() + i * width;
      ASSERT_NEAR(lengths[i], std::sqrt(plain_dot(row, row, width)), 1e-5);
    }
  }
}

}  // namespace
}  // namespace creg::pair_test
