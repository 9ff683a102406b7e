// How well scores rank positives above negatives: exact with ties, O(n log n).
#pragma once

#include <span>

namespace creg {

/// Both figures need at least one positive and one negative, and scores that are not NaN: anything
/// else is an input error, for there they do not exist.
struct Ranking {
  double auc = 0;  ///< P(positive above negative) + P(equal) / 2: the area under the ROC curve
  /// Sum over the distinct scores, highest first, of precision times the gain in recall; equal
  /// scores are taken together. Average precision as scikit-learn has it.
  double average_precision = 0;
};

Ranking rank_scores(std::span<const float> positives, std::span<const float> negatives);

}  // namespace creg
