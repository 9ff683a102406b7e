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

/// Every bin by hand: chances of 0.1, 0.2 … 0.8, those above a half come true.
TEST(Reliability, BinsAreWhatTheirNamesSay) {
  std::vector<Forecast> forecasts;
  for (int i = 8; i >= 1; --i) forecasts.push_back({i / 10.0, i > 5, 2.0});
  const auto expect_bin = [](const ReliabilityBin& bin, double low, double high, double weight,
                             double chance, double frequency) {
    EXPECT_NEAR(bin.low, low, 1e-12);
    EXPECT_NEAR(bin.high, high, 1e-12);
    EXPECT_NEAR(bin.weight, weight, 1e-12);
    EXPECT_NEAR(bin.mean_chance, chance, 1e-12);
    EXPECT_NEAR(bin.frequency, frequency, 1e-12);
  };
  const auto width = reliability_bins(forecasts, 4, Binning::equal_width);
  ASSERT_EQ(width.size(), 4U);
  expect_bin(width[0], 0, 0.25, 4, 0.15, 0);
  expect_bin(width[1], 0.25, 0.5, 4, 0.35, 0);
  expect_bin(width[2], 0.5, 0.75, 6, 0.6, 2.0 / 3);
  expect_bin(width[3], 0.75, 1, 2, 0.8, 1);
  // Two forecasts each: a bin is full when it has its share, not after the next one.
  const auto mass = reliability_bins(forecasts, 4, Binning::equal_mass);
  ASSERT_EQ(mass.size(), 4U);
  expect_bin(mass[0], 0.1, 0.2, 4, 0.15, 0);
  expect_bin(mass[1], 0.3, 0.4, 4, 0.35, 0);
  expect_bin(mass[2], 0.5, 0.6, 4, 0.55, 0.5);
  expect_bin(mass[3], 0.7, 0.8, 4, 0.75, 1);
  // Gaps of 0.15, 0.35, 1/15 and 0.2 by weight; all of 0.15, 0.35, 0.05 and 0.25.
  EXPECT_NEAR(expected_gap(width), (4 * 0.15 + 4 * 0.35 + 6 / 15.0 + 2 * 0.2) / 16, 1e-12);
  EXPECT_NEAR(expected_gap(mass), (0.15 + 0.35 + 0.05 + 0.25) / 4, 1e-12);
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
