#include "report/correlation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "creg/core/error.h"
#include "creg/core/random.h"

namespace creg {
namespace {

/// All points of all runs, one run after another. A resample is a weight of each point: how often
/// it was drawn.
struct Points {
  std::vector<double> x;
  std::vector<double> y;
  std::vector<std::size_t> begin;  ///< of each run, and the end of the last

  std::size_t runs() const { return begin.size() - 1; }
};

using Weights = std::vector<double>;

Points gather(std::span<const PairedRun> runs, std::size_t least) {
  Points points;
  points.begin.push_back(0);
  for (const PairedRun& run : runs) {
    invariant(run.x.size() == run.y.size(), "both figures at every epoch of a run");
    if (run.x.size() < least) continue;
    points.x.insert(points.x.end(), run.x.begin(), run.x.end());
    points.y.insert(points.y.end(), run.y.begin(), run.y.end());
    points.begin.push_back(points.x.size());
  }
  return points;
}

/// One run's values less their weighted mean. A run that does not vary becomes exactly 0, which
/// rounding of the mean would not give.
void centre(std::span<double> values, std::span<const double> weights) {
  double sum = 0;
  double weight = 0;
  bool varies = false;
  std::optional<double> first;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (weights[i] == 0) continue;
    sum += weights[i] * values[i];
    weight += weights[i];
    if (!first) first = values[i];
    varies = varies || values[i] != *first;
  }
  if (weight == 0) return;
  const double mean = varies ? sum / weight : *first;
  for (double& value : values) value -= mean;
}

std::vector<double> centred(const Points& points, std::vector<double> values,
                            const Weights& weights) {
  for (std::size_t run = 0; run < points.runs(); ++run) {
    const std::size_t begin = points.begin[run];
    const std::size_t count = points.begin[run + 1] - begin;
    centre(std::span(values).subspan(begin, count), std::span(weights).subspan(begin, count));
  }
  return values;
}

std::vector<std::size_t> ascending(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  return order;
}

/// Ranks in the resample: a point drawn twice takes up two, and equal values share the mean.
std::vector<double> ranks(const std::vector<double>& values, const std::vector<std::size_t>& order,
                          const Weights& weights) {
  std::vector<double> out(values.size());
  double below = 0;
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i;
    double equal = 0;
    while (end < order.size() && values[order[end]] == values[order[i]]) {
      equal += weights[order[end++]];
    }
    for (; i < end; ++i) out[order[i]] = below + (equal + 1) / 2;
    below += equal;
  }
  return out;
}

std::optional<double> pearson(const std::vector<double>& x, const std::vector<double>& y,
                              const Weights& weights) {
  double count = 0;
  double sum_x = 0;
  double sum_y = 0;
  bool x_varies = false;
  bool y_varies = false;
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (weights[i] == 0) continue;
    if (!first) first = i;
    count += weights[i];
    sum_x += weights[i] * x[i];
    sum_y += weights[i] * y[i];
    x_varies = x_varies || x[i] != x[*first];
    y_varies = y_varies || y[i] != y[*first];
  }
  if (count < 3 || !x_varies || !y_varies) return std::nullopt;
  const double mean_x = sum_x / count;
  const double mean_y = sum_y / count;
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double dx = x[i] - mean_x;
    const double dy = y[i] - mean_y;
    xx += weights[i] * dx * dx;
    yy += weights[i] * dy * dy;
    xy += weights[i] * dx * dy;
  }
  const double r = xy / (std::sqrt(xx) * std::sqrt(yy));
  // Sums of extreme values overflow or vanish.
  if (!std::isfinite(r)) return std::nullopt;
  return std::clamp(r, -1.0, 1.0);
}

/// The correlation of a resample, with what does not change between resamples made once.
class Statistic {
 public:
  Statistic(Points points, CorrelationKind kind, bool within, Resampled resampled)
      : points_(std::move(points)), kind_(kind) {
    const Weights once(points_.x.size(), 1);
    // The mean of a run drawn as a whole is always the same; that of some of its epochs is not.
    centre_again_ = within && resampled == Resampled::epoch_blocks;
    if (within) {
      points_.x = centred(points_, std::move(points_.x), once);
      points_.y = centred(points_, std::move(points_.y), once);
    }
    if (kind_ == CorrelationKind::spearman && !centre_again_) {
      order_x_ = ascending(points_.x);
      order_y_ = ascending(points_.y);
    }
  }

