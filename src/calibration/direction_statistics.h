// What one step of Contrast-Reg does to the lengths of embeddings (Theorem 2), as it is measured.
#pragma once

#include <cstdint>
#include <optional>

#include "creg/contrast/options.h"
#include "creg/core/context.h"
#include "creg/graph/graph.h"

namespace creg {

/// The theorem speaks of nodes whose product h·Wr is above this.
inline constexpr double direction_threshold = 1.5;

struct DirectionOptions {
  Direction r = Direction::random;
  double r_scale = 1;        ///< of a random r
  double learning_rate = 0;  ///< beta, the size of the step
  int draws = 20;            ///< of a random r; there is one summary
};

/// Means are over the draws; variances of |h| are unbiased, and 0 for a single node.
struct DirectionStatistics {
  int draws = 0;
  double share_above = 0;      ///< of the nodes, with h·Wr > direction_threshold
  double step_mean = 0;        ///< beta |Wr|²
  double step_largest = 0;     ///< the largest of them
  bool step_is_small = false;  ///< beta |Wr|² <= 1 in all draws: the theorem's condition
  double variance_before = 0;  ///< of |h| over all nodes
  double variance_after = 0;   ///< of |h + beta sigma(-h·Wr) Wr|

  /// The same over the nodes above the threshold, where at least two are: of these the theorem
  /// says that the variance falls when the step is small (its proof takes the part of h that is
  /// orthogonal to Wr as one constant, so this is a measurement, not a certainty).
  struct Above {
    int draws = 0;         ///< that have two such nodes
    int draws_fallen = 0;  ///< in which the variance falls
    double variance_before = 0;
    double variance_after = 0;
  };
  std::optional<Above> above;  ///< nothing if no draw has two such nodes
};

/// `weight` is Contrast-Reg's matrix W, "regulariser.weight" of a run; r is drawn as in training,
/// uniform in [0, 1) times r_scale by the Context's seed, or sigma of the mean embedding. A matrix
/// that does not fit, numbers that are not finite and a step below 0 are input errors. Nothing
/// depends on the number of threads.
DirectionStatistics direction_statistics(const Context& context, const DenseMatrix& embedding,
                                         const DenseMatrix& weight,
                                         const DirectionOptions& options);

}  // namespace creg
