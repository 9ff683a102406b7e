#include "calibration/pair_ece.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "creg/core/random.h"

namespace creg::pair_ece_test {
namespace {

struct SampledPairs {
  std::vector<double> sigma;
  std::vector<std::uint8_t> same;

  operator PairSums() const {
    PairSums sums;
    for (std::size_t i = 0; i < sigma.size(); ++i) sums.add(sigma[i], same[i] != 0);
    return sums;
  }
};

SampledPairs pairs_of(std::vector<double> sigma, std::vector<std::uint8_t> same) {
  return {std::move(sigma), std::move(same)};
}

/// |p - acc| pair by pair, as the definition has it.
double plain_error(const SampledPairs& pairs, bool positive) {
  double sum = 0;
  for (std::size_t i = 0; i < pairs.sigma.size(); ++i) {
    const double p = positive ? pairs.sigma[i] : 1 - pairs.sigma[i];
    const double acc = (pairs.same[i] != 0) == positive ? 1 : 0;
    sum += std::abs(p - acc);
  }
  return sum / static_cast<double>(pairs.sigma.size());
}

TEST(PairEce, IsZeroWhereConfidenceIsTheTruth) {
  const SampledPairs pairs = pairs_of({1, 0, 1}, {1, 0, 1});
  EXPECT_EQ(pair_ece(pairs, pairs).ece(), 0);
}

TEST(PairEce, IsOneWhereItIsAlwaysWrong) {
  const SampledPairs pairs = pairs_of({0, 1}, {1, 0});
  EXPECT_EQ(pair_ece(pairs, pairs).ece(), 1);
}

/// Pairs that are of one label with the chance sigma says: every one errs by 2 p (1 - p).
TEST(PairEce, OfHonestChancesIsTwiceTheirVariance) {
  RandomStream stream(1, Purpose::test);
  SampledPairs pairs;
  double wanted = 0;
  constexpr int count = 400'000;
  for (int i = 0; i < count; ++i) {
    const double p = stream.uniform_double();
    pairs.sigma.push_back(p);
    pairs.same.push_back(stream.uniform_double() < p ? 1 : 0);
    wanted += 2 * p * (1 - p) / count;
  }
  EXPECT_NEAR(pair_ece(pairs, pairs).ece(), wanted, 2e-3);
}

TEST(PairEce, IsTheMeanOverPairsAndItsPartsAddUp) {
  RandomStream stream(2, Purpose::test);
  const auto draw = [&](int count) {
    SampledPairs pairs;
    for (int i = 0; i < count; ++i) {
      pairs.sigma.push_back(stream.uniform_double());
      pairs.same.push_back(stream.below(3) == 0 ? 1 : 0);
    }
    return pairs;
  };
  const SampledPairs positives = draw(50);
  const SampledPairs negatives = draw(70);
  const PairEce found = pair_ece(positives, negatives, 0.3);
  EXPECT_NEAR(found.positive.error(), plain_error(positives, true), 1e-12);
  EXPECT_NEAR(found.negative.error(), plain_error(negatives, false), 1e-12);
  EXPECT_NEAR(found.ece(), 0.3 * plain_error(positives, true) + 0.7 * plain_error(negatives, false),
              1e-12);
  EXPECT_NEAR(found.positive.same_part, (1 - found.positive.sigma_same) * found.positive.q, 1e-12);
  EXPECT_NEAR(found.negative.different_part,
              found.negative.sigma_different * (1 - found.negative.q), 1e-12);
}

/// Where sigma does not know the label, the reformulation is exact.
TEST(ReformulatedEce, IsExactWhereItsAssumptionsHold) {
  const SampledPairs positives = pairs_of({0.9, 0.7, 0.9, 0.7}, {1, 1, 0, 0});
  const SampledPairs negatives = pairs_of({0.2, 0.4, 0.2, 0.4}, {1, 1, 0, 0});
  const PairEce measured = pair_ece(positives, negatives);
  const ReformulatedEce found = reformulated_ece(measured);
  EXPECT_NEAR(found.ece, measured.ece(), 1e-12);
  EXPECT_NEAR(found.positive_gap, 0, 1e-12);
  EXPECT_NEAR(found.negative_gap, 0, 1e-12);
}

TEST(ReformulatedEce, TheGapIsWhatSigmaKnowsOfTheLabel) {
  const SampledPairs positives = pairs_of({1, 1, 0, 0}, {1, 1, 0, 0});
  const ReformulatedEce found = reformulated_ece(pair_ece(positives, positives));
  EXPECT_NEAR(found.ece, 0.5, 1e-12);
  EXPECT_NEAR(found.positive_gap, -0.5, 1e-12);
}

/// The formula of the appendix, term by term, with weights that are not halves.
TEST(ReformulatedEce, HasTheWeightsThatAreAskedFor) {
  const SampledPairs positives = pairs_of({0.9, 0.7, 0.8, 0.2}, {1, 1, 1, 0});
  const SampledPairs negatives = pairs_of({0.2, 0.4, 0.3}, {0, 1, 0});
  const double t = 2.6 / 4;
  const double e = 0.9 / 3;
  const double positive = (1 - 2 * t) * 0.75 + t;
  const double negative = (1 - 2.0 / 3) * e + 1.0 / 3;
  const ReformulatedEce found = reformulated_ece(pair_ece(positives, negatives, 0.2));
  EXPECT_NEAR(found.ece, 0.2 * positive + 0.8 * negative, 1e-12);
  EXPECT_NEAR(found.positive_gap, plain_error(positives, true) - positive, 1e-12);
  EXPECT_NEAR(found.negative_gap, plain_error(negatives, false) - negative, 1e-12);
}

/// One kind of pair alone: the mean over the other, of no pair, is 0 by agreement.
TEST(PairEce, MeansOfNoPairAreZero) {
  const PairSide same = pair_side(pairs_of({0.5, 0.7}, {1, 1}));
  EXPECT_NEAR(same.sigma_same, 0.6, 1e-12);
  EXPECT_EQ(same.sigma_different, 0);
  const PairSide different = pair_side(pairs_of({0.5}, {0}));
  EXPECT_EQ(different.sigma_same, 0);
  EXPECT_NEAR(different.sigma_different, 0.5, 1e-12);
  EXPECT_NEAR(pair_side(pairs_of({0.5, 0.3}, {1, 0})).sigma_same, 0.5, 1e-12) << "of one pair";
}

}  // namespace
}  // namespace creg::pair_ece_test
