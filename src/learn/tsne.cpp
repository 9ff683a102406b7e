#include "learn/tsne.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/parallel.h"
#include "creg/core/progress.h"
#include "learn/map/affinities.h"
#include "learn/map/quad_tree.h"
#include "learn/nearest_rows.h"
#include "learn/pca.h"
#include "learn/row_blocks.h"

namespace creg {
namespace {

using learn::PlanePoint;
using learn::QuadTree;
using learn::Repulsion;

constexpr double exaggeration = 12;
constexpr std::int64_t point_grain = 512;

/// The first two columns, the wider one with a spread of 1e-4.
std::vector<PlanePoint> first_points(const DenseMatrix& rows) {
  std::vector<PlanePoint> points(static_cast<std::size_t>(rows.rows));
  double squares = 0;
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    const auto row = rows.row(i);
    points[static_cast<std::size_t>(i)] = {row[0], row.size() > 1 ? row[1] : 0.0F};
    squares += static_cast<double>(row[0]) * row[0];
  }
  if (squares == 0) return points;
  const double scale = 1e-4 / std::sqrt(squares / static_cast<double>(rows.rows));
  for (PlanePoint& point : points) point = {scale * point.x, scale * point.y};
  return points;
}

/// Gradient descent with momentum and a gain for every coordinate.
class Descent {
 public:
  Descent(const Context& context, const learn::Affinities& affinities,
          std::vector<PlanePoint> points, double theta)
      : context_(context),
        affinities_(affinities),
        points_(std::move(points)),
        moves_(points_.size()),
        gains_(points_.size(), {1, 1}),
        repulsions_(points_.size()),
        theta_(theta),
        rate_(std::max(static_cast<double>(points_.size()) / exaggeration / 4, 50.0)) {}

  void step(double attraction, double momentum) {
    const QuadTree tree(context_, points_);
    const auto order = tree.order();
    const auto count = static_cast<std::int64_t>(points_.size());
    parallel_for(context_, 0, count, point_grain, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t place = first; place < last; ++place) {
        repulsions_[static_cast<std::size_t>(order[static_cast<std::size_t>(place)])] =
            tree.repulsion(place, theta_);
      }
    });
    double sum = 0;
    for (const Repulsion& one : repulsions_) sum += one.sum;
    before_ = points_;
    parallel_for(context_, 0, count, point_grain, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t place = first; place < last; ++place) {
        move(static_cast<std::size_t>(order[static_cast<std::size_t>(place)]), attraction, sum,
             momentum);
      }
    });
    centre();
  }

  std::vector<float> result() const {
    std::vector<float> out;
    out.reserve(2 * points_.size());
    for (const PlanePoint& point : points_) {
      out.push_back(static_cast<float>(point.x));
      out.push_back(static_cast<float>(point.y));
    }
    return out;
  }

 private:
  void move(std::size_t i, double attraction, double sum, double momentum) {
    const PlanePoint own = before_[i];
    PlanePoint pull;
    for (std::int64_t e = affinities_.offsets[i]; e < affinities_.offsets[i + 1]; ++e) {
      const auto entry = static_cast<std::size_t>(e);
      const PlanePoint& other = before_[static_cast<std::size_t>(affinities_.columns[entry])];
      const double x = own.x - other.x;
      const double y = own.y - other.y;
      const double weight = static_cast<double>(affinities_.values[entry]) / (1 + x * x + y * y);
      pull.x += weight * x;
      pull.y += weight * y;
    }
    const Repulsion& push = repulsions_[i];
    const double normal = sum > 0 ? 1 / sum : 0;
    const auto along = [&](double PlanePoint::*axis, double gradient) {
      double& gain = gains_[i].*axis;
      double& last = moves_[i].*axis;
      gain = gradient * last < 0 ? gain + 0.2 : std::max(0.8 * gain, 0.01);
      last = momentum * last - rate_ * gain * gradient;
      points_[i].*axis += last;
    };
    along(&PlanePoint::x, 4 * (attraction * pull.x - normal * push.x));
    along(&PlanePoint::y, 4 * (attraction * pull.y - normal * push.y));
  }

  void centre() {
    PlanePoint mean;
    for (const PlanePoint& point : points_) mean = {mean.x + point.x, mean.y + point.y};
    const auto count = static_cast<double>(points_.size());
    for (PlanePoint& point : points_) {
      point = {point.x - mean.x / count, point.y - mean.y / count};
    }
  }

  const Context& context_;
  const learn::Affinities& affinities_;
  std::vector<PlanePoint> points_;
  std::vector<PlanePoint> before_;
  std::vector<PlanePoint> moves_;
  std::vector<PlanePoint> gains_;
  std::vector<Repulsion> repulsions_;
  double theta_;
  double rate_;
};

}  // namespace

std::vector<float> tsne(const Context& context, const DenseMatrix& values,
                        const learn::EigenSolver& solver, const TsneOptions& options) {
  if (values.rows < 2) return std::vector<float>(static_cast<std::size_t>(2 * values.rows));
  const std::int64_t components =
      std::min({options.dimensions, values.rows, std::max<std::int64_t>(values.cols, 1)});
  const DenseMatrix rows = project(context, fit_pca(context, values, components, solver), values);
  const auto most_neighbours = static_cast<std::int64_t>(3 * options.perplexity);
  const std::int64_t k = std::min(values.rows - 1, std::max<std::int64_t>(most_neighbours, 1));
  // A uniform choice among k has the perplexity k.
  const double perplexity = std::max(1.0, std::min(options.perplexity, static_cast<double>(k) / 3));
  const learn::Affinities near =
      learn::affinities(context, nearest_rows(context, rows, k), perplexity);
  Descent descent(context, near, first_points(rows), options.theta);
  ProgressTask progress(context, "drawing the map", options.iterations);
  for (int step = 0; step < options.iterations; ++step) {
    context.throw_if_stopped();
    const bool early = step < options.iterations / 4;
    descent.step(early ? exaggeration : 1, early ? 0.5 : 0.8);
    progress.advance();
  }
  progress.finish();
  return descent.result();
}

}  // namespace creg
