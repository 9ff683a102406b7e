#include "learn/kmeans/kmeans_start.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "core/parallel.h"
#include "creg/core/error.h"
#include "creg/core/random.h"
#include "kernels/distance.h"

namespace creg::learn {
namespace {

// The squared distance of every row to its nearest centre so far, and how to draw by it.
class NearestSoFar {
 public:
  NearestSoFar(const Context& context, const Points& points)
      : context_(context),
        points_(points),
        distances_(static_cast<std::size_t>(points.rows()),
                   std::numeric_limits<double>::infinity()),
        piece_sums_(static_cast<std::size_t>(points.pieces())) {}

  double total() const { return std::accumulate(piece_sums_.begin(), piece_sums_.end(), 0.0); }

  // A row with probability distance / total.
  std::int64_t draw(RandomStream& stream) const {
    double left = stream.uniform_double() * total();
    std::int64_t piece = 0;
    for (; piece + 1 < points_.pieces(); ++piece) {
      const double sum = piece_sums_[static_cast<std::size_t>(piece)];
      if (left < sum) break;
      left -= sum;
    }
    std::int64_t last_possible = -1;
    for (std::int64_t i = piece * points_.piece_rows(); i < points_.rows(); ++i) {
      const double distance = distances_[static_cast<std::size_t>(i)];
      if (distance <= 0) continue;
      last_possible = i;
      if (left < distance) return i;
      left -= distance;
    }
    if (last_possible >= 0) return last_possible;
    // Rounding may carry the draw past the last piece that has any distance left.
    const auto last =
        std::find_if(distances_.rbegin(), distances_.rend(), [](double d) { return d > 0; });
    invariant(last != distances_.rend(), "there is a row away from all centres");
    return distances_.rend() - last - 1;
  }

  // What the total would be with each of the candidate rows as a further centre.
  std::vector<double> totals_with(std::span<const std::int64_t> candidates) const {
    std::vector<double> centres;
    for (const std::int64_t row : candidates) {
      centres.insert(centres.end(), points_.row(row), points_.row(row) + points_.cols());
    }
    const PackedCentres packed(points_.cols(), centres);
    std::vector<std::vector<double>> parts(piece_sums_.size(),
                                           std::vector<double>(candidates.size()));
    parallel_tasks(context_, points_.pieces(), [&](std::int64_t piece) {
      std::vector<double>& part = parts[static_cast<std::size_t>(piece)];
      PackedCentres::Scratch scratch;
      packed.for_each(points_, rows_of(piece), scratch, [&](const PackedCentres::Row& row) {
        const double nearest = distances_[static_cast<std::size_t>(row.index)];
        for (std::size_t j = 0; j < part.size(); ++j) {
          part[j] += std::min(nearest, std::max(0.0, row.distances[j]));
        }
      });
    });
    std::vector<double> totals(candidates.size());
    for (const auto& part : parts) {
      for (std::size_t j = 0; j < totals.size(); ++j) totals[j] += part[j];
    }
    return totals;
  }

  // Distances by differences: a row equal to a centre is at 0 exactly and is never drawn again.
  void add_centre(const double* centre) {
    parallel_tasks(context_, points_.pieces(), [&](std::int64_t piece) {
      double sum = 0;
      for (const std::int32_t i : rows_of(piece)) {
        double& nearest = distances_[static_cast<std::size_t>(i)];
        nearest = std::min(nearest, squared_distance(points_.cols(), points_.row(i), centre));
        sum += nearest;
      }
      piece_sums_[static_cast<std::size_t>(piece)] = sum;
    });
  }

 private:
  std::vector<std::int32_t> rows_of(std::int64_t piece) const {
    const std::int64_t first = piece * points_.piece_rows();
    std::vector<std::int32_t> rows(
        static_cast<std::size_t>(std::min(points_.rows() - first, points_.piece_rows())));
    std::iota(rows.begin(), rows.end(), static_cast<std::int32_t>(first));
    return rows;
  }

  const Context& context_;
  const Points& points_;
  std::vector<double> distances_;
  std::vector<double> piece_sums_;
};

std::size_t hash_of(std::span<const float> row) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const float value : row) {
    // Both zeros are the same number.
    const std::uint32_t bits = value == 0 ? 0U : std::bit_cast<std::uint32_t>(value);
    hash = (hash ^ bits) * 0x100000001b3U;
    hash ^= hash >> 29;
  }
  return static_cast<std::size_t>(hash);
}

}  // namespace

std::vector<double> draw_centres(const Context& context, const Points& points, std::int64_t k,
                                 std::uint64_t seed, std::uint32_t restart) {
  RandomStream stream(seed, Purpose::kmeans, restart);
  NearestSoFar nearest(context, points);
  std::vector<double> centres;
  centres.reserve(static_cast<std::size_t>(k * points.cols()));
  const auto take = [&](std::int64_t row) {
    centres.insert(centres.end(), points.row(row), points.row(row) + points.cols());
    nearest.add_centre(centres.data() + centres.size() - static_cast<std::size_t>(points.cols()));
  };
  take(static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(points.rows()))));
  const auto trials = 2 + static_cast<std::size_t>(std::log(static_cast<double>(k)));
  for (std::int64_t j = 1; j < k; ++j) {
    context.throw_if_stopped();
    std::vector<std::int64_t> candidates;
    for (std::size_t t = 0; t < trials; ++t) candidates.push_back(nearest.draw(stream));
    const std::vector<double> totals = nearest.totals_with(candidates);
    const auto best = std::min_element(totals.begin(), totals.end()) - totals.begin();
    take(candidates[static_cast<std::size_t>(best)]);
  }
  return centres;
}

std::int64_t count_distinct_rows(const Points& points, std::int64_t enough) {
  std::unordered_multimap<std::size_t, std::int64_t> seen;
  const auto row_of = [&](std::int64_t i) {
    return std::span<const float>(points.row(i), static_cast<std::size_t>(points.cols()));
  };
  for (std::int64_t i = 0; i < points.rows(); ++i) {
    if (static_cast<std::int64_t>(seen.size()) >= enough) break;
    const auto row = row_of(i);
    const std::size_t hash = hash_of(row);
    const auto [begin, end] = seen.equal_range(hash);
    const bool known = std::any_of(begin, end, [&](const auto& entry) {
      const auto other = row_of(entry.second);
      return std::equal(row.begin(), row.end(), other.begin());
    });
    if (!known) seen.emplace(hash, i);
  }
  return static_cast<std::int64_t>(seen.size());
}

}  // namespace creg::learn
