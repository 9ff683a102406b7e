#include "kernels/vectors.h"

#include <bit>
#include <cmath>

#include "kernels/target_clones.h"

namespace creg::learn {

CREG_TARGET_CLONES
double dot_product(std::int64_t n, const double* a, const double* b) {
  // Independent sums: one alone would wait for itself at every addition.
  constexpr int sums = 32;
  double sum[sums] = {};
  std::int64_t i = 0;
  for (; i + sums <= n; i += sums) {
    for (int s = 0; s < sums; ++s) sum[s] += a[i + s] * b[i + s];
  }
  for (int s = 0; i < n; ++i, ++s) sum[s] += a[i] * b[i];
  for (int half = sums / 2; half > 0; half /= 2) {
    for (int s = 0; s < half; ++s) sum[s] += sum[s + half];
  }
  return sum[0];
}

CREG_TARGET_CLONES
void add_scaled(std::int64_t n, double factor, const double* x, double* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] += factor * x[i];
}

CREG_TARGET_CLONES
double largest_magnitude(std::int64_t n, const double* x) {
  double largest = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double magnitude = std::abs(x[i]);
    largest = magnitude > largest ? magnitude : largest;
  }
  return largest;
}

CREG_TARGET_CLONES
bool all_finite(std::int64_t n, const float* x) {
  constexpr std::uint32_t exponent = 0x7f800000;
  std::uint32_t largest = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(x[i]) & exponent;
    largest = bits > largest ? bits : largest;
  }
  return largest != exponent;
}

}  // namespace creg::learn
