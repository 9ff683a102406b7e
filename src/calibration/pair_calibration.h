// How far the confidence of an embedding's pairs is from the truth.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "calibration/interval.h"
#include "calibration/pair_ece.h"
#include "calibration/pair_sample.h"
#include "calibration/reliability.h"
#include "creg/core/context.h"

namespace creg {

struct PairCalibrationOptions {
  double r_positive = 0.5;  ///< weight of the positives
  int bins = 15;
  int resamples = 1000;  ///< of the anchors, which the intervals are of; 0: no intervals
};

/// What labels tell about the pairs.
struct LabelledPairs {
  std::int64_t positive_pairs = 0;  ///< those whose nodes both have a label
  std::int64_t negative_pairs = 0;
  PairEce ece;
  ReformulatedEce reformulated;
  double q_uniform = 0;  ///< sum of squared class shares: what q_negative is in expectation
  /// The pair classifier: its chance p is sigma for positives and 1 - sigma for negatives, and
  /// comes true where the pair is of one label, or of two. Each side has the weight r.
  std::vector<ReliabilityBin> equal_width;
  std::vector<ReliabilityBin> equal_mass;
  double brier = 0;
  struct Intervals {
    Interval ece;
    Interval ece_positive;
    Interval ece_negative;
    Interval q_positive;
    Interval q_negative;
  };
  std::optional<Intervals> intervals;
};

struct PairCalibration {
  std::int64_t anchors = 0;
  std::int64_t positive_pairs = 0;
  std::int64_t negative_pairs = 0;
  double mean_sigma_positive = 0;
  double mean_sigma_random = 0;  ///< over the negatives
  std::optional<Interval> mean_sigma_random_interval;
  std::optional<LabelledPairs> labelled;  ///< where labelled pairs of both kinds were met
};

/// `labels` may be empty, and `unlabelled` in places.
PairCalibration pair_calibration(const Context& context, const PairSample& sample,
                                 std::span<const std::int32_t> labels,
                                 const PairCalibrationOptions& options = {});

}  // namespace creg
