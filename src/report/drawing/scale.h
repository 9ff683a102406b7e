// The axis of a chart: its range, and round numbers to mark on it.
#pragma once

#include <string>
#include <vector>

namespace creg {

struct Tick {
  double value = 0;
  std::string label;
};

struct Scale {
  double low = 0;
  double high = 1;
  std::vector<Tick> ticks;

  /// 0 at low, 1 at high.
  double share(double value) const { return (value - low) / (high - low); }
};

enum class ScaleEnds {
  round,  ///< the range is widened to ticks
  exact   ///< the range is that of the values
};

/// Values further from 0 are not drawn: the differences of such may overflow.
constexpr double largest_drawn = 1e300;

/// Ticks at multiples of 1, 2 or 5 times a power of ten, about `intervals` apart; `whole`: at whole
/// numbers only. least <= most; a range of no width is widened.
Scale make_scale(double least, double most, int intervals, ScaleEnds ends, bool whole = false);

}  // namespace creg
