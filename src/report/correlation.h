// How two figures of runs move together over their epochs, with an interval that knows that the
// epochs of one run are no independent observations.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "calibration/interval.h"

namespace creg {

/// Two figures of one run at the epochs that have both, in order.
struct PairedRun {
  std::vector<double> x;
  std::vector<double> y;
};

/// The epochs at which both are finite.
PairedRun pair_up(std::span<const std::optional<double>> x,
                  std::span<const std::optional<double>> y);

enum class CorrelationKind { pearson, spearman };

enum class Resampled {
  runs,         ///< whole runs, with replacement: speaks of further runs
  epoch_blocks  ///< stretches of about sqrt(epochs) epochs within each run: of these runs only
};

/// From this many runs on, runs are resampled.
constexpr int runs_to_resample = 5;
constexpr int bootstrap_resamples = 1000;

struct Correlation {
  CorrelationKind kind = CorrelationKind::pearson;
  bool within = false;
  /// Nothing where it is undefined: a constant figure, or fewer than 3 points.
  std::optional<double> r;
  /// Of the bootstrap; nothing where most resamples have no correlation.
  std::optional<Interval> interval;
  std::int64_t runs = 0;  ///< that have a point
  std::int64_t points = 0;
  Resampled resampled = Resampled::runs;
};

/// Over the points of all runs. `within`: each run less its own mean, so that differences between
/// runs do not count; a run of one point is left out. Spearman: Pearson's of the ranks, equal
/// values sharing the mean of theirs; within runs, ranks of the values less the mean.
Correlation correlate(std::span<const PairedRun> runs, CorrelationKind kind, bool within,
                      std::uint64_t seed);

}  // namespace creg
