// Lloyd's iterations with an exact assignment that skips what cannot have changed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "creg/core/context.h"
#include "learn/kmeans/centre_distances.h"

namespace creg::learn {

/// Labels of all rows for centres that move. Between two calls of assign() a row keeps an upper
/// bound on the distance to its centre and a lower one on that to all others (Hamerly's bounds):
/// while they say that no other centre can be as near, nothing is computed for it.
class Assignment {
 public:
  Assignment(const Context& context, const Points& points, std::span<const double> centres);

  /// Labels every row with its nearest centre, the first of equally near ones; returns how many
  /// labels are new.
  std::int64_t assign();
  /// Call when the centres become others.
  void move_to(std::span<const double> centres);

  std::int64_t k() const { return static_cast<std::int64_t>(centres_.size()) / points_.cols(); }
  std::span<const std::int32_t> labels() const { return labels_; }
  std::span<const double> centres() const { return centres_; }
  /// The squared moves of all centres in the last move_to, summed.
  double moved_squared() const { return moved_squared_; }
  /// Squared distance of a row to its centre.
  double distance(std::int64_t row) const;

  struct Members {
    std::vector<double> sums;  ///< k x cols
    std::vector<std::int64_t> counts;
  };
  /// The rows of every cluster added up.
  Members members() const;
  std::vector<std::int32_t> take_labels() { return std::move(labels_); }

 private:
  std::int64_t assign_piece(const PackedCentres& packed, std::int64_t piece);
  std::vector<double> half_way_to_next() const;

  const Context& context_;
  const Points& points_;
  std::vector<double> centres_;
  std::vector<std::int32_t> labels_;
  std::vector<double> upper_;
  std::vector<double> lower_;
  std::vector<double> half_way_;  // per centre half its distance to the nearest other one
  double slack_ = 0;              // what rounding may have cost the bounds
  double moved_squared_ = 0;
};

struct LloydResult {
  std::vector<std::int32_t> labels;
  std::vector<double> centres;
  double inertia = 0;
  int iterations = 0;
};

/// `tolerance` is on the squared moves of all centres.
LloydResult lloyd(const Context& context, const Points& points, std::span<const double> centres,
                  int max_iterations, double tolerance);

}  // namespace creg::learn
