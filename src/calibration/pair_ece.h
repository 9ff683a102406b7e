// The paper's calibration error over contrasted pairs, with its parts.
#pragma once

namespace creg {

/// What is summed over pairs that were sampled in one way: all the figures below follow from it.
struct PairSums {
  double pairs = 0;
  double same = 0;        ///< pairs of one label
  double sigma = 0;       ///< of the score of each pair
  double sigma_same = 0;  ///< of those of one label

  void add(double pair_sigma, bool same_label) {
    pairs += 1;
    sigma += pair_sigma;
    if (!same_label) return;
    same += 1;
    sigma_same += pair_sigma;
  }
  PairSums& operator+=(const PairSums& other) {
    pairs += other.pairs;
    same += other.same;
    sigma += other.sigma;
    sigma_same += other.sigma_same;
    return *this;
  }
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

/// Of at least one pair.
PairSide pair_side(const PairSums& sums);

struct PairEce {
  PairSide positive;
  PairSide negative;
  double r_positive = 0.5;

  double ece() const { return r_positive * positive.error() + (1 - r_positive) * negative.error(); }
};

/// Both sides need at least one pair.
PairEce pair_ece(const PairSums& positives, const PairSums& negatives, double r_positive = 0.5);

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
