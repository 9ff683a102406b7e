// What measures over pairs of nodes have in common.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "creg/core/random.h"

namespace creg::calibration {

/// The product of two rows, summed in double.
inline double dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

inline double sigma(double x) {
  return 1 / (1 + std::exp(-x));
}

/// One of `nodes` nodes other than `node`, each with the same chance; there are at least two.
inline std::int32_t another_node(RandomStream& stream, std::int64_t nodes, std::int64_t node) {
  // Those from the node on move up by one.
  const auto drawn = static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(nodes) - 1));
  return static_cast<std::int32_t>(drawn < node ? drawn : drawn + 1);
}

}  // namespace creg::calibration
