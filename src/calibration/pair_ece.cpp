#include "creg/calibration/pair_ece.h"

#include "creg/core/error.h"

namespace creg {

PairSide pair_side(const SampledPairs& pairs) {
  invariant(!pairs.sigma.empty() && pairs.sigma.size() == pairs.same.size(),
            "at least one pair, and a label of each");
  double same = 0;
  double same_sum = 0;
  double sum = 0;
  for (std::size_t i = 0; i < pairs.sigma.size(); ++i) {
    sum += pairs.sigma[i];
    if (pairs.same[i] == 0) continue;
    same += 1;
    same_sum += pairs.sigma[i];
  }
  const auto count = static_cast<double>(pairs.sigma.size());
  const double different = count - same;
  PairSide side;
  side.q = same / count;
  side.mean_sigma = sum / count;
  side.sigma_same = same > 0 ? same_sum / same : 0;
  side.sigma_different = different > 0 ? (sum - same_sum) / different : 0;
  side.same_part = (same - same_sum) / count;
  side.different_part = (sum - same_sum) / count;
  return side;
}

PairEce pair_ece(const SampledPairs& positives, const SampledPairs& negatives, double r_positive) {
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
