// Long vectors of doubles. Sums are made in a fixed order.
#pragma once

#include <cstdint>

#include "kernels/rows.h"

namespace creg::learn {

double dot_product(std::int64_t n, const double* a, const double* b);
/// y += factor * x
void add_scaled(std::int64_t n, double factor, const double* x, double* y);
double largest_magnitude(std::int64_t n, const double* x);
bool all_finite(std::int64_t n, const float* x);

/// Adam with its usual constants 0.9, 0.999 and 1e-8.
class Adam {
 public:
  Adam(std::size_t size, double learning_rate);
  void step(const AlignedVector& gradient, AlignedVector& x);

 private:
  double learning_rate_;
  int steps_ = 0;
  AlignedVector mean_;
  AlignedVector square_;
};

}  // namespace creg::learn
