#include "learn/kmeans/lloyd.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/parallel.h"
#include "creg/core/error.h"
#include "kernels/distance.h"

namespace creg::learn {
namespace {

double distance_between(std::int64_t n, const double* a, const double* b) {
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

// Rows for clusters that have none: the farthest from their own centres, each of them different
// from the others and not alone in its cluster, for taking it away would only empty another one.
std::vector<std::int64_t> farthest_rows(const Context& context, const Points& points,
                                        const Assignment& assignment,
                                        std::vector<std::int64_t> counts, std::size_t wanted) {
  std::vector<double> distances(static_cast<std::size_t>(points.rows()));
  parallel_for(context, 0, points.rows(), points.piece_rows(),
               [&](std::int64_t first, std::int64_t last) {
                 for (std::int64_t i = first; i < last; ++i) {
                   distances[static_cast<std::size_t>(i)] = assignment.distance(i);
                 }
               });
  std::vector<std::int64_t> order(distances.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return distances[static_cast<std::size_t>(a)] > distances[static_cast<std::size_t>(b)];
  });
  std::vector<std::int64_t> rows;
  for (const std::int64_t i : order) {
    if (rows.size() == wanted || distances[static_cast<std::size_t>(i)] <= 0) break;
    auto& count =
        counts[static_cast<std::size_t>(assignment.labels()[static_cast<std::size_t>(i)])];
    const bool taken = std::any_of(rows.begin(), rows.end(), [&](std::int64_t other) {
      return std::equal(points.row(i), points.row(i) + points.cols(), points.row(other));
    });
    if (count < 2 || taken) continue;
    --count;
    rows.push_back(i);
  }
  return rows;
}

// The means of the clusters; an empty one takes a far row from another. Where there is none to
// take, its centre stays.
std::vector<double> next_centres(const Context& context, const Points& points,
                                 const Assignment& assignment) {
  const std::int64_t cols = points.cols();
  Assignment::Members members = assignment.members();
  std::vector<std::size_t> empty;
  for (std::size_t j = 0; j < members.counts.size(); ++j) {
    if (members.counts[j] == 0) empty.push_back(j);
  }
  if (!empty.empty()) {
    const std::vector<std::int64_t> rows =
        farthest_rows(context, points, assignment, members.counts, empty.size());
    for (std::size_t e = 0; e < rows.size(); ++e) {
      const float* const row = points.row(rows[e]);
      const auto from =
          static_cast<std::size_t>(assignment.labels()[static_cast<std::size_t>(rows[e])]);
      double* const old_sum = members.sums.data() + static_cast<std::int64_t>(from) * cols;
      double* const new_sum = members.sums.data() + static_cast<std::int64_t>(empty[e]) * cols;
      for (std::int64_t c = 0; c < cols; ++c) {
        old_sum[c] -= static_cast<double>(row[c]);
        new_sum[c] = static_cast<double>(row[c]);
      }
      --members.counts[from];
      members.counts[empty[e]] = 1;
    }
  }
  std::vector<double> centres = std::move(members.sums);
  for (std::size_t j = 0; j < members.counts.size(); ++j) {
    double* const centre = centres.data() + static_cast<std::int64_t>(j) * cols;
    const double* const old = assignment.centres().data() + static_cast<std::int64_t>(j) * cols;
    if (members.counts[j] == 0) {
      std::copy(old, old + cols, centre);
      continue;
    }
    const auto count = static_cast<double>(members.counts[j]);
    for (std::int64_t c = 0; c < cols; ++c) centre[c] /= count;
  }
  return centres;
}

double inertia_of(const Context& context, const Points& points, const Assignment& assignment) {
  std::vector<double> parts(static_cast<std::size_t>(points.pieces()));
  parallel_tasks(context, points.pieces(), [&](std::int64_t piece) {
    const std::int64_t last = std::min(points.rows(), (piece + 1) * points.piece_rows());
    double sum = 0;
    for (std::int64_t i = piece * points.piece_rows(); i < last; ++i) sum += assignment.distance(i);
    parts[static_cast<std::size_t>(piece)] = sum;
  });
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

}  // namespace

Assignment::Assignment(const Context& context, const Points& points,
                       std::span<const double> centres)
    : context_(context),
      points_(points),
      centres_(centres.begin(), centres.end()),
      labels_(static_cast<std::size_t>(points.rows()), -1),
      upper_(labels_.size(), std::numeric_limits<double>::infinity()),
      lower_(labels_.size(), 0.0) {
  double reach = points.largest_norm();
  for (std::int64_t j = 0; j < k(); ++j) {
    reach = std::max(reach,
                     std::sqrt(squared_norm(points.cols(), centres_.data() + j * points.cols())));
  }
  // Bounds are sums of a few hundred distances at most, each right to some cols roundings.
  slack_ = 1e-10 * (1 + static_cast<double>(points.cols()) * 1e-3) * reach;
}

std::int64_t Assignment::assign() {
  half_way_ = half_way_to_next();
  const PackedCentres packed(points_.cols(), centres_);
  std::vector<std::int64_t> changes(static_cast<std::size_t>(points_.pieces()));
  parallel_tasks(context_, points_.pieces(), [&](std::int64_t piece) {
    changes[static_cast<std::size_t>(piece)] = assign_piece(packed, piece);
  });
  return std::accumulate(changes.begin(), changes.end(), std::int64_t{0});
}

std::int64_t Assignment::assign_piece(const PackedCentres& packed, std::int64_t piece) {
  const std::int64_t first = piece * points_.piece_rows();
  const std::int64_t last = std::min(points_.rows(), first + points_.piece_rows());
  std::vector<std::int32_t> open;
  for (std::int64_t i = first; i < last; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (labels_[at] >= 0) {
      const double others = std::max(lower_[at], half_way_[static_cast<std::size_t>(labels_[at])]);
      if (upper_[at] + slack_ < others) continue;
    }
    open.push_back(static_cast<std::int32_t>(i));
  }
  std::int64_t changes = 0;
  PackedCentres::Scratch scratch;
  packed.for_each(points_, open, scratch, [&](const PackedCentres::Row& row) {
    const Nearest nearest = nearest_of(points_, row, k(), centres_);
    const auto at = static_cast<std::size_t>(row.index);
    changes += labels_[at] != nearest.label ? 1 : 0;
    labels_[at] = nearest.label;
    upper_[at] = nearest.upper;
    lower_[at] = nearest.lower;
  });
  return changes;
}

std::vector<double> Assignment::half_way_to_next() const {
  std::vector<double> half(static_cast<std::size_t>(k()), std::numeric_limits<double>::infinity());
  const std::int64_t cols = points_.cols();
  for (std::int64_t a = 0; a < k(); ++a) {
    for (std::int64_t b = a + 1; b < k(); ++b) {
      const double distance =
          distance_between(cols, centres_.data() + a * cols, centres_.data() + b * cols) / 2;
      auto& first = half[static_cast<std::size_t>(a)];
      auto& second = half[static_cast<std::size_t>(b)];
      first = std::min(first, distance);
      second = std::min(second, distance);
    }
  }
  return half;
}

void Assignment::move_to(std::span<const double> centres) {
  invariant(centres.size() == centres_.size(), "as many centres as before");
  const std::int64_t cols = points_.cols();
  std::vector<double> moves;
  moved_squared_ = 0;
  for (std::int64_t j = 0; j < k(); ++j) {
    moves.push_back(distance_between(cols, centres_.data() + j * cols, centres.data() + j * cols));
    moved_squared_ += moves.back() * moves.back();
  }
  std::copy(centres.begin(), centres.end(), centres_.begin());
  // The others of a row's centre move by the largest move, or by the next where it is its own.
  const std::size_t most =
      static_cast<std::size_t>(std::max_element(moves.begin(), moves.end()) - moves.begin());
  double second = 0;
  for (std::size_t j = 0; j < moves.size(); ++j) {
    if (j != most) second = std::max(second, moves[j]);
  }
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    if (labels_[i] < 0) continue;
    const auto label = static_cast<std::size_t>(labels_[i]);
    upper_[i] += moves[label];
    lower_[i] -= label == most ? second : moves[most];
  }
}

double Assignment::distance(std::int64_t row) const {
  const std::int64_t label = labels_[static_cast<std::size_t>(row)];
  return squared_distance(points_.cols(), points_.row(row),
                          centres_.data() + label * points_.cols());
}

Assignment::Members Assignment::members() const {
  std::vector<Members> parts(static_cast<std::size_t>(points_.pieces()));
  parallel_tasks(context_, points_.pieces(), [&](std::int64_t piece) {
    Members& part = parts[static_cast<std::size_t>(piece)];
    part.sums.resize(centres_.size());
    part.counts.resize(static_cast<std::size_t>(k()));
    const std::int64_t last = std::min(points_.rows(), (piece + 1) * points_.piece_rows());
    for (std::int64_t i = piece * points_.piece_rows(); i < last; ++i) {
      const std::int64_t label = labels_[static_cast<std::size_t>(i)];
      add_row(points_.cols(), points_.row(i), part.sums.data() + label * points_.cols());
      ++part.counts[static_cast<std::size_t>(label)];
    }
  });
  Members all = std::move(parts.front());
  for (std::size_t p = 1; p < parts.size(); ++p) {
    for (std::size_t c = 0; c < all.sums.size(); ++c) all.sums[c] += parts[p].sums[c];
    for (std::size_t j = 0; j < all.counts.size(); ++j) all.counts[j] += parts[p].counts[j];
  }
  return all;
}

LloydResult lloyd(const Context& context, const Points& points, std::span<const double> centres,
                  int max_iterations, double tolerance) {
  Assignment assignment(context, points, centres);
  LloydResult result;
  bool settled = false;
  while (result.iterations < max_iterations) {
    context.throw_if_stopped();
    const std::int64_t changes = assignment.assign();
    assignment.move_to(next_centres(context, points, assignment));
    ++result.iterations;
    // With the same labels a centre moves only where an empty cluster was given a row.
    settled = changes == 0 && assignment.moved_squared() == 0;
    if (settled || assignment.moved_squared() <= tolerance) break;
  }
  // The labels belong to the centres that are returned.
  if (!settled) assignment.assign();
  result.inertia = inertia_of(context, points, assignment);
  result.centres.assign(assignment.centres().begin(), assignment.centres().end());
  result.labels = assignment.take_labels();
  return result;
}

}  // namespace creg::learn
