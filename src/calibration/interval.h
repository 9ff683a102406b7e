// Where the middle of what resamples give lies.
#pragma once

#include <vector>

namespace creg {

/// 95 %, between the percentiles 2.5 and 97.5.
struct Interval {
  double low = 0;
  double high = 0;
};

/// Of at least one value; percentiles lie between the two nearest values.
Interval middle_interval(std::vector<double> values);

}  // namespace creg
