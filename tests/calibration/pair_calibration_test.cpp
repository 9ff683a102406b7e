#include "calibration/pair_calibration.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "creg/core/random.h"
#include "creg/graph/graph.h"

namespace creg::pair_calibration_test {
namespace {

/// Pairs with the confidences and the truth that a test wants: node 2i is the anchor, with one
/// positive and one negative; the labels make them of one kind or two.
class MadePairs {
 public:
  void add(double positive_sigma, bool positive_same, double negative_sigma, bool negative_same) {
    const auto anchor = static_cast<std::int32_t>(labels_.size());
    labels_.insert(labels_.end(), {0, positive_same ? 0 : 1, negative_same ? 0 : 1});
    sample_.anchors.push_back(anchor);
    sample_.positives.push_back(anchor + 1);
    sample_.negatives.push_back(anchor + 2);
    sample_.positive_sigma.push_back(positive_sigma);
    sample_.negative_sigma.push_back(negative_sigma);
    sample_.offsets.push_back(static_cast<std::int64_t>(sample_.positives.size()));
  }

  PairCalibration measure(const PairCalibrationOptions& options = {.resamples = 0}) const {
    return pair_calibration(Context(Context::Options{.threads = 2}), sample_, labels_, options);
  }

  std::vector<std::int32_t>& labels() { return labels_; }
  const PairSample& sample() const { return sample_; }

