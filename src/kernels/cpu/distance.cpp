#include "kernels/distance.h"

#include <limits>

#include "kernels/target_clones.h"

namespace creg::learn {
namespace {

constexpr std::int64_t distance_lanes = 16;

// The distance_lanes' sums, in the order of a tree.
CREG_INLINE double sum_lanes(double* sums) {
  for (std::int64_t width = distance_lanes / 2; width > 0; width /= 2) {
    for (std::int64_t l = 0; l < width; ++l) sums[l] += sums[l + width];
  }
  return sums[0];
}

template <class T>
CREG_INLINE double sum_of_squares(std::int64_t n, const T* row) {
  double sums[distance_lanes] = {};
  std::int64_t i = 0;
  for (; i + distance_lanes <= n; i += distance_lanes) {
#pragma GCC unroll 16
    for (std::int64_t l = 0; l < distance_lanes; ++l) {
      const auto x = static_cast<double>(row[i + l]);
      sums[l] += x * x;
    }
  }
  for (; i < n; ++i) sums[0] += static_cast<double>(row[i]) * static_cast<double>(row[i]);
  return sum_lanes(sums);
}

}  // namespace

CREG_TARGET_CLONES
double squared_distance(std::int64_t n, const float* row, const double* centre) {
  double sums[distance_lanes] = {};
  std::int64_t i = 0;
  for (; i + distance_lanes <= n; i += distance_lanes) {
#pragma GCC unroll 16
    for (std::int64_t l = 0; l < distance_lanes; ++l) {
      const double difference = static_cast<double>(row[i + l]) - centre[i + l];
      sums[l] += difference * difference;
    }
  }
  for (; i < n; ++i) {
    const double difference = static_cast<double>(row[i]) - centre[i];
    sums[0] += difference * difference;
  }
  return sum_lanes(sums);
}

CREG_TARGET_CLONES
double squared_norm(std::int64_t n, const float* row) {
  return sum_of_squares(n, row);
}

CREG_TARGET_CLONES
double squared_norm(std::int64_t n, const double* row) {
  return sum_of_squares(n, row);
}

CREG_TARGET_CLONES
void add_row(std::int64_t n, const float* row, double* sum) {
  for (std::int64_t i = 0; i < n; ++i) sum[i] += static_cast<double>(row[i]);
}

CREG_TARGET_CLONES
void add_squared_differences(std::int64_t n, const float* row, const double* centre, double* sum) {
  for (std::int64_t i = 0; i < n; ++i) {
    const double difference = static_cast<double>(row[i]) - centre[i];
    sum[i] += difference * difference;
  }
}

TwoNearest two_nearest(std::int64_t k, const double* distances) {
  TwoNearest found{.distance = distances[0], .other = std::numeric_limits<double>::infinity()};
  for (std::int64_t j = 1; j < k; ++j) {
    const double distance = distances[j];
    if (distance < found.distance) {
      found.other = found.distance;
      found.distance = distance;
      found.nearest = j;
    } else if (distance < found.other) {
      found.other = distance;
    }
  }
  return found;
}

}  // namespace creg::learn
