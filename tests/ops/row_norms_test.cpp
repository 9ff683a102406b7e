#include "ops/row_norms.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "support/gradients.h"

namespace creg::row_norms_test {
namespace {

using test::irregular;

void expect_right(const at::Tensor& rows) {
  const at::Tensor norms = test::on_host(rows).to(at::kDouble).pow(2).sum(1).sqrt();
  const NormStatistics statistics = norm_statistics(test::on(rows));
  const double mean = norms.mean().item<double>();
  EXPECT_NEAR(statistics.mean.item<double>(), mean, 1e-6 * mean);
  const double variance =
      (norms - mean).pow(2).sum().item<double>() / static_cast<double>(rows.size(0) - 1);
  // Lengths are rounded to float, which moves the variance by that share of mean and deviation.
  const double rounding = 4e-7 * mean * std::sqrt(variance) + 1e-12 * mean * mean;
  EXPECT_NEAR(statistics.variance.item<double>(), variance, rounding);
}

TEST(NormStatistics, AreThoseOfTheRowLengths) {
  for (const std::int64_t width : {1, 3, 8, 17, 64, 513}) {
    for (const std::int64_t count : {2, 5, 1000}) expect_right(irregular({count, width}));
  }
}

TEST(NormStatistics, KnowSmallAndLargeValues) {
  expect_right(irregular({50, 33}) * 1e-12);
  expect_right(irregular({50, 33}) * 1e12);
}

/// The variance of rows of nearly one length drowns in rounding unless the mean is taken off first.
TEST(NormStatistics, TellsASmallVarianceFromNone) {
  at::Tensor rows = at::zeros({1000, 4});
  rows.select(1, 0).copy_(at::arange(1000).remainder(2) * 0.01 + 1000);
  const NormStatistics statistics = norm_statistics(test::on(rows));
  EXPECT_NEAR(statistics.mean.item<double>(), 1000.005, 1e-4);
  EXPECT_NEAR(statistics.variance.item<double>(), 2.5e-5, 1e-6);
}

TEST(NormStatistics, OfFewRows) {
  const NormStatistics none = norm_statistics(test::on(at::empty({0, 4})));
  EXPECT_EQ(none.mean.item<double>(), 0);
  EXPECT_EQ(none.variance.item<double>(), 0);
  const NormStatistics one = norm_statistics(test::on(at::tensor({3.0F, 4.0F}).reshape({1, 2})));
  EXPECT_EQ(one.mean.item<double>(), 5);
  EXPECT_EQ(one.variance.item<double>(), 0);
  const NormStatistics zero = norm_statistics(test::on(at::zeros({3, 2})));
  EXPECT_EQ(zero.mean.item<double>(), 0);
  EXPECT_EQ(zero.variance.item<double>(), 0);
  const NormStatistics narrow = norm_statistics(test::on(at::empty({3, 0})));
  EXPECT_EQ(narrow.mean.item<double>(), 0);
}

TEST(NormStatistics, TakeViewsAndTrainedTensors) {
  expect_right(test::on(irregular({40, 7})).t());
  expect_right(test::on(irregular({40, 7})).slice(1, 1, 5));
  expect_right(test::on(irregular({40, 7})).set_requires_grad(true));
}

TEST(NormStatistics, ThreadsDoNotChangeTheBits) {
  const int threads = at::get_num_threads();
  const at::Tensor rows = test::on(irregular({3001, 65}));
  at::set_num_threads(1);
  const NormStatistics alone = norm_statistics(rows);
  at::set_num_threads(3);
  const NormStatistics together = norm_statistics(rows);
  at::set_num_threads(threads);
  EXPECT_EQ(alone.mean.item<double>(), together.mean.item<double>());
  EXPECT_EQ(alone.variance.item<double>(), together.variance.item<double>());
}

TEST(UnitRows, HaveLengthOneAndGradientsThroughTheirLengths) {
  test::expect_matches([](const test::Tensors& x) { return unit_rows(x[0]); },
                       [](const test::Tensors& x) { return x[0] / x[0].norm(2, 1, true); },
                       {test::irregular({5, 4})});
  EXPECT_TRUE(test::equal(unit_rows(test::on(at::zeros({2, 3}))), at::zeros({2, 3})));
}

}  // namespace
}  // namespace creg::row_norms_test
