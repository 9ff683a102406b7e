// Rows of floats against centres of doubles. Plain functions, compiled for several instruction
// sets; sums are made in a fixed order.
#pragma once

#include <cstdint>

namespace creg::learn {

/// The squared differences of a row and a centre, summed: exactly 0 where they are equal.
double squared_distance(std::int64_t n, const float* row, const double* centre);
double squared_norm(std::int64_t n, const float* row);
double squared_norm(std::int64_t n, const double* row);
/// sum += row
void add_row(std::int64_t n, const float* row, double* sum);
/// sum += (row - centre)^2, column by column.
void add_squared_differences(std::int64_t n, const float* row, const double* centre, double* sum);

/// Of the squared distances in one row: the least, the first of equal ones, and the least of the
/// others (infinite when there is none).
struct TwoNearest {
  std::int64_t nearest = 0;
  double distance = 0;
  double other = 0;
};
TwoNearest two_nearest(std::int64_t k, const double* distances);

}  // namespace creg::learn
