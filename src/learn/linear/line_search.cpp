#include "learn/linear/line_search.h"

#include <algorithm>
#include <cmath>

#include "creg/core/error.h"

namespace creg::learn {
namespace {

// How far beyond the last step the next may lie while no interval is known.
constexpr double least_growth = 1.1;
constexpr double most_growth = 4.0;
// An interval must shrink to this part of itself in two steps, else it is halved.
constexpr double enough_shrinkage = 0.66;

}  // namespace

LineSearch::LineSearch(double value, double slope, double step, const WolfeConditions& conditions)
    : conditions_(conditions),
      start_{.at = 0, .value = value, .slope = slope},
      low_(start_),
      high_(start_),
      current_{.at = step},
      most_(step + most_growth * step),
      width_(conditions.longest),
      previous_width_(2 * width_) {
  invariant(slope < 0 && step > 0, "a line search starts downhill");
}

bool LineSearch::advance(double value, double slope) {
  current_.value = value;
  current_.slope = slope;
  const double wanted_slope = conditions_.decrease * start_.slope;
  const double enough = start_.value + current_.at * wanted_slope;
  if (!sufficient_ && value <= enough && slope >= 0) sufficient_ = true;

  const bool holds =
      value <= enough && std::abs(slope) <= conditions_.curvature * std::abs(start_.slope);
  const bool stuck = bracketed_ && (current_.at <= least_ || current_.at >= most_ ||
                                    most_ - least_ <= conditions_.width * most_);
  const bool at_the_end =
      current_.at == conditions_.longest && value <= enough && slope <= wanted_slope;
  if (holds || stuck || at_the_end) return true;

  double next = 0;
  if (!sufficient_ && value <= low_.value && value > enough) {
    // Until enough decrease was seen, the search looks at f less the line of enough decrease.
    const auto tilted = [&](Point point) {
      point.value -= point.at * wanted_slope;
      point.slope -= wanted_slope;
      return point;
    };
    const auto upright = [&](Point point) {
      point.value += point.at * wanted_slope;
      point.slope += wanted_slope;
      return point;
    };
    Point low = tilted(low_);
    Point high = tilted(high_);
    const Point trial = tilted(current_);
    next = next_step(low, high, trial);
    shrink(low, high, trial);
    low_ = upright(low);
    high_ = upright(high);
  } else {
    next = next_step(low_, high_, current_);
    shrink(low_, high_, current_);
  }

  if (bracketed_) {
    const double width = std::abs(high_.at - low_.at);
    if (width >= enough_shrinkage * previous_width_) next = low_.at + 0.5 * (high_.at - low_.at);
    previous_width_ = width_;
    width_ = width;
    least_ = std::min(low_.at, high_.at);
    most_ = std::max(low_.at, high_.at);
  } else {
    least_ = next + least_growth * (next - low_.at);
    most_ = next + most_growth * (next - low_.at);
  }
  next = std::clamp(next, 0.0, conditions_.longest);
  // No progress is left inside the interval: take its best point.
  if (bracketed_ &&
      (next <= least_ || next >= most_ || most_ - least_ <= conditions_.width * most_)) {
    next = low_.at;
  }
  current_ = {.at = next};
  return false;
}

// The minimiser of the cubic that has both points' values and slopes is
// from + share * (to - from).
double LineSearch::cubic_share(const Point& from, const Point& to) {
  const double theta = 3 * (from.value - to.value) / (to.at - from.at) + from.slope + to.slope;
  const double scale = std::max({std::abs(theta), std::abs(from.slope), std::abs(to.slope)});
  const double under_root =
      (theta / scale) * (theta / scale) - (from.slope / scale) * (to.slope / scale);
  // Below zero the cubic has no minimum; only rounding and far points lead there.
  double gamma = scale * std::sqrt(std::max(0.0, under_root));
  if (to.at < from.at) gamma = -gamma;
  return ((gamma - from.slope) + theta) / (((gamma - from.slope) + gamma) + to.slope);
}

double LineSearch::next_step(const Point& low, const Point& high, const Point& trial) {
  const auto secant = [&] {
    return trial.at + trial.slope / (trial.slope - low.slope) * (low.at - trial.at);
  };
  if (trial.value > low.value) {
    // Higher than the best: a minimum lies between. The cubic's if it is nearer to the best than
    // the parabola's, else the middle of both.
    const double cubic = low.at + cubic_share(low, trial) * (trial.at - low.at);
    const double mean_slope = (low.value - trial.value) / (trial.at - low.at);
    const double parabola = low.at + low.slope / (mean_slope + low.slope) / 2 * (trial.at - low.at);
    bracketed_ = true;
    return std::abs(cubic - low.at) < std::abs(parabola - low.at) ? cubic
                                                                  : cubic + (parabola - cubic) / 2;
  }
  const double downhill = std::copysign(1.0, low.slope);
  if (trial.slope * downhill < 0) {
    // Lower, and the slope has turned: a minimum lies between. The farther of both guesses.
    const double cubic = trial.at + cubic_share(trial, low) * (low.at - trial.at);
    bracketed_ = true;
    return std::abs(cubic - trial.at) > std::abs(secant() - trial.at) ? cubic : secant();
  }
  if (std::abs(trial.slope) < std::abs(low.slope)) {
    // Lower, flatter, still downhill. The cubic counts only if it has a minimum beyond the trial.
    const double share = cubic_share(trial, low);
    const double limit = trial.at > low.at ? most_ : least_;
    const double cubic = share < 0 ? trial.at + share * (low.at - trial.at) : limit;
    const bool cubic_is_nearer = std::abs(cubic - trial.at) < std::abs(secant() - trial.at);
    if (!bracketed_) return std::clamp(cubic_is_nearer ? secant() : cubic, least_, most_);
    const double next = cubic_is_nearer ? cubic : secant();
    const double farthest = trial.at + enough_shrinkage * (high.at - trial.at);
    return trial.at > low.at ? std::min(farthest, next) : std::max(farthest, next);
  }
  // Lower and no flatter.
  if (bracketed_) return trial.at + cubic_share(trial, high) * (high.at - trial.at);
  return trial.at > low.at ? most_ : least_;
}

void LineSearch::shrink(Point& low, Point& high, const Point& trial) {
  if (trial.value > low.value) {
    high = trial;
    return;
  }
  if (trial.slope * std::copysign(1.0, low.slope) < 0) high = low;
  low = trial;
}

}  // namespace creg::learn
