#include "calibration/random_pairs.h"

#include <gtest/gtest.h>

#include <cmath>

namespace creg::random_pairs_test {
namespace {

/// Rows of 2, 1 and -1: the pairs' products are 2, -2 and -1, each as likely.
TEST(RandomPairs, MeanOverThePairsThatThereAre) {
  const DenseMatrix embedding{3, 1, std::vector<float>{2, 1, -1}};
  const auto sigma = [](double x) { return 1 / (1 + std::exp(-x)); };
  const RandomPairStatistics found =
      random_pair_statistics(Context(Context::Options{.seed = 1}), embedding, 200'000);
  EXPECT_NEAR(found.mean_sigma, (sigma(2) + sigma(-2) + sigma(-1)) / 3, 3e-3);
  EXPECT_NEAR(found.norm_mean, 4.0 / 3, 1e-12);
  EXPECT_NEAR(found.norm_variance, 1.0 / 3, 1e-12);
  EXPECT_EQ(found.pairs, 200'000);
}

TEST(RandomPairs, DoNotDependOnThreads) {
  const DenseMatrix embedding{3, 2, std::vector<float>{2, 1, -1, 0.5, 3, -0.1F}};
  const auto run = [&](int threads) {
    return random_pair_statistics(Context(Context::Options{.threads = threads}), embedding, 5000)
        .mean_sigma;
  };
  EXPECT_EQ(run(1), run(3));
}

TEST(RandomPairs, OneNodeHasNone) {
  const DenseMatrix embedding{1, 2, std::vector<float>{3, 4}};
  const RandomPairStatistics found = random_pair_statistics(Context(), embedding);
  EXPECT_EQ(found.pairs, 0);
  EXPECT_EQ(found.mean_sigma, 0);
  EXPECT_EQ(found.norm_mean, 5);
  EXPECT_EQ(found.norm_variance, 0);
}

}  // namespace
}  // namespace creg::random_pairs_test
