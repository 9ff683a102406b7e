#include "kernels/kept_best.h"

#include <algorithm>
#include <limits>

namespace creg::cpu {

using kernels::JudgedStep;
using kernels::KeptBest;

void keep_best(const Launch& launch, const KeptBest& values) {
  const double loss = values.statistics[0];
  JudgedStep after = kernels::judged(*values.before, loss, values.always);
  if (kernels::is_kept(*values.before, loss, values.always)) {
    const auto slot = static_cast<std::size_t>(after.slot);
    constexpr std::int64_t grain = 1 << 15;
    for (int p = 0; p < values.count; ++p) {
      const KeptBest::Parameter& one = values.parameters[static_cast<std::size_t>(p)];
      launch.workers->for_ranges(one.count, grain, [&](std::int64_t begin, std::int64_t end) {
        std::copy(one.value + begin, one.value + end, one.kept[slot] + begin);
      });
    }
  }
  std::copy_n(values.statistics, values.numbers, after.statistics.begin());
  if (after.halted != 0) *values.halt = std::numeric_limits<float>::quiet_NaN();
  *values.after = after;
}

}  // namespace creg::cpu
