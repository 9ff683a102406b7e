#include "kernels/rows.h"

#include <gtest/gtest.h>

#include <cmath>

#include "creg/core/random.h"

namespace creg::rows_test {
namespace {

using learn::AlignedVector;

/// Logits whose exponentials lie anywhere between 1 and the smallest there are, many of them where
/// a series around a power of two is furthest from its middle.
std::vector<double> logits() {
  std::vector<double> out = {0, -1e-300, -1e-9, -700};
  for (int n = 0; n < 900; n += 7) {
    for (const double part : {-0.499, -0.25, 0.0, 0.25, 0.499}) {
      const double x = -(n + part) * std::log(2.0);
      if (x <= 0) out.push_back(x);
    }
  }
  return out;
}

void expect_close(double found, double wanted) {
  EXPECT_NEAR(found, wanted, 2e-15 * std::abs(wanted));
}

TEST(SoftmaxResiduals, AreExactToRounding) {
  for (const double x : logits()) {
    AlignedVector scores(8, 3.0);
    scores[0] = 5;
    scores[1] = 5 + x;
    const double rounded = scores[1] - 5;
    const std::int32_t target = 0;
    const double loss = learn::softmax_residuals(1, 2, 8, &target, scores.data());
    const double e = std::exp(rounded);
    expect_close(scores[1], e / (1 + e));
    EXPECT_NEAR(scores[0], -e / (1 + e), 2e-16 + 2e-15 * e);
    EXPECT_NEAR(loss, std::log1p(e), 3e-16 + 2e-15 * loss);
    for (int j = 2; j < 8; ++j) EXPECT_EQ(scores[static_cast<std::size_t>(j)], 0) << "no output";
  }
}

/// The formulas in long double; two rows of three outputs, the classes counted from 4.
TEST(LogisticResiduals, AreExactToRounding) {
  for (const double x : logits()) {
    const std::vector<double> start = {x, -x, 1.5, -x / 2, x / 3, 0};
    const std::vector<std::int32_t> targets = {4, 6};
    AlignedVector scores(16, 9.0);
    AlignedVector curvature(16, 9.0);
    AlignedVector step(8, 0.0);
    AlignedVector direction(16, 0.25);
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < 3; ++j) scores[8 * i + j] = start[3 * i + j];
    }
    AlignedVector moved = scores;
    std::vector<double> losses = {1, 2, 3};
    std::vector<double> along = {1, 2, 3};
    step[1] = 2;
    learn::logistic_losses_along(2, 3, 8, targets.data(), 4, moved.data(), direction.data(),
                                 step.data(), along.data());
    learn::logistic_residuals(2, 3, 8, targets.data(), 4, scores.data(), losses.data(),
                              curvature.data());
    for (std::size_t j = 0; j < 3; ++j) {
      long double loss = j + 1.0L;
      long double loss_along = loss;
      for (std::size_t i = 0; i < 2; ++i) {
        const bool right = targets[i] == static_cast<std::int32_t>(4 + j);
        const auto loss_at = [&](long double score) {
          return std::log1p(std::exp(right ? -score : score));
        };
        const long double score = start[3 * i + j];
        loss += loss_at(score);
        loss_along += loss_at(score + (j == 1 ? 0.5L : 0.0L));
        const long double p = 1 / (1 + std::exp(-score));
        const long double q = 1 / (1 + std::exp(score));
        expect_close(scores[8 * i + j], static_cast<double>(right ? -q : p));
        expect_close(curvature[8 * i + j], static_cast<double>(p * q));
      }
      expect_close(losses[j], static_cast<double>(loss));
      expect_close(along[j], static_cast<double>(loss_along));
    }
    for (std::size_t j = 3; j < 8; ++j) {
      EXPECT_EQ(scores[j], 0);
      EXPECT_EQ(curvature[8 + j], 0);
    }
  }
}

/// Sizes around the tile of rows, the group of columns and the longest piece of a sum; small whole
/// numbers, so that sums are exact.
TEST(AddProduct, IsThatOfPlainLoops) {
  RandomStream stream(1, Purpose::test);
  const auto number = [&] { return static_cast<double>(stream.below(9)) - 4; };
  for (const std::int64_t rows : {1, 3, 4, 5, 9}) {
    for (const std::int64_t depth : {0, 1, 7, 256, 257, 600}) {
      for (const std::int64_t cols : {8, 24}) {
        AlignedVector a(static_cast<std::size_t>(rows * depth));
        AlignedVector b(static_cast<std::size_t>(depth * cols));
        AlignedVector out(static_cast<std::size_t>(rows * cols));
        for (double& x : a) x = number();
        for (double& x : b) x = number();
        for (double& x : out) x = number();
        for (const bool transposed : {false, true}) {
          const std::int64_t row_stride = transposed ? 1 : depth;
          const std::int64_t depth_stride = transposed ? rows : 1;
          AlignedVector wanted = out;
          for (std::int64_t i = 0; i < rows; ++i) {
            for (std::int64_t j = 0; j < cols; ++j) {
              for (std::int64_t k = 0; k < depth; ++k) {
                wanted[static_cast<std::size_t>(i * cols + j)] +=
                    a[static_cast<std::size_t>(i * row_stride + k * depth_stride)] *
                    b[static_cast<std::size_t>(k * cols + j)];
              }
            }
          }
          AlignedVector found = out;
          learn::add_product(rows, depth, cols, a.data(), row_stride, depth_stride, b.data(),
                             found.data());
          EXPECT_EQ(found, wanted) << rows << " " << depth << " " << cols << " " << transposed;
        }
      }
    }
  }
}

TEST(WidenRow, EndsInAOne) {
  const std::vector<float> row = {0.5F, -2};
  std::vector<double> out(4, 7);
  learn::widen_row(row.data(), 2, out.data());
  EXPECT_EQ(out, (std::vector<double>{0.5, -2, 1, 7}));
}

}  // namespace
}  // namespace creg::rows_test
