#include "learn/kmeans/centre_distances.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/parallel.h"
#include "creg/core/error.h"
#include "kernels/distance.h"
#include "learn/row_blocks.h"

namespace creg::learn {
namespace {

constexpr std::int64_t least_piece_rows = 2048;
constexpr std::int64_t most_pieces = 16;

}  // namespace

Points::Points(const Context& context, const DenseMatrix& values)
    : values_(values), norms_(static_cast<std::size_t>(values.rows)) {
  piece_rows_ = std::max(least_piece_rows, (rows() + most_pieces - 1) / most_pieces);
  parallel_for(context, 0, rows(), piece_rows_, [&](std::int64_t first, std::int64_t last) {
    std::vector<std::int32_t> nodes(static_cast<std::size_t>(last - first));
    std::iota(nodes.begin(), nodes.end(), static_cast<std::int32_t>(first));
    check_rows(values_, nodes);
    for (std::int64_t i = first; i < last; ++i) {
      norms_[static_cast<std::size_t>(i)] = squared_norm(cols(), row(i));
    }
  });
  for (const double norm : norms_) largest_norm_ = std::max(largest_norm_, norm);
  largest_norm_ = std::sqrt(largest_norm_);
}

double Points::mean_variance(const Context& context) const {
  const auto width = static_cast<std::size_t>(cols());
  std::vector<double> mean(width);
  // Sums of the pieces, added in their order.
  const auto column_sums = [&](const auto& add) {
    std::vector<std::vector<double>> parts(static_cast<std::size_t>(pieces()),
                                           std::vector<double>(width));
    parallel_tasks(context, pieces(), [&](std::int64_t piece) {
      double* const part = parts[static_cast<std::size_t>(piece)].data();
      const std::int64_t last = std::min(rows(), (piece + 1) * piece_rows_);
      for (std::int64_t i = piece * piece_rows_; i < last; ++i) add(row(i), part);
    });
    std::vector<double> total(width);
    for (const auto& part : parts) {
      for (std::size_t c = 0; c < width; ++c) total[c] += part[c];
    }
    return total;
  };
  mean = column_sums([&](const float* x, double* sum) { add_row(cols(), x, sum); });
  for (double& value : mean) value /= static_cast<double>(rows());
  const std::vector<double> squares = column_sums(
      [&](const float* x, double* sum) { add_squared_differences(cols(), x, mean.data(), sum); });
  const double sum = std::accumulate(squares.begin(), squares.end(), 0.0);
  return sum / static_cast<double>(rows()) / static_cast<double>(cols());
}

PackedCentres::PackedCentres(std::int64_t cols, std::span<const double> centres)
    : cols_(cols), k_(cols == 0 ? 0 : static_cast<std::int64_t>(centres.size()) / cols) {
  invariant(k_ > 0 && k_ * cols == static_cast<std::int64_t>(centres.size()),
            "centres are as wide as the rows");
  padded_ = padded_columns(k_);
  transposed_.assign(static_cast<std::size_t>(cols * padded_), 0.0);
  for (std::int64_t j = 0; j < k_; ++j) {
    const double* const centre = centres.data() + j * cols;
    for (std::int64_t c = 0; c < cols; ++c) {
      transposed_[static_cast<std::size_t>(c * padded_ + j)] = centre[c];
    }
    norms_.push_back(squared_norm(cols, centre));
    largest_norm_ = std::max(largest_norm_, norms_.back());
  }
  largest_norm_ = std::sqrt(largest_norm_);
}

void PackedCentres::fill_distances(const Points& points, std::span<const std::int32_t> rows,
                                   Scratch& scratch) const {
  // With the 1 that widen_row appends this is no power of two, so columns do not share cache sets.
  const std::int64_t stride = padded_columns(cols_ + 1);
  const auto count = static_cast<std::int64_t>(rows.size());
  scratch.block.resize(block_rows * static_cast<std::size_t>(stride));
  scratch.products.resize(block_rows * static_cast<std::size_t>(padded_));
  for (std::int64_t i = 0; i < count; ++i) {
    widen_row(points.row(rows[static_cast<std::size_t>(i)]), cols_,
              scratch.block.data() + i * stride);
  }
  std::fill(scratch.products.begin(), scratch.products.begin() + count * padded_, 0.0);
  add_product(count, cols_, padded_, scratch.block.data(), stride, 1, transposed_.data(),
              scratch.products.data());
  for (std::int64_t i = 0; i < count; ++i) {
    const double norm = points.norm_squared(rows[static_cast<std::size_t>(i)]);
    double* const row = scratch.products.data() + i * padded_;
    for (std::int64_t j = 0; j < k_; ++j) {
      row[j] = norm + norms_[static_cast<std::size_t>(j)] - 2 * row[j];
    }
  }
}

double PackedCentres::error(double norm_squared) const {
  // A sum of n products is off by at most n roundings of the sum of their magnitudes, which for
  // each of the three terms is at most (|x| + |c|)^2; the factor covers squared_distance too.
  const double reach = std::sqrt(norm_squared) + largest_norm_;
  return 4 * static_cast<double>(cols_ + 8) * std::numeric_limits<double>::epsilon() * reach *
         reach;
}

Nearest nearest_of(const Points& points, const PackedCentres::Row& row, std::int64_t k,
                   std::span<const double> centres) {
  TwoNearest found = two_nearest(k, row.distances);
  Nearest nearest{.upper = std::sqrt(std::max(0.0, found.distance + row.error)),
                  .lower = std::sqrt(std::max(0.0, found.other - row.error))};
  if (found.other - found.distance <= 2 * row.error) {
    const double limit = found.distance + 2 * row.error;
    double least = std::numeric_limits<double>::infinity();
    for (std::int64_t j = 0; j < k; ++j) {
      if (row.distances[j] > limit) continue;
      const double distance = squared_distance(points.cols(), points.row(row.index),
                                               centres.data() + j * points.cols());
      if (distance < least) {
        least = distance;
        found.nearest = j;
      }
    }
    // Any of those near could be the nearest: both bounds hold for all of them.
    nearest.upper = std::sqrt(limit + row.error);
    nearest.lower = std::sqrt(std::max(0.0, found.distance - row.error));
  }
  nearest.label = static_cast<std::int32_t>(found.nearest);
  return nearest;
}

}  // namespace creg::learn
