// Numbers for kernels: no more memory than they need, so that the sanitizers see every step beyond.
#pragma once

#include <cstdint>
#include <vector>

#include "creg/core/random.h"

namespace creg::test {

using Floats = std::vector<float>;

inline Floats random_floats(std::int64_t count, std::uint64_t seed = 1) {
  RandomStream stream(seed, Purpose::test);
  Floats out;
  for (std::int64_t i = 0; i < count; ++i) out.push_back(static_cast<float>(stream.normal()));
  return out;
}

/// Rows of 0 to 9 entries, so that groups of four are met with every rest.
struct Pattern {
  std::int64_t rows = 0;
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::int32_t> columns;

  Pattern(std::int64_t rows, std::int64_t cols) : rows(rows) {
    RandomStream stream(5, Purpose::test);
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t e = 0; e < r % 10; ++e) {
        columns.push_back(
            static_cast<std::int32_t>(stream.below(static_cast<std::uint64_t>(cols))));
      }
      offsets.push_back(static_cast<std::int64_t>(columns.size()));
    }
  }
  std::int64_t entries() const { return static_cast<std::int64_t>(columns.size()); }
};

inline double plain_dot(const float* a, const float* b, std::int64_t width) {
  double sum = 0;
  for (std::int64_t j = 0; j < width; ++j) sum += static_cast<double>(a[j]) * b[j];
  return sum;
}

}  // namespace creg::test