  const Points& points() const { return points_; }

  std::optional<double> operator()(const Weights& weights) const {
    if (centre_again_) {
      const std::vector<double> x = centred(points_, points_.x, weights);
      const std::vector<double> y = centred(points_, points_.y, weights);
      if (kind_ == CorrelationKind::pearson) return pearson(x, y, weights);
      return pearson(ranks(x, ascending(x), weights), ranks(y, ascending(y), weights), weights);
    }
    if (kind_ == CorrelationKind::pearson) return pearson(points_.x, points_.y, weights);
    return pearson(ranks(points_.x, order_x_, weights), ranks(points_.y, order_y_, weights),
                   weights);
  }

 private:
  Points points_;
  CorrelationKind kind_;
  bool centre_again_ = false;
  std::vector<std::size_t> order_x_;
  std::vector<std::size_t> order_y_;
};

void draw_runs(const Points& points, RandomStream& stream, Weights& weights) {
  for (std::size_t drawn = 0; drawn < points.runs(); ++drawn) {
    const std::size_t run = stream.below(points.runs());
    for (std::size_t i = points.begin[run]; i < points.begin[run + 1]; ++i) weights[i] += 1;
  }
}

void draw_blocks(const Points& points, RandomStream& stream, Weights& weights) {
  for (std::size_t run = 0; run < points.runs(); ++run) {
    const std::size_t begin = points.begin[run];
    const std::size_t epochs = points.begin[run + 1] - begin;
    const auto length =
        static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(epochs))));
    for (std::size_t drawn = 0; drawn < epochs;) {
      const std::size_t start = begin + stream.below(epochs - length + 1);
      for (std::size_t i = 0; i < length && drawn < epochs; ++i, ++drawn) weights[start + i] += 1;
    }
  }
}

std::optional<Interval> bootstrap(const Statistic& statistic, Resampled resampled,
                                  std::uint64_t seed) {
  const Points& points = statistic.points();
  std::vector<double> found;
  Weights weights(points.x.size());
  for (int resample = 0; resample < bootstrap_resamples; ++resample) {
    RandomStream stream(seed, Purpose::bootstrap, 0, static_cast<std::uint64_t>(resample));
    std::fill(weights.begin(), weights.end(), 0);
    if (resampled == Resampled::runs) {
      draw_runs(points, stream, weights);
    } else {
      draw_blocks(points, stream, weights);
    }
    if (const std::optional<double> r = statistic(weights)) found.push_back(*r);
  }
  if (2 * found.size() < static_cast<std::size_t>(bootstrap_resamples)) return std::nullopt;
  return middle_interval(std::move(found));
}

}  // namespace

PairedRun pair_up(std::span<const std::optional<double>> x,
                  std::span<const std::optional<double>> y) {
  invariant(x.size() == y.size(), "both figures at the same epochs");
  PairedRun run;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!x[i] || !y[i] || !std::isfinite(*x[i]) || !std::isfinite(*y[i])) continue;
    run.x.push_back(*x[i]);
    run.y.push_back(*y[i]);
  }
  return run;
}

Correlation correlate(std::span<const PairedRun> runs, CorrelationKind kind, bool within,
                      std::uint64_t seed) {
  Points points = gather(runs, within ? 2 : 1);
  Correlation out{.kind = kind, .within = within};
  out.runs = static_cast<std::int64_t>(points.runs());
  out.points = static_cast<std::int64_t>(points.x.size());
  out.resampled = out.runs >= runs_to_resample ? Resampled::runs : Resampled::epoch_blocks;
  const Statistic statistic(std::move(points), kind, within, out.resampled);
  out.r = statistic(Weights(statistic.points().x.size(), 1));
  if (out.r) out.interval = bootstrap(statistic, out.resampled, seed);
  return out;
}

}  // namespace creg
