// Plain dense matrices in double: the reference that sparse code is checked against.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "creg/graph/graph.h"

namespace creg::test {

struct Dense {
  explicit Dense(std::int64_t n) : size(n), values(static_cast<std::size_t>(n * n), 0.0) {}
  double& operator()(std::int64_t i, std::int64_t j) {
    return values[static_cast<std::size_t>(i * size + j)];
  }
  double operator()(std::int64_t i, std::int64_t j) const {
    return values[static_cast<std::size_t>(i * size + j)];
  }
  std::int64_t size;
  std::vector<double> values;
};

/// Repeats add up.
inline Dense dense_of(const CsrMatrix& matrix) {
  Dense dense(matrix.rows);
  for (std::int64_t r = 0; r < matrix.rows; ++r) {
    for (std::int64_t e = matrix.offsets[r]; e < matrix.offsets[r + 1]; ++e) {
      dense(r, matrix.columns[e]) += matrix.value(e);
    }
  }
  return dense;
}

/// The largest difference of two elements.
inline double distance(const Dense& a, const Dense& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    largest = std::max(largest, std::abs(a.values[i] - b.values[i]));
  }
  return largest;
}

}  // namespace creg::test
