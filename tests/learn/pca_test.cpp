#include "learn/pca.h"

#include <gtest/gtest.h>

#include <cmath>

#include "creg/core/random.h"
#include "learn/cluster_golden.h"
#include "learn/eigen_solvers.h"
#include "support/expect_error.h"

namespace creg::pca_test {
namespace {

using nlohmann::json;
using Numbers = std::vector<double>;

class PcaBy : public test::WithEigenSolver {};
CREG_FOR_EACH_EIGEN_SOLVER(PcaBy);

TEST_P(PcaBy, IsScikitLearnsUpToTheSignsOfTheAxes) {
  const json golden = test::cluster_golden();
  ASSERT_FALSE(golden["pca"].empty());
  for (const json& spec : golden["pca"]) {
    SCOPED_TRACE(spec["name"].get<std::string>());
    const DenseMatrix points = test::golden_points(spec);
    const auto components = spec["components"].get<std::int64_t>();
    const Pca found = fit_pca(Context(), points, components, solver());
    const auto axes = spec["axes"].get<Numbers>();
    const auto variance = spec["variance"].get<Numbers>();
    const auto ratio = spec["ratio"].get<Numbers>();
    const auto projected = spec["projected"].get<Numbers>();
    const DenseMatrix rows = project(Context(), found, points);
    ASSERT_EQ(found.axes.size(), axes.size());
    ASSERT_EQ(rows.rows, points.rows);
    ASSERT_EQ(rows.cols, components);
    for (std::size_t k = 0; k < static_cast<std::size_t>(components); ++k) {
      EXPECT_NEAR(found.variance[k], variance[k], 1e-10 * variance[0]);
      EXPECT_NEAR(found.variance[k] / found.total_variance, ratio[k], 1e-10);
      const auto d = static_cast<std::size_t>(points.cols);
      double cosine = 0;
      double largest = 0;
      for (std::size_t c = 0; c < d; ++c) {
        const double entry = found.axes[k * d + c];
        cosine += entry * axes[k * d + c];
        if (std::abs(entry) > std::abs(largest)) largest = entry;
      }
      EXPECT_NEAR(std::abs(cosine), 1, 1e-9);
      EXPECT_GT(largest, 0);
      for (std::size_t i = 0; i < 4; ++i) {
        const double expected =
            projected[i * static_cast<std::size_t>(components) + k] * (cosine > 0 ? 1 : -1);
        EXPECT_NEAR(rows.row(static_cast<std::int64_t>(i))[k], expected, 1e-6);
      }
    }
  }
}

TEST_P(PcaBy, DoesNotDependOnTheThreads) {
  RandomStream stream(3, Purpose::test);
  std::vector<float> values;
  for (int i = 0; i < 700 * 130; ++i) values.push_back(static_cast<float>(stream.normal()));
  const DenseMatrix points{.rows = 700, .cols = 130, .values = std::move(values)};
  const Context one({.threads = 1});
  const Context three({.threads = 3});
  const Pca a = fit_pca(one, points, 20, solver());
  const Pca b = fit_pca(three, points, 20, solver());
  EXPECT_EQ(a.axes, b.axes);
  EXPECT_EQ(a.variance, b.variance);
  const DenseMatrix x = project(one, a, points);
  const DenseMatrix y = project(three, b, points);
  EXPECT_TRUE(std::equal(x.values.begin(), x.values.end(), y.values.begin()));
  // Distances survive when all axes are kept.
  const Pca all = fit_pca(one, points, 130, solver());
  const DenseMatrix turned = project(one, all, points);
  const auto distance = [](const DenseMatrix& m) {
    double sum = 0;
    for (std::size_t c = 0; c < 130; ++c) sum += std::pow(m.row(0)[c] - m.row(699)[c], 2);
    return sum;
  };
  EXPECT_NEAR(distance(turned), distance(points), 1e-4);
}

TEST_P(PcaBy, OfEqualRowsHasNoVariance) {
  const DenseMatrix points{.rows = 3, .cols = 2, .values = std::vector<float>{1, 2, 1, 2, 1, 2}};
  const Pca found = fit_pca(Context(), points, 2, solver());
  EXPECT_EQ(found.variance, (Numbers{0, 0}));
  EXPECT_EQ(found.total_variance, 0);
  for (const float value : project(Context(), found, points).values) EXPECT_EQ(value, 0);
}

/// By the variances along all axes that a PCA finds.
TEST_P(PcaBy, TheSpreadIsThatOfAllAxes) {
  RandomStream stream(2, Purpose::test);
  const std::int64_t rows = 300;
  const std::int64_t cols = 7;
  std::vector<float> values;
  for (std::int64_t i = 0; i < rows * cols; ++i) {
    values.push_back(static_cast<float>(3 + stream.normal() / static_cast<double>(1 + i % cols)));
  }
  const DenseMatrix points{.rows = rows, .cols = cols, .values = std::move(values)};
  const Pca all = fit_pca(Context(), points, cols, solver());
  double sum = 0;
  double squares = 0;
  for (const double variance : all.variance) {
    sum += variance;
    squares += variance * variance;
  }
  const Spread spread = spread_of(Context(), points);
  EXPECT_EQ(spread.mean, all.mean);
  EXPECT_NEAR(spread.directions, sum * sum / squares, 1e-9);
  double distances = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::size_t c = 0; c < static_cast<std::size_t>(cols); ++c) {
      distances += std::pow(points.row(i)[c] - spread.mean[c], 2);
    }
  }
  EXPECT_NEAR(spread.distance, std::sqrt(distances / rows), 1e-9);
}

TEST(Spread, OfALineIsOneDirectionAndOfEqualRowsNone) {
  const DenseMatrix line{.rows = 3, .cols = 2, .values = std::vector<float>{1, 2, 2, 4, 3, 6}};
  EXPECT_NEAR(spread_of(Context(), line).directions, 1, 1e-12);
  const DenseMatrix equal{.rows = 2, .cols = 2, .values = std::vector<float>{1, 2, 1, 2}};
  EXPECT_EQ(spread_of(Context(), equal).directions, 0);
  EXPECT_EQ(spread_of(Context(), equal).distance, 0);
}

TEST_P(PcaBy, RefusesMoreComponentsThanThereAre) {
  const DenseMatrix points{.rows = 3, .cols = 4, .values = std::vector<float>(12, 1)};
  test::expect_error([&] { fit_pca(Context(), points, 4, solver()); },
                     {"components", "4", "1 to 3", "rows are 3", "dimensions 4"});
  test::expect_error([&] { fit_pca(Context(), points, 0, solver()); }, {"0", "1 to 3"});
  const DenseMatrix bad{.rows = 2, .cols = 1, .values = std::vector<float>{1, INFINITY}};
  test::expect_error([&] { fit_pca(Context(), bad, 1, solver()); }, {"not a finite number"});
  test::expect_error([&] { project(Context(), fit_pca(Context(), points, 2, solver()), bad); },
                     {"1 columns", "4"});
}

}  // namespace
}  // namespace creg::pca_test
