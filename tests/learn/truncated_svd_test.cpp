#include "learn/truncated_svd.h"

#include <gtest/gtest.h>

#include <cmath>

#include "creg/core/random.h"
#include "learn/cluster_golden.h"
#include "learn/eigen_solvers.h"
#include "support/expect_error.h"

namespace creg::truncated_svd_test {
namespace {

using nlohmann::json;
using Numbers = std::vector<double>;

class TruncatedSvdBy : public test::WithEigenSolver {};
CREG_FOR_EACH_EIGEN_SOLVER(TruncatedSvdBy);

double column_product(const Numbers& a, std::size_t j, const Numbers& b, std::size_t l,
                      std::size_t cols) {
  double sum = 0;
  for (std::size_t i = 0; i * cols < a.size(); ++i) sum += a[i * cols + j] * b[i * cols + l];
  return sum;
}

DenseMatrix random_matrix(std::int64_t rows, std::int64_t cols) {
  RandomStream stream(3, Purpose::test);
  std::vector<float> values;
  for (std::int64_t i = 0; i < rows * cols; ++i) {
    values.push_back(static_cast<float>(stream.normal()));
  }
  return {.rows = rows, .cols = cols, .values = std::move(values)};
}

/// X v = s u and transpose(X) u = s v, both sets orthonormal, values descending: this alone makes
/// them singular vectors, and the values beside numpy's make them the strongest.
void expect_singular(const DenseMatrix& x, const TruncatedSvd& svd, double tolerance) {
  const auto k = static_cast<std::size_t>(svd.components);
  const auto rows = static_cast<std::size_t>(x.rows);
  const auto cols = static_cast<std::size_t>(x.cols);
  ASSERT_EQ(svd.values.size(), k);
  ASSERT_EQ(svd.left.size(), rows * k);
  ASSERT_EQ(svd.right.size(), cols * k);
  for (std::size_t j = 0; j < k; ++j) {
    for (std::size_t l = 0; l <= j; ++l) {
      EXPECT_NEAR(column_product(svd.left, j, svd.left, l, k), j == l ? 1 : 0, tolerance);
      EXPECT_NEAR(column_product(svd.right, j, svd.right, l, k), j == l ? 1 : 0, tolerance);
    }
    if (j > 0) {
      EXPECT_LE(svd.values[j], svd.values[j - 1] * (1 + 1e-12));
    }
    double largest = 0;
    for (std::size_t c = 0; c < cols; ++c) {
      double sum = 0;
      for (std::size_t i = 0; i < rows; ++i) {
        sum += static_cast<double>(x.row(static_cast<std::int64_t>(i))[c]) * svd.left[i * k + j];
      }
      EXPECT_NEAR(sum, svd.values[j] * svd.right[c * k + j], tolerance * svd.values[0]);
      if (std::abs(svd.right[c * k + j]) > std::abs(largest)) largest = svd.right[c * k + j];
    }
    EXPECT_GT(largest, 0);
  }
}

TEST_P(TruncatedSvdBy, IsNumpys) {
  const json golden = test::cluster_golden();
  ASSERT_FALSE(golden["svd"].empty());
  for (const json& spec : golden["svd"]) {
    SCOPED_TRACE(spec["name"].get<std::string>());
    const DenseMatrix points = test::golden_points(spec);
    const auto k = spec["components"].get<std::size_t>();
    const TruncatedSvd svd =
        truncated_svd(Context(), points, static_cast<std::int64_t>(k), solver());
    expect_singular(points, svd, 1e-7);
    const auto values = spec["values"].get<Numbers>();
    const auto left = spec["left"].get<Numbers>();  // the first rows
    for (std::size_t j = 0; j < k; ++j) {
      EXPECT_NEAR(svd.values[j], values[j], 1e-9 * values[0]);
      for (std::size_t i = 0; i * k < left.size(); ++i) {
        EXPECT_NEAR(svd.left[i * k + j], left[i * k + j], 1e-7) << i << ", " << j;
      }
    }
  }
}

/// Nothing stands out in random numbers, so that the space grows until it starts anew.
TEST_P(TruncatedSvdBy, FindsVectorsThatHardlyStandOut) {
  const DenseMatrix x = random_matrix(420, 400);
  expect_singular(x, truncated_svd(Context(), x, 3, solver()), 1e-6);
}

TEST_P(TruncatedSvdBy, AllVectorsOfAMatrix) {
  for (const auto& [rows, cols] : {std::pair{9, 5}, std::pair{5, 9}, std::pair{1, 1}}) {
    const DenseMatrix x = random_matrix(rows, cols);
    expect_singular(x, truncated_svd(Context(), x, std::min(rows, cols), solver()), 1e-7);
  }
}

/// The identity's values are all the same, and so many equal ones are not mistaken for one.
TEST_P(TruncatedSvdBy, EqualValuesAreFoundOneByOne) {
  std::vector<float> values(100 * 100, 0);
  for (std::size_t i = 0; i < 100; ++i) values[i * 101] = i < 6 ? 5 : 1;
  const DenseMatrix x{.rows = 100, .cols = 100, .values = std::move(values)};
  const TruncatedSvd svd = truncated_svd(Context(), x, 7, solver());
  expect_singular(x, svd, 1e-7);
  for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(svd.values[j], 5, 1e-9);
  EXPECT_NEAR(svd.values[6], 1, 1e-9);
}

TEST_P(TruncatedSvdBy, AValueOfZeroHasNoLeftVector) {
  std::vector<float> values;
  for (int i = 0; i < 20; ++i) {
    for (int c = 0; c < 30; ++c) values.push_back(static_cast<float>((i + 1) * (c % 7 + 1)));
  }
  const DenseMatrix x{.rows = 20, .cols = 30, .values = std::move(values)};
  const TruncatedSvd svd = truncated_svd(Context(), x, 3, solver());
  EXPECT_GT(svd.values[0], 1);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_NE(svd.left[3 * i], 0);
    EXPECT_EQ(svd.left[3 * i + 1], 0);
    EXPECT_EQ(svd.left[3 * i + 2], 0);
  }
}

TEST_P(TruncatedSvdBy, DoesNotDependOnTheThreads) {
  const DenseMatrix x = random_matrix(900, 300);
  const TruncatedSvd one = truncated_svd(Context({.threads = 1}), x, 4, solver());
  const TruncatedSvd four = truncated_svd(Context({.threads = 4}), x, 4, solver());
  EXPECT_EQ(one.values, four.values);
  EXPECT_EQ(one.left, four.left);
  EXPECT_EQ(one.right, four.right);
}

TEST_P(TruncatedSvdBy, SaysHowManyVectorsThereAre) {
  const DenseMatrix x = random_matrix(6, 4);
  for (const std::int64_t wrong : {0, 5, -1}) {
    test::expect_error([&] { truncated_svd(Context(), x, wrong, solver()); },
                       {std::to_string(wrong), "1 to 4", "6 rows"});
  }
  const DenseMatrix bad{.rows = 2, .cols = 2, .values = std::vector<float>{1, 2, std::nanf(""), 3}};
  test::expect_error([&] { truncated_svd(Context(), bad, 1, solver()); }, {"row 1", "column 1"});
}

}  // namespace
}  // namespace creg::truncated_svd_test
