#include "calibration/reliability.h"

#include <gtest/gtest.h>

#include "creg/core/random.h"

namespace creg::reliability_test {
namespace {

TEST(Reliability, ZeroAndOneHaveBins) {
  const std::vector<Forecast> forecasts = {{0, false}, {1, true}, {1, false}};
  for (const Binning binning : {Binning::equal_width, Binning::equal_mass}) {
    const auto bins = reliability_bins(forecasts, 10, binning);
    ASSERT_EQ(bins.size(), 2U);
    EXPECT_EQ(bins[0].mean_chance, 0);
    EXPECT_EQ(bins[0].frequency, 0);
    EXPECT_EQ(bins[1].mean_chance, 1);
    EXPECT_EQ(bins[1].frequency, 0.5);
    EXPECT_NEAR(expected_gap(bins), 0.5 * 2 / 3, 1e-12);
    EXPECT_EQ(largest_gap(bins), 0.5);
  }
  EXPECT_NEAR(brier_score(forecasts), 1.0 / 3, 1e-12);
}

TEST(Reliability, HonestChancesHaveNoGap) {
  RandomStream stream(3, Purpose::test);
  std::vector<Forecast> forecasts;
  for (int i = 0; i < 200'000; ++i) {
    const double p = stream.uniform_double();
    forecasts.push_back({p, stream.uniform_double() < p});
  }
  for (const Binning binning : {Binning::equal_width, Binning::equal_mass}) {
    EXPECT_LT(expected_gap(reliability_bins(forecasts, 15, binning)), 0.01);
  }
}

TEST(Reliability, BinsOfEqualMassKeepEqualChancesTogether) {
  std::vector<Forecast> forecasts(6, Forecast{0.25, true});
  forecasts.push_back({0.5, false});
  forecasts.push_back({0.75, false});
  const auto bins = reliability_bins(forecasts, 4, Binning::equal_mass);
  ASSERT_EQ(bins.size(), 3U);
  EXPECT_EQ(bins[0].weight, 6);
  EXPECT_EQ(bins[0].low, 0.25);
  EXPECT_EQ(bins[0].high, 0.25);
}

TEST(Reliability, WeightsCount) {
  const std::vector<Forecast> forecasts = {{0.6, true, 3}, {0.6, false, 1}};
  const auto bins = reliability_bins(forecasts, 5, Binning::equal_width);
  ASSERT_EQ(bins.size(), 1U);
  EXPECT_EQ(bins[0].frequency, 0.75);
  EXPECT_NEAR(brier_score(forecasts), (3 * 0.16 + 0.36) / 4, 1e-12);
}

TEST(Reliability, OfNothingIsZero) {
  const auto bins = reliability_bins({}, 10, Binning::equal_mass);
  EXPECT_TRUE(bins.empty());
  EXPECT_EQ(expected_gap(bins), 0);
  EXPECT_EQ(largest_gap(bins), 0);
  EXPECT_EQ(brier_score({}), 0);
}

}  // namespace
}  // namespace creg::reliability_test
