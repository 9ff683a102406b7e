#include "calibration/pair_ece.h"

#include "creg/core/error.h"

namespace creg {

PairSide pair_side(const PairSums& sums) {
  invariant(sums.pairs > 0, "at least one pair");
  const double different = sums.pairs - sums.same;
  const double sigma_different = sums.sigma - sums.sigma_same;
  PairSide side;
  side.q = sums.same / sums.pairs;
  side.mean_sigma = sums.sigma / sums.pairs;
  side.sigma_same = sums.same > 0 ? sums.sigma_same / sums.same : 0;
  side.sigma_different = different > 0 ? sigma_different / different : 0;
  side.same_part = (sums.same - sums.sigma_same) / sums.pairs;
  side.different_part = sigma_different / sums.pairs;
  return side;
}

PairEce pair_ece(const PairSums& positives, const PairSums& negatives, double r_positive) {
  return {pair_side(positives), pair_side(negatives), r_positive};
}

ReformulatedEce reformulated_ece(const PairEce& measured) {
  const auto side = [](const PairSide& pairs) {
    return (1 - 2 * pairs.mean_sigma) * pairs.q + pairs.mean_sigma;
  };
  const double positive = side(measured.positive);
  const double negative = side(measured.negative);
  ReformulatedEce out;
  out.ece = measured.r_positive * positive + (1 - measured.r_positive) * negative;
  out.positive_gap = measured.positive.error() - positive;
  out.negative_gap = measured.negative.error() - negative;
  return out;
}

}  // namespace creg
