#include "learn/symmetric_eigen.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "creg/core/random.h"
#include "learn/eigen_solvers.h"

namespace creg::symmetric_eigen_test {
namespace {

using Numbers = std::vector<double>;

class SymmetricEigenBy : public test::WithEigenSolver {};
CREG_FOR_EACH_EIGEN_SOLVER(SymmetricEigenBy);

/// A v = lambda v, orthonormal vectors, ascending values: that is all there is to it.
void expect_eigen(const Numbers& a, std::size_t n, const learn::SymmetricEigen& found) {
  ASSERT_EQ(found.values.size(), n);
  ASSERT_EQ(found.vectors.size(), n * n);
  EXPECT_TRUE(std::is_sorted(found.values.begin(), found.values.end()));
  const double scale = std::max(std::abs(found.values.front()), std::abs(found.values.back()));
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < n; ++i) {
      double image = 0;
      double product = 0;
      for (std::size_t k = 0; k < n; ++k) {
        image += a[i * n + k] * found.vectors[k * n + j];
        product += found.vectors[k * n + i] * found.vectors[k * n + j];
      }
      EXPECT_NEAR(image, found.values[j] * found.vectors[i * n + j], 1e-12 * scale);
      EXPECT_NEAR(product, i == j ? 1 : 0, 1e-12);
    }
  }
}

TEST_P(SymmetricEigenBy, SolvesRandomMatrices) {
  RandomStream stream(6, Purpose::test);
  for (const std::size_t n : {1, 2, 3, 17, 60}) {
    Numbers a(n * n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) a[i * n + j] = a[j * n + i] = stream.normal();
    }
    expect_eigen(a, n, solver()(a, static_cast<std::int64_t>(n)));
  }
}

TEST_P(SymmetricEigenBy, EqualValuesHaveAsManyVectors) {
  for (const double corner : {0.0, 3.0}) {
    Numbers a(8 * 8, 0);
    for (std::size_t i = 0; i < 8; ++i) a[i * 9] = i < 3 ? corner : 0;
    a[7 * 8 + 6] = a[6 * 8 + 7] = corner;
    expect_eigen(a, 8, solver()(a, 8));
  }
}

}  // namespace
}  // namespace creg::symmetric_eigen_test
