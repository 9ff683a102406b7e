#include "calibration/direction_statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "creg/core/random.h"
#include "support/expect_error.h"

namespace creg::direction_statistics_test {
namespace {

using Vector = std::vector<double>;

DenseMatrix normals(std::int64_t rows, std::int64_t cols, double scale, double shift,
                    std::uint64_t seed) {
  RandomStream stream(seed, Purpose::test);
  std::vector<float> values;
  for (std::int64_t i = 0; i < rows * cols; ++i) {
    values.push_back(static_cast<float>(shift + scale * stream.normal()));
  }
  return {.rows = rows, .cols = cols, .values = std::move(values)};
}

double variance(const Vector& values) {
  if (values.size() < 2) return 0;
  double mean = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(values.size() - 1);
}

double length(const Vector& v) {
  double sum = 0;
  for (const double value : v) sum += value * value;
  return std::sqrt(sum);
}

/// By the definitions, with vectors that are really moved.
DirectionStatistics plain(const DenseMatrix& embedding, const DenseMatrix& weight,
                          const std::vector<Vector>& directions, double rate) {
  DirectionStatistics out;
  out.draws = static_cast<int>(directions.size());
  out.step_is_small = true;
  DirectionStatistics::Above above;
  for (const Vector& r : directions) {
    Vector u(r.size(), 0.0);
    for (std::size_t i = 0; i < r.size(); ++i) {
      for (std::size_t j = 0; j < r.size(); ++j) {
        u[i] +=
            static_cast<double>(weight.values[static_cast<std::int64_t>(i * r.size() + j)]) * r[j];
      }
    }
    Vector before;
    Vector after;
    Vector above_before;
    Vector above_after;
    for (std::int64_t i = 0; i < embedding.rows; ++i) {
      const auto row = embedding.row(i);
      Vector h(row.begin(), row.end());
      double x = 0;
      for (std::size_t k = 0; k < h.size(); ++k) x += h[k] * u[k];
      before.push_back(length(h));
      for (std::size_t k = 0; k < h.size(); ++k) h[k] += rate / (1 + std::exp(x)) * u[k];
      after.push_back(length(h));
      if (x > 1.5) {
        above_before.push_back(before.back());
        above_after.push_back(after.back());
      }
    }
    const double step = rate * length(u) * length(u);
    out.step_mean += step / out.draws;
    out.step_largest = std::max(out.step_largest, step);
    out.step_is_small = out.step_is_small && step <= 1;
    out.share_above +=
        static_cast<double>(above_before.size()) / static_cast<double>(embedding.rows) / out.draws;
    out.variance_before += variance(before) / out.draws;
    out.variance_after += variance(after) / out.draws;
    if (above_before.size() < 2) continue;
    ++above.draws;
    above.draws_fallen += variance(above_after) < variance(above_before) ? 1 : 0;
    above.variance_before += variance(above_before);
    above.variance_after += variance(above_after);
  }
  if (above.draws > 0) {
    above.variance_before /= above.draws;
    above.variance_after /= above.draws;
    out.above = above;
  }
  return out;
}

void expect_same(const DirectionStatistics& found, const DirectionStatistics& expected) {
  EXPECT_EQ(found.draws, expected.draws);
  EXPECT_NEAR(found.share_above, expected.share_above, 1e-12);
  EXPECT_NEAR(found.step_mean, expected.step_mean, 1e-9 * expected.step_mean);
  EXPECT_NEAR(found.step_largest, expected.step_largest, 1e-9 * expected.step_largest);
  EXPECT_EQ(found.step_is_small, expected.step_is_small);
  EXPECT_NEAR(found.variance_before, expected.variance_before, 1e-9 * expected.variance_before);
  EXPECT_NEAR(found.variance_after, expected.variance_after, 1e-9 * expected.variance_after);
  ASSERT_EQ(found.above.has_value(), expected.above.has_value());
  if (!found.above) return;
  EXPECT_EQ(found.above->draws, expected.above->draws);
  EXPECT_EQ(found.above->draws_fallen, expected.above->draws_fallen);
  EXPECT_NEAR(found.above->variance_before, expected.above->variance_before,
              1e-9 * expected.above->variance_before);
  EXPECT_NEAR(found.above->variance_after, expected.above->variance_after,
              1e-9 * expected.above->variance_after);
}

TEST(DirectionStatistics, AreThoseOfRowsMovedOneByOne) {
  const DenseMatrix embedding = normals(70, 5, 1, 0.4, 1);
  const DenseMatrix weight = normals(5, 5, 0.7, 0, 2);  // W and its transpose differ
  for (const double rate : {0.0, 0.01, 0.4, 3.0}) {
    std::vector<Vector> directions;
    for (std::uint64_t draw = 0; draw < 20; ++draw) {
      RandomStream stream(9, Purpose::direction, 0, draw);
      Vector r;
      for (int k = 0; k < 5; ++k) r.push_back(static_cast<double>(stream.uniform() * 1.5F));
      directions.push_back(r);
    }
    const DirectionStatistics found = direction_statistics(Context({.seed = 9}), embedding, weight,
                                                           {.r_scale = 1.5, .learning_rate = rate});
    expect_same(found, plain(embedding, weight, directions, rate));
    ASSERT_TRUE(found.above);
  }
}

TEST(DirectionStatistics, TheSummaryIsOneDirection) {
  const DenseMatrix embedding = normals(50, 4, 1, 1, 3);
  const DenseMatrix weight = normals(4, 4, 1, 0.3, 4);
  Vector r;
  for (std::size_t k = 0; k < 4; ++k) {
    double mean = 0;
    for (std::int64_t i = 0; i < 50; ++i) mean += static_cast<double>(embedding.row(i)[k]) / 50;
    r.push_back(1 / (1 + std::exp(-mean)));
  }
  // r_scale is that of random directions.
  const DirectionStatistics found = direction_statistics(
      Context(), embedding, weight, {.r = Direction::summary, .r_scale = 7, .learning_rate = 0.1});
  expect_same(found, plain(embedding, weight, {r}, 0.1));
}

/// The theorem's own case: one dimension, so that the part orthogonal to Wr is the same for all.
TEST(DirectionStatistics, TheVarianceFallsAsTheTheoremSays) {
  std::vector<float> values;
  for (int i = 0; i < 200; ++i) values.push_back(0.02F * static_cast<float>(i + 1));
  const DenseMatrix embedding{.rows = 200, .cols = 1, .values = values};
  const DenseMatrix weight{.rows = 1, .cols = 1, .values = std::vector<float>{2}};
  const DirectionStatistics found =
      direction_statistics(Context(), embedding, weight, {.learning_rate = 0.25});
  EXPECT_TRUE(found.step_is_small);
  ASSERT_TRUE(found.above);
  EXPECT_GT(found.above->draws, 5);
  EXPECT_EQ(found.above->draws_fallen, found.above->draws);
  EXPECT_LT(found.above->variance_after, found.above->variance_before);
}

TEST(DirectionStatistics, NoNodeAboveTheThresholdIsNoFigure) {
  const DenseMatrix embedding = normals(10, 3, 1e-3, 0, 5);
  const DenseMatrix weight = normals(3, 3, 1, 0, 6);
  const DirectionStatistics found =
      direction_statistics(Context(), embedding, weight, {.learning_rate = 0.1});
  EXPECT_EQ(found.share_above, 0);
  EXPECT_FALSE(found.above);
  const DirectionStatistics single = direction_statistics(
      Context(), {.rows = 1, .cols = 1, .values = std::vector<float>{9}},
      {.rows = 1, .cols = 1, .values = std::vector<float>{9}}, {.learning_rate = 0.1});
  EXPECT_EQ(single.variance_before, 0);
  EXPECT_EQ(single.variance_after, 0);
  EXPECT_FALSE(single.above);
}

TEST(DirectionStatistics, DoNotDependOnThreads) {
  const DenseMatrix embedding = normals(40'000, 4, 1, 0.5, 7);
  const DenseMatrix weight = normals(4, 4, 1, 0.2, 8);
  for (const Direction r : {Direction::random, Direction::summary}) {
    const DirectionOptions options{.r = r, .learning_rate = 0.1};
    const DirectionStatistics one =
        direction_statistics(Context({.threads = 1}), embedding, weight, options);
    const DirectionStatistics four =
        direction_statistics(Context({.threads = 4}), embedding, weight, options);
    EXPECT_EQ(one.share_above, four.share_above);
    EXPECT_EQ(one.step_mean, four.step_mean);
    EXPECT_EQ(one.variance_before, four.variance_before);
    EXPECT_EQ(one.variance_after, four.variance_after);
    EXPECT_EQ(one.above->variance_after, four.above->variance_after);
  }
}

TEST(DirectionStatistics, CheckWhatTheyAreGiven) {
  const DenseMatrix embedding = normals(4, 3, 1, 0, 9);
  const DenseMatrix weight = normals(3, 3, 1, 0, 10);
  const auto run = [](const DenseMatrix& h, const DenseMatrix& w, const DirectionOptions& options) {
    return [=] { direction_statistics(Context(), h, w, options); };
  };
  test::expect_error(run(embedding, normals(3, 2, 1, 0, 1), {}), {"does not fit", "3 x 2"});
  test::expect_error(run(embedding, weight, {.learning_rate = -1}), {"learning rate", "0 or more"});
  test::expect_error(run(embedding, weight, {.draws = 0}), {"1 draw or more"});
  const DenseMatrix broken{
      .rows = 1,
      .cols = 3,
      .values = std::vector<float>{1, 2, std::numeric_limits<float>::quiet_NaN()}};
  test::expect_error(run(broken, weight, {}), {"not a finite number", "row 0, column 3"});
}

}  // namespace
}  // namespace creg::direction_statistics_test
