#include "calibration/direction_statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "calibration/node_pairs.h"
#include "creg/core/error.h"
#include "creg/core/progress.h"
#include "creg/core/random.h"
#include "learn/row_blocks.h"

namespace creg {
namespace {

/// Mean and squared deviations, one value or one other spread at a time.
class ValueSpread {
 public:
  void add(double value) {
    ++count_;
    const double off = value - mean_;
    mean_ += off / static_cast<double>(count_);
    squares_ += off * (value - mean_);
  }
  void add(const ValueSpread& other) {
    if (other.count_ == 0) return;
    const auto mine = static_cast<double>(count_);
    const auto theirs = static_cast<double>(other.count_);
    const double off = other.mean_ - mean_;
    squares_ += other.squares_ + off * off * mine * theirs / (mine + theirs);
    mean_ += off * theirs / (mine + theirs);
    count_ += other.count_;
  }
  std::int64_t count() const { return count_; }
  double variance() const { return count_ > 1 ? squares_ / static_cast<double>(count_ - 1) : 0; }

 private:
  std::int64_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

/// Lengths before and after the step along one direction.
struct DrawSpread {
  ValueSpread after;
  ValueSpread above_before;
  ValueSpread above_after;
  void add(const DrawSpread& other) {
    after.add(other.after);
    above_before.add(other.above_before);
    above_after.add(other.above_after);
  }
};

std::vector<std::int32_t> all_rows(const DenseMatrix& matrix) {
  std::vector<std::int32_t> rows(static_cast<std::size_t>(matrix.rows));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

void check_inputs(const DenseMatrix& embedding, const DenseMatrix& weight,
                  const DirectionOptions& options) {
  if (weight.rows != embedding.cols || weight.cols != embedding.cols) {
    fail_input({.what = "the regulariser's matrix does not fit the embedding",
                .found = std::to_string(weight.rows) + " x " + std::to_string(weight.cols),
                .expected = std::to_string(embedding.cols) + " rows and columns, as the embedding "
                                                             "has columns"});
  }
  if (!(options.learning_rate >= 0) || !std::isfinite(options.learning_rate)) {
    fail_input({.what = "the step of the regulariser is no learning rate",
                .found = std::to_string(options.learning_rate),
                .expected = "0 or more"});
  }
  if (options.draws < 1) {
    fail_input({.what = "there is no direction to draw",
                .found = std::to_string(options.draws),
                .expected = "1 draw or more"});
  }
  if (embedding.rows < 1) {
    fail_input({.what = "the embedding has no rows"});
  }
  learn::check_rows(weight, all_rows(weight));
}

/// sigma of the mean embedding. The mean is the gradient of one output with a weight of 1 / N.
std::vector<double> summary(learn::RowBlocks& blocks) {
  learn::AlignedVector zero(static_cast<std::size_t>(blocks.coefficients()), 0.0);
  learn::AlignedVector sums(zero.size());
  const double share = 1 / static_cast<double>(blocks.rows());
  blocks.scores_and_gradient(
      zero,
      [&](std::int64_t, std::int64_t, std::int64_t count, double* scores) {
        for (std::int64_t i = 0; i < count; ++i) scores[i * blocks.cols()] = share;
      },
      sums);
  std::vector<double> r;
  for (std::int64_t k = 0; k < blocks.features(); ++k) {
    r.push_back(calibration::sigma(sums[static_cast<std::size_t>(k * blocks.cols())]));
  }
  return r;
}

std::vector<double> random_direction(const Context& context, std::int64_t dim, double scale,
                                     int draw) {
  RandomStream stream(context.seed(), Purpose::direction, 0, static_cast<std::uint64_t>(draw));
  std::vector<double> r;
  for (std::int64_t k = 0; k < dim; ++k) {
    // In float, as in training.
    r.push_back(static_cast<double>(stream.uniform() * static_cast<float>(scale)));
  }
  return r;
}

/// W r: rows of W times r, as ContrastReg multiplies them.
std::vector<double> product(const DenseMatrix& weight, const std::vector<double>& r) {
  std::vector<double> out;
  for (std::int64_t i = 0; i < weight.rows; ++i) {
    double sum = 0;
    const auto row = weight.row(i);
    for (std::size_t j = 0; j < r.size(); ++j) sum += static_cast<double>(row[j]) * r[j];
    out.push_back(sum);
  }
  return out;
}

}  // namespace

DirectionStatistics direction_statistics(const Context& context, const DenseMatrix& embedding,
                                         const DenseMatrix& weight,
                                         const DirectionOptions& options) {
  check_inputs(embedding, weight, options);
  const std::vector<std::int32_t> rows = all_rows(embedding);
  learn::check_rows(embedding, rows);
  const bool random = options.r == Direction::random;
  const int draws = random ? options.draws : 1;
  const double rate = options.learning_rate;
  learn::RowBlocks blocks(context, embedding, rows, draws);
  const std::int64_t cols = blocks.cols();
  ProgressTask progress(context, "directions of the regulariser", embedding.rows, "nodes");

  // One column of coefficients per direction.
  learn::AlignedVector directions(static_cast<std::size_t>(blocks.coefficients()), 0.0);
  std::vector<double> squares;  // |W r|²
  DirectionStatistics out{.draws = draws, .step_is_small = true};
  for (int j = 0; j < draws; ++j) {
    const std::vector<double> u =
        product(weight, random ? random_direction(context, embedding.cols, options.r_scale, j)
                               : summary(blocks));
    for (std::size_t k = 0; k < u.size(); ++k) {
      directions[k * static_cast<std::size_t>(cols) + static_cast<std::size_t>(j)] = u[k];
    }
    squares.push_back(std::inner_product(u.begin(), u.end(), u.begin(), 0.0));
    const double step = rate * squares.back();
    out.step_mean += step / draws;
    out.step_largest = std::max(out.step_largest, step);
    out.step_is_small = out.step_is_small && step <= 1;
  }

  const auto chunks = static_cast<std::size_t>(blocks.chunks());
  std::vector<ValueSpread> before(chunks);
  std::vector<std::vector<DrawSpread>> spreads(
      chunks, std::vector<DrawSpread>(static_cast<std::size_t>(draws)));
  blocks.scores(directions, [&](std::int64_t chunk, std::int64_t first, std::int64_t count,
                                const double* scores) {
    const auto place = static_cast<std::size_t>(chunk);
    for (std::int64_t i = 0; i < count; ++i) {
      double square = 0;
      for (const float value : embedding.row(first + i)) {
        square += static_cast<double>(value) * value;
      }
      const double length = std::sqrt(square);
      before[place].add(length);
      for (std::size_t j = 0; j < squares.size(); ++j) {
        const double x = scores[i * cols + static_cast<std::int64_t>(j)];
        const double step = rate * calibration::sigma(-x);
        // |h + step u|², without making the vector.
        const double moved = square + 2 * step * x + step * step * squares[j];
        const double after = std::sqrt(std::max(0.0, moved));
        DrawSpread& spread = spreads[place][j];
        spread.after.add(after);
        if (x > direction_threshold) {
          spread.above_before.add(length);
          spread.above_after.add(after);
        }
      }
    }
    progress.advance(count);
  });
  progress.finish();

  ValueSpread lengths;
  for (const ValueSpread& part : before) lengths.add(part);
  out.variance_before = lengths.variance();
  DirectionStatistics::Above above;
  for (std::size_t j = 0; j < squares.size(); ++j) {
    DrawSpread all;
    for (const std::vector<DrawSpread>& part : spreads) all.add(part[j]);
    const auto count = static_cast<double>(all.above_before.count());
    out.share_above += count / static_cast<double>(embedding.rows) / draws;
    out.variance_after += all.after.variance() / draws;
    if (all.above_before.count() < 2) continue;
    ++above.draws;
    if (all.above_after.variance() < all.above_before.variance()) ++above.draws_fallen;
    above.variance_before += all.above_before.variance();
    above.variance_after += all.above_after.variance();
  }
  if (above.draws > 0) {
    above.variance_before /= above.draws;
    above.variance_after /= above.draws;
    out.above = above;
  }
  return out;
}

}  // namespace creg
