// The paper's calibration error over contrasted pairs, with its parts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace creg {

/// Pairs that were sampled in one way: sigma of their score, and whether both nodes have one label.
struct SampledPairs {
  std::vector<double> sigma;
  std::vector<std::uint8_t> same;  ///< 0 or 1

  std::int64_t size() const { return static_cast<std::int64_t>(sigma.size()); }
};

/// Of one way of sampling. With q the share of pairs of one label, the error of positives is
///   (1 - E[sigma | same]) q + E[sigma | different] (1 - q),
/// that of negatives, whose confidence is 1 - sigma and whose truth is a difference, is the same
/// sum: |(1 - sigma) - 0| = 1 - sigma for the same label, |(1 - sigma) - 1| = sigma otherwise.
struct PairSide {
  double q = 0;
  double mean_sigma = 0;
  double sigma_same = 0;       ///< E[sigma | same]; 0 where there is no such pair
  double sigma_different = 0;  ///< E[sigma | different]; likewise
  double same_part = 0;        ///< (1 - E[sigma | same]) q: true positives, or false negatives
  double different_part = 0;   ///< E[sigma | different] (1 - q): false positives, or true negatives

  double error() const { return same_part + different_part; }
};

PairSide pair_side(const SampledPairs& pairs);

struct PairEce {
  PairSide positive;
  PairSide negative;
  double r_positive = 0.5;

  double ece() const { return r_positive * positive.error() + (1 - r_positive) * negative.error(); }
};

/// Both sides need at least one pair.
PairEce pair_ece(const SampledPairs& positives, const SampledPairs& negatives,
                 double r_positive = 0.5);

/// Appendix A.1: the same error if sigma did not depend on the label, neither among the most
/// similar pairs nor among random ones:
///   r+ ((1 - 2 t) q+ + t) + r- ((1 - 2 q-) e + q-), t = E[sigma] over positives, e over negatives.
struct ReformulatedEce {
  double ece = 0;
  /// What the assumptions leave out, by side: the error measured less the one reformulated.
  double positive_gap = 0;
  double negative_gap = 0;
};
ReformulatedEce reformulated_ece(const PairEce& measured);

}  // namespace creg
