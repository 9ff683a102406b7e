// Long vectors of doubles. Sums are made in a fixed order.
#pragma once

#include <cstdint>

namespace creg::learn {

double dot_product(std::int64_t n, const double* a, const double* b);
/// y += factor * x
void add_scaled(std::int64_t n, double factor, const double* x, double* y);
double largest_magnitude(std::int64_t n, const double* x);
bool all_finite(std::int64_t n, const float* x);

}  // namespace creg::learn
