#include "contrast/feature_mask.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "contrast/adaptive_chances.h"
#include "ops/tensors.h"
#include "support/attributed_graph.h"
#include "support/gradients.h"

namespace creg::feature_mask_test {
namespace {

TEST(DrawColumnMask, DropsTheGivenShareOfColumns) {
  for (const double chance : {0.1, 0.5}) {
    const at::Tensor mask =
        draw_column_mask(test::context(), 20000, chance, {.seed = 2, .step = 3});
    ASSERT_EQ(mask.dim(), 1);
    EXPECT_TRUE(((mask == 0) | (mask == 1)).all().item<bool>());
    const double deviation = std::sqrt(chance * (1 - chance) / 20000);
    EXPECT_NEAR(1 - mask.mean().item<double>(), chance, 4 * deviation);
  }
}

TEST(DrawColumnMask, IsAFunctionOfSeedStepAndView) {
  const auto mask = [](std::uint64_t seed, std::uint32_t step, int view) {
    return draw_column_mask(test::context(), 200, 0.5, {.seed = seed, .step = step, .view = view});
  };
  EXPECT_TRUE(test::equal(mask(1, 2, 0), mask(1, 2, 0)));
  EXPECT_FALSE(test::equal(mask(1, 2, 0), mask(1, 2, 1)));
  EXPECT_FALSE(test::equal(mask(1, 2, 0), mask(1, 3, 0)));
  EXPECT_FALSE(test::equal(mask(1, 2, 0), mask(2, 2, 0)));
}

TEST(DrawColumnMask, ColumnsHaveChances) {
  const at::Tensor mask =
      draw_column_mask(test::on(at::tensor({0.0F, 1.0F, 0.0F, 1.0F})), {.seed = 9});
  EXPECT_TRUE(test::equal(mask, at::tensor({1.0F, 0.0F, 1.0F, 0.0F})));
  EXPECT_TRUE(test::equal(draw_column_mask(test::context(), 5, 0, {}), at::ones({5})));
  EXPECT_TRUE(test::equal(draw_column_mask(test::context(), 5, 1, {}), at::zeros({5})));
}

/// log(sum_i c_i a_if) for every column f.
std::vector<double> scores(const at::Tensor& amounts, const std::vector<double>& centrality) {
  std::vector<double> out;
  for (std::int64_t f = 0; f < amounts.size(1); ++f) {
    double sum = 0;
    for (std::int64_t i = 0; i < amounts.size(0); ++i) {
      sum += centrality[static_cast<std::size_t>(i)] * amounts[i][f].item<double>();
    }
    out.push_back(std::log(sum));
  }
  return out;
}

void expect_chances(const FeatureMatrix& features, const at::Tensor& amounts) {
  std::vector<double> centrality;
  for (std::int64_t i = 0; i < amounts.size(0); ++i)
    centrality.push_back(1.0 + static_cast<double>(i % 5));
  const std::vector<float> wanted = adaptive_chances(scores(amounts, centrality), 0.3);
  const std::vector<float> found = adaptive_column_chances(features, centrality, 0.3);
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t f = 0; f < found.size(); ++f) EXPECT_NEAR(found[f], wanted[f], 1e-5);
}

TEST(AdaptiveColumnChances, WordsCountWhereTheyOccur) {
  const Features made = test::two_groups(40, 12).features;
  const at::Tensor x = as_tensor(to_dense(made));
  expect_chances(FeatureMatrix(test::context(), made), (x != 0).to(at::kDouble));
  // The same words, weighted and stored densely.
  const at::Tensor weighted = x * 0.37;
  expect_chances(FeatureMatrix(test::context(), Features(as_dense(weighted))),
                 (x != 0).to(at::kDouble));
}

TEST(AdaptiveColumnChances, OtherNumbersCountByTheirSize) {
  const at::Tensor x = test::irregular({30, 7});
  expect_chances(FeatureMatrix(test::context(), Features(as_dense(x))), x.abs().to(at::kDouble));
  const at::Tensor filled = x.abs();
  expect_chances(FeatureMatrix(test::context(), Features(as_dense(filled))),
                 filled.to(at::kDouble));
}

/// A single number below 0 among few makes them numbers, not words.
TEST(AdaptiveColumnChances, FewNumbersWithOneBelowZeroCountByTheirSize) {
  at::Tensor x = at::zeros({8, 3});
  for (std::int64_t i = 0; i < 8; ++i) x[i][i % 3] = 0.5 + 0.25 * static_cast<double>(i);
  expect_chances(FeatureMatrix(Context(), Features(as_dense(x))), (x != 0).to(at::kDouble));
  x[1][1] = -0.75;
  expect_chances(FeatureMatrix(Context(), Features(as_dense(x))), x.abs().to(at::kDouble));
}

TEST(AdaptiveColumnChances, AColumnThatNeverOccursGoesMostOften) {
  at::Tensor x = at::zeros({6, 4});
  x[0][0] = 1;
  x[1][0] = 1;
  x[2][2] = 1;
  x[3][3] = 1;
  const FeatureMatrix features(test::context(), Features(to_sparse(as_dense(x))));
  const std::vector<float> found =
      adaptive_column_chances(features, std::vector<double>(6, 2.0), 0.2);
  const std::vector<float> others =
      adaptive_chances(std::vector<double>{std::log(4), std::log(2), std::log(2)}, 0.2);
  EXPECT_FLOAT_EQ(found[1], 0.7F);
  EXPECT_NEAR(found[0], others[0], 1e-6);
  EXPECT_NEAR(found[2], others[1], 1e-6);
  EXPECT_NEAR(found[3], others[2], 1e-6);
}

}  // namespace
}  // namespace creg::feature_mask_test
