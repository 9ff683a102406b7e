#include "report/correlation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "creg/core/random.h"

namespace creg::correlation_test {
namespace {

using enum CorrelationKind;

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double plain_pearson(const std::vector<double>& x, const std::vector<double>& y) {
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean(x)) * (x[i] - mean(x));
    yy += (y[i] - mean(y)) * (y[i] - mean(y));
    xy += (x[i] - mean(x)) * (y[i] - mean(y));
  }
  return xy / std::sqrt(xx * yy);
}

/// By counting pairs.
std::vector<double> plain_ranks(const std::vector<double>& values) {
  std::vector<double> out;
  for (const double value : values) {
    double rank = 0.5;
    for (const double other : values) rank += other < value ? 1 : other == value ? 0.5 : 0;
    out.push_back(rank);
  }
  return out;
}

double plain(const std::vector<PairedRun>& runs, CorrelationKind kind, bool within) {
  std::vector<double> x;
  std::vector<double> y;
  for (const PairedRun& run : runs) {
    for (std::size_t i = 0; i < run.x.size(); ++i) {
      x.push_back(run.x[i] - (within ? mean(run.x) : 0));
      y.push_back(run.y[i] - (within ? mean(run.y) : 0));
    }
  }
  return kind == pearson ? plain_pearson(x, y) : plain_pearson(plain_ranks(x), plain_ranks(y));
}

/// y follows x with noise; runs differ in level. Eighths, so that ties and means are exact.
std::vector<PairedRun> made_up_runs(int runs, int epochs, double level) {
  std::vector<PairedRun> out;
  for (int run = 0; run < runs; ++run) {
    RandomStream stream(7, Purpose::test, 0, static_cast<std::uint64_t>(run));
    PairedRun& one = out.emplace_back();
    const double shift = level * std::round(8 * stream.normal());
    for (int epoch = 0; epoch < epochs; ++epoch) {
      const double x = std::round(8 * stream.normal()) / 8;
      one.x.push_back(x + shift);
      one.y.push_back(x + std::round(8 * stream.normal()) / 8 - shift);
    }
  }
  return out;
}

TEST(Correlation, AgreesWithScipyAlsoWithTies) {
  const std::vector<PairedRun> one = {{{1, 2, 2, 3, 5, 5, 5, 8}, {3, 1, 4, 4, 2, 7, 7, 6}}};
  EXPECT_NEAR(*correlate(one, pearson, false, 1).r, 0.5873253462145489, 1e-14);
  EXPECT_NEAR(*correlate(one, spearman, false, 1).r, 0.56531554109761, 1e-14);
  const std::vector<PairedRun> two = {{{1, 2, 2, 3}, {4, 2, 2, 0}},
                                      {{10, 12, 14, 16}, {1, 3, 1, 7}}};
  EXPECT_NEAR(*correlate(two, pearson, false, 1).r, 0.3588702812826367, 1e-14);
  EXPECT_NEAR(*correlate(two, spearman, false, 1).r, 0.03636430421741318, 1e-14);
  EXPECT_NEAR(*correlate(two, pearson, true, 1).r, 0.45226701686664544, 1e-14);
  EXPECT_NEAR(*correlate(two, spearman, true, 1).r, 0.12745318548364543, 1e-14);
}

TEST(Correlation, AgreesWithBruteForceInAllForms) {
  const std::vector<PairedRun> runs = made_up_runs(6, 32, 0.5);
  for (const bool within : {false, true}) {
    for (const CorrelationKind kind : {pearson, spearman}) {
      const Correlation found = correlate(runs, kind, within, 1);
      EXPECT_NEAR(*found.r, plain(runs, kind, within), 1e-12);
      EXPECT_EQ(found.kind, kind);
      EXPECT_EQ(found.within, within);
      EXPECT_EQ(found.runs, 6);
      EXPECT_EQ(found.points, 192);
    }
  }
  EXPECT_LT(*correlate(runs, pearson, false, 1).r, 0) << "runs differ the other way round";
  EXPECT_GT(*correlate(runs, pearson, true, 1).r, 0.5);
}

/// The 2.5 % and 97.5 % of correlations of resamples that are spelled out point by point.
Interval plain_interval(const std::vector<PairedRun>& runs, CorrelationKind kind, bool within,
                        std::size_t block) {
  std::vector<double> found;
  for (std::uint64_t resample = 0; resample < 1000; ++resample) {
    RandomStream stream(3, Purpose::bootstrap, 0, resample);
    std::vector<PairedRun> drawn;
    for (const PairedRun& run : runs) {
      if (block == 0) {
        drawn.push_back(runs[stream.below(runs.size())]);
        continue;
      }
      PairedRun& one = drawn.emplace_back();
      while (one.x.size() < run.x.size()) {
        const std::size_t start = stream.below(run.x.size() - block + 1);
        for (std::size_t i = start; i < start + block && one.x.size() < run.x.size(); ++i) {
          one.x.push_back(run.x[i]);
          one.y.push_back(run.y[i]);
        }
      }
    }
    found.push_back(plain(drawn, kind, within));
  }
  std::sort(found.begin(), found.end());
  const auto at = [&](double place) {
    const auto below = static_cast<std::size_t>(place);
    const double part = place - static_cast<double>(below);
    return (1 - part) * found[below] + part * found[below + 1];
  };
  return {at(0.025 * 999), at(0.975 * 999)};
}

