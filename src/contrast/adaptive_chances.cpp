#include "contrast/adaptive_chances.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace creg {

std::vector<float> adaptive_chances(std::span<const double> scores, double chance) {
  std::vector<float> chances(scores.size(), 0.0F);
  if (chance <= 0) return chances;
  double largest = -INFINITY;
  double sum = 0;
  std::int64_t count = 0;
  for (const double s : scores) {
    if (!std::isfinite(s)) continue;
    largest = std::max(largest, s);
    sum += s;
    ++count;
  }
  const double spread = count == 0 ? 0 : largest - sum / static_cast<double>(count);
  // Equal scores may differ from their mean by rounding.
  const bool equal = spread <= 1e-12 * std::max(1.0, std::abs(largest));
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double s = scores[i];
    // The mean of the weights is 1 by their definition.
    const double weight = !std::isfinite(s) ? INFINITY : equal ? 1 : (largest - s) / spread;
    chances[i] = static_cast<float>(std::min(weight * chance, largest_drop_chance));
  }
  return chances;
}

}  // namespace creg