 private:
  PairSample sample_{.offsets = {0}, .k = 1};
  std::vector<std::int32_t> labels_;
};

TEST(PairCalibrationOf, ConfidencesThatAreTheTruth) {
  MadePairs pairs;
  for (int i = 0; i < 20; ++i) pairs.add(i % 3 == 0 ? 1 : 0, i % 3 == 0, i % 5 == 0, i % 5 == 0);
  const PairCalibration found = pairs.measure();
  EXPECT_EQ(found.labelled->ece.ece(), 0);
  EXPECT_EQ(expected_gap(found.labelled->equal_width), 0);
  EXPECT_EQ(expected_gap(found.labelled->equal_mass), 0);
  EXPECT_EQ(found.labelled->brier, 0);
}

TEST(PairCalibrationOf, ConfidencesThatAreAlwaysWrong) {
  MadePairs pairs;
  for (int i = 0; i < 20; ++i) pairs.add(i % 3 == 0 ? 0 : 1, i % 3 == 0, i % 5 != 0, i % 5 == 0);
  const PairCalibration found = pairs.measure();
  EXPECT_EQ(found.labelled->ece.ece(), 1);
  EXPECT_EQ(expected_gap(found.labelled->equal_width), 1);
  EXPECT_EQ(largest_gap(found.labelled->equal_mass), 1);
  EXPECT_EQ(found.labelled->brier, 1);
}

/// Pairs right with the frequency p: nothing for the bins to find, yet the pair ECE is
/// E[2 p (1 - p)].
TEST(PairCalibrationOf, HonestChances) {
  RandomStream stream(4, Purpose::test);
  MadePairs pairs;
  double wanted = 0;
  constexpr int count = 200'000;
  for (int i = 0; i < count; ++i) {
    const double p = stream.uniform_double();
    const double s = stream.uniform_double();
    pairs.add(p, stream.uniform_double() < p, s, stream.uniform_double() < s);
    wanted += (p * (1 - p) + s * (1 - s)) / count;
  }
  const PairCalibration found = pairs.measure();
  EXPECT_NEAR(found.labelled->ece.ece(), wanted, 3e-3);
  EXPECT_NEAR(expected_gap(found.labelled->equal_width), 0, 6e-3);
  EXPECT_NEAR(expected_gap(found.labelled->equal_mass), 0, 6e-3);
}

/// Labels that know nothing of sigma: every side is (1 - 2 E[sigma]) q + E[sigma], with q the
/// chance that two nodes have one label.
TEST(PairCalibrationOf, ShuffledLabels) {
  RandomStream stream(5, Purpose::test);
  constexpr std::int32_t nodes = 20'000;
  PairSample sample{.offsets = {0}, .k = 3};
  for (std::int32_t i = 0; i < nodes; ++i) {
    sample.anchors.push_back(i);
    for (std::int64_t p = 0; p < sample.k; ++p) {
      sample.positives.push_back(static_cast<std::int32_t>(stream.below(nodes)));
      sample.positive_sigma.push_back(0.6 + 0.4 * stream.uniform_double());
      sample.negatives.push_back(static_cast<std::int32_t>(stream.below(nodes)));
      sample.negative_sigma.push_back(0.5 * stream.uniform_double());
    }
    sample.offsets.push_back(static_cast<std::int64_t>(sample.positives.size()));
  }
  std::vector<std::int32_t> labels(nodes);
  for (std::int32_t i = 0; i < nodes; ++i) {
    labels[static_cast<std::size_t>(i)] = i % 10 < 5 ? 0 : i % 10 < 8 ? 1 : 2;
  }
  shuffle(std::span<std::int32_t>(labels), stream);
  const PairCalibration found =
      pair_calibration(Context(Context::Options{.threads = 1}), sample, labels);
  constexpr double q = 0.25 + 0.09 + 0.04;
  EXPECT_NEAR(found.labelled->q_uniform, q, 1e-12);
  const double positive = (1 - 2 * 0.8) * q + 0.8;
  const double negative = (1 - 2 * 0.25) * q + 0.25;
  EXPECT_NEAR(found.labelled->ece.ece(), (positive + negative) / 2, 5e-3);
  EXPECT_NEAR(found.labelled->reformulated.ece, found.labelled->ece.ece(), 3e-3);
  // The truth lies in the interval, and the interval is about 4 standard errors wide.
  const Interval interval = found.labelled->intervals->ece;
  EXPECT_LT(interval.low, found.labelled->ece.ece());
  EXPECT_GT(interval.high, found.labelled->ece.ece());
  EXPECT_LT(interval.high - interval.low, 0.01);
  EXPECT_GT(interval.high - interval.low, 0.001);
  EXPECT_LT(found.mean_sigma_random_interval->low, 0.25);
  EXPECT_GT(found.mean_sigma_random_interval->high, 0.25);
}

/// The share of the positives is the caller's: 0.2 of every figure here, however many pairs there
/// are of either kind.
TEST(PairCalibrationOf, PositivesHaveTheWeightThatIsAskedFor) {
  MadePairs pairs;
  pairs.add(0.9, true, 0.2, false);
  pairs.add(0.6, false, 0.7, true);
  pairs.add(0.8, true, 0.4, false);
  pairs.labels()[1] = unlabelled;
  const PairCalibration found = pairs.measure({.r_positive = 0.2, .bins = 1, .resamples = 0});
  // Chances and truths: positives 0.6 wrong, 0.8 right; negatives 0.8 right, 0.3 wrong, 0.6 right.
  const double positive = (0.6 + 0.2) / 2;
  const double negative = (0.2 + 0.3 + 0.4) / 3;
  EXPECT_NEAR(found.labelled->ece.ece(), 0.2 * positive + 0.8 * negative, 1e-12);
  const double positive_squares = (0.36 + 0.04) / 2;
  const double negative_squares = (0.04 + 0.09 + 0.16) / 3;
  EXPECT_NEAR(found.labelled->brier, 0.2 * positive_squares + 0.8 * negative_squares, 1e-12);
  for (const auto& bins : {found.labelled->equal_width, found.labelled->equal_mass}) {
    ASSERT_EQ(bins.size(), 1);
    EXPECT_NEAR(bins[0].weight, 1, 1e-12);
    EXPECT_NEAR(bins[0].mean_chance, 0.2 * (1.4 / 2) + 0.8 * (1.7 / 3), 1e-12);
    EXPECT_NEAR(bins[0].frequency, 0.2 * (1.0 / 2) + 0.8 * (2.0 / 3), 1e-12);
  }
}

/// As many anchors as there are, drawn with replacement by a stream of their own per resample.
TEST(PairCalibrationOf, IntervalsAreThoseOfResampledAnchors) {
  RandomStream stream(7, Purpose::test);
  MadePairs pairs;
  struct Anchor {
    double positive_error;
    double negative_error;
    double negative_sigma;
  };
  std::vector<Anchor> anchors;
  for (int i = 0; i < 30; ++i) {
    const double positive = stream.uniform_double();
    const double negative = stream.uniform_double();
    const bool positive_same = i % 2 == 0;
    const bool negative_same = i % 3 == 0;
    pairs.add(positive, positive_same, negative, negative_same);
    anchors.push_back({positive_same ? 1 - positive : positive,
                       negative_same ? 1 - negative : negative, negative});
  }
  constexpr int resamples = 41;  // so that 2.5 % of the way from first to last is a value
  std::vector<double> ece;
  std::vector<double> positive;
  std::vector<double> sigma;
  for (std::uint64_t r = 0; r < resamples; ++r) {
    RandomStream draws(12, Purpose::bootstrap, 0, r);
    Anchor sum{};
    for (std::size_t i = 0; i < anchors.size(); ++i) {
      const Anchor& drawn = anchors[draws.below(anchors.size())];
      sum.positive_error += drawn.positive_error / 30;
      sum.negative_error += drawn.negative_error / 30;
      sum.negative_sigma += drawn.negative_sigma / 30;
    }
    ece.push_back(0.3 * sum.positive_error + 0.7 * sum.negative_error);
    positive.push_back(sum.positive_error);
    sigma.push_back(sum.negative_sigma);
  }
  const PairCalibration found =
      pair_calibration(Context({.threads = 2, .seed = 12}), pairs.sample(), pairs.labels(),
                       {.r_positive = 0.3, .resamples = resamples});
  const auto expect_middle = [](const Interval& interval, std::vector<double> values) {
    std::sort(values.begin(), values.end());
    EXPECT_NEAR(interval.low, values[1], 1e-12);
    EXPECT_NEAR(interval.high, values[39], 1e-12);
  };
  expect_middle(found.labelled->intervals->ece, ece);
  expect_middle(found.labelled->intervals->ece_positive, positive);
  expect_middle(found.mean_sigma_random_interval.value(), sigma);
}

TEST(PairCalibrationOf, NodesWithoutLabelsLeavesTheirPairsOut) {
  MadePairs pairs;
  pairs.add(0.9, true, 0.2, false);
  pairs.add(0.5, false, 0.7, true);
  pairs.labels()[1] = unlabelled;
  const PairCalibration found = pairs.measure();
  EXPECT_EQ(found.labelled->positive_pairs, 1);
  EXPECT_EQ(found.labelled->negative_pairs, 2);
  EXPECT_NEAR(found.labelled->ece.positive.error(), 0.5, 1e-12);
  // What needs no label counts them all.
  EXPECT_NEAR(found.mean_sigma_positive, 0.7, 1e-12);
  EXPECT_NEAR(found.mean_sigma_random, 0.45, 1e-12);
}

TEST(PairCalibrationOf, NoLabelsAtAll) {
  MadePairs pairs;
  pairs.add(0.9, true, 0.2, false);
  pairs.labels().clear();
  const PairCalibration found = pairs.measure({.resamples = 10});
  EXPECT_FALSE(found.labelled.has_value());
  EXPECT_NEAR(found.mean_sigma_random, 0.2, 1e-12);
}

TEST(PairCalibrationOf, IntervalsDoNotDependOnThreads) {
  RandomStream stream(6, Purpose::test);
  MadePairs pairs;
  for (int i = 0; i < 50; ++i) {
    pairs.add(stream.uniform_double(), i % 2 == 0, stream.uniform_double(), i % 3 == 0);
  }
  const auto measure = [&](int threads) {
    return pair_calibration(Context(Context::Options{.threads = threads}), pairs.sample(),
                            pairs.labels(), {.resamples = 50})
        .labelled->intervals->ece;
  };
  EXPECT_EQ(measure(1).low, measure(2).low);
  EXPECT_EQ(measure(1).high, measure(2).high);
}

}  // namespace
}  // namespace creg::pair_calibration_test