TEST(Correlation, ResamplesWholeRunsFromFiveOn) {
  const std::vector<PairedRun> runs = made_up_runs(5, 8, 0.5);
  for (const bool within : {false, true}) {
    for (const CorrelationKind kind : {pearson, spearman}) {
      const Correlation found = correlate(runs, kind, within, 3);
      EXPECT_EQ(found.resampled, Resampled::runs);
      const Interval expected = plain_interval(runs, kind, within, 0);
      EXPECT_NEAR(found.interval->low, expected.low, 1e-9);
      EXPECT_NEAR(found.interval->high, expected.high, 1e-9);
    }
  }
}

TEST(Correlation, ResamplesBlocksOfEpochsOfFewerRuns) {
  // Of 16 epochs: blocks of 4; means of 16 eighths are exact, so ties are the same here and there.
  const std::vector<PairedRun> runs = made_up_runs(2, 16, 0.5);
  for (const bool within : {false, true}) {
    for (const CorrelationKind kind : {pearson, spearman}) {
      const Correlation found = correlate(runs, kind, within, 3);
      EXPECT_EQ(found.resampled, Resampled::epoch_blocks);
      const Interval expected = plain_interval(runs, kind, within, 4);
      EXPECT_NEAR(found.interval->low, expected.low, 1e-9);
      EXPECT_NEAR(found.interval->high, expected.high, 1e-9);
    }
  }
}

TEST(Correlation, IntervalsAreReproducibleFromTheSeedAndHoldTheValue) {
  const std::vector<PairedRun> runs = made_up_runs(8, 30, 0.1);
  const Correlation a = correlate(runs, spearman, false, 1);
  const Correlation b = correlate(runs, spearman, false, 1);
  const Correlation c = correlate(runs, spearman, false, 2);
  EXPECT_EQ(a.interval->low, b.interval->low);
  EXPECT_NE(a.interval->low, c.interval->low);
  EXPECT_LT(a.interval->low, *a.r);
  EXPECT_GT(a.interval->high, *a.r);
}

TEST(Correlation, WhatIsUndefinedHasNoValue) {
  const std::vector<PairedRun> none;
  EXPECT_EQ(correlate(none, pearson, false, 1).r, std::nullopt);
  EXPECT_EQ(correlate(none, pearson, false, 1).points, 0);
  const std::vector<PairedRun> two_points = {{{1, 2}, {1, 2}}};
  EXPECT_EQ(correlate(two_points, spearman, false, 1).r, std::nullopt);
  // The mean of tenths is not a tenth in doubles: what is constant must be seen as such.
  const std::vector<PairedRun> constant = {{{0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, {1, 2, 3, 4, 5, 6}}};
  for (const bool within : {false, true}) {
    for (const CorrelationKind kind : {pearson, spearman}) {
      const Correlation found = correlate(constant, kind, within, 1);
      EXPECT_EQ(found.r, std::nullopt);
      EXPECT_FALSE(found.interval.has_value());
      EXPECT_EQ(found.points, 6);
    }
  }
  // Each run is constant, not all together.
  const std::vector<PairedRun> levels = {{{0.1, 0.1, 0.1}, {0.7, 0.7, 0.7}},
                                         {{0.3, 0.3, 0.3}, {0.9, 0.9, 0.9}}};
  EXPECT_NEAR(*correlate(levels, pearson, false, 1).r, 1, 1e-12);
  EXPECT_EQ(correlate(levels, pearson, true, 1).r, std::nullopt);
  const std::vector<PairedRun> huge = {{{1e300, -1e300, 1e299, 3}, {1e300, -1e300, 1e299, 3}}};
  EXPECT_EQ(correlate(huge, pearson, false, 1).r, std::nullopt);
  EXPECT_NEAR(*correlate(huge, spearman, false, 1).r, 1, 1e-12);
}

TEST(Correlation, OneEpochPerRunCountsBetweenRunsAndNotWithin) {
  std::vector<PairedRun> runs;
  for (const double x : {1, 2, 3, 4, 5, 6}) runs.push_back({{x}, {x * x}});
  const Correlation pooled = correlate(runs, spearman, false, 1);
  EXPECT_NEAR(*pooled.r, 1, 1e-12);
  EXPECT_EQ(pooled.runs, 6);
  EXPECT_EQ(pooled.resampled, Resampled::runs);
  const Correlation within = correlate(runs, spearman, true, 1);
  EXPECT_EQ(within.r, std::nullopt);
  EXPECT_EQ(within.runs, 0);
}

TEST(Correlation, PairsUpWhatIsThereOfBoth) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::optional<double>> x = {1, std::nullopt, 3, nan, 5};
  const std::vector<std::optional<double>> y = {2, 4, std::nullopt, 8, 10};
  const PairedRun run = pair_up(x, y);
  EXPECT_EQ(run.x, (std::vector<double>{1, 5}));
  EXPECT_EQ(run.y, (std::vector<double>{2, 10}));
}

}  // namespace
}  // namespace creg::correlation_test
