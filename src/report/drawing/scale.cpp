#include "report/drawing/scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "creg/core/error.h"

namespace creg {
namespace {

/// factor · 10^exponent with a factor of 1, 2 or 5.
struct Step {
  int factor = 1;
  int exponent = 0;

  double value() const { return factor * std::pow(10.0, exponent); }
};

Step round_step(double wanted) {
  // Rounding may leave a quotient a little above the round number that it is.
  constexpr double slack = 1 + 1e-9;
  Step step;
  step.exponent = static_cast<int>(std::floor(std::log10(wanted)));
  const double factor = wanted / std::pow(10.0, step.exponent);
  for (const int round : {1, 2, 5}) {
    step.factor = round;
    if (factor <= round * slack) return step;
  }
  return {1, step.exponent + 1};
}

std::string tick_label(double value, double largest, const Step& step) {
  constexpr double plain_below = 1e6;
  constexpr int plain_decimals = 5;
  if (largest < plain_below && step.exponent >= -plain_decimals) {
    return fmt::format("{:.{}f}", value, std::max(0, -step.exponent));
  }
  if (value == 0) return "0";
  const int digits = static_cast<int>(std::floor(std::log10(std::abs(value)))) - step.exponent;
  return fmt::format("{:.{}e}", value, std::clamp(digits, 0, 15));
}

void add_ticks(Scale& scale, double first, double last, const Step& step) {
  const double width = step.value();
  const double largest = std::max(std::abs(first), std::abs(last)) * width;
  // `first` and `last` are whole, and far apart by a few steps only, however large they are.
  const int steps = static_cast<int>(last - first);
  for (int i = 0; i <= steps; ++i) {
    const double value = (first + i) * width + 0.0;  // no negative zero
    scale.ticks.push_back({value, tick_label(value, largest, step)});
  }
}

bool has_no_width(double least, double most) {
  const double largest = std::max(std::abs(least), std::abs(most));
  return most - least <= std::max(1e-9 * largest, 1e-290);
}

/// least < most by more than rounding.
Scale scale_of_range(double least, double most, int intervals, ScaleEnds ends, bool whole) {
  Step step = round_step((most - least) / intervals);
  if (whole && step.exponent < 0) step = {1, 0};
  const double width = step.value();
  constexpr double slack = 1e-9;
  Scale scale;
  if (ends == ScaleEnds::round) {
    const double first = std::floor(least / width + slack);
    const double last = std::ceil(most / width - slack);
    scale.low = std::min(first * width, least);
    scale.high = std::max(last * width, most);
    add_ticks(scale, first, last, step);
  } else {
    scale.low = least;
    scale.high = most;
    add_ticks(scale, std::ceil(least / width - slack), std::floor(most / width + slack), step);
  }
  return scale;
}

}  // namespace

Scale make_scale(double least, double most, int intervals, ScaleEnds ends, bool whole) {
  invariant(intervals >= 1 && least <= most && least >= -largest_drawn && most <= largest_drawn,
            "the range of an axis");
  if (!has_no_width(least, most)) return scale_of_range(least, most, intervals, ends, whole);
  const double pad = std::max(0.1 * std::abs(most), whole ? 1 : most == 0 ? 0.5 : 1e-280);
  Scale scale = scale_of_range(least - pad, most + pad, intervals, ends, whole);
  if (ends == ScaleEnds::exact) {
    // Only the value itself is of interest, not its neighbours that have none.
    const int digits = whole ? 0 : round_step(pad).exponent - 2;
    scale.ticks = {{most, tick_label(most, std::abs(most), {1, digits})}};
  }
  return scale;
}

}  // namespace creg
