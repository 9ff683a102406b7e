#include "calibration/interval.h"

#include <algorithm>

#include "creg/core/error.h"

namespace creg {

Interval middle_interval(std::vector<double> values) {
  invariant(!values.empty(), "an interval is of at least one value");
  std::sort(values.begin(), values.end());
  const auto percentile = [&](double share) {
    const double place = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
  };
  return {percentile(0.025), percentile(0.975)};
}

}  // namespace creg
