#include "kernels/vectors.h"

#include <bit>
#include <cmath>

#include "kernels/target_clones.h"

namespace creg::learn {
namespace {

constexpr double mean_decay = 0.9;
constexpr double square_decay = 0.999;
constexpr double adam_epsilon = 1e-8;

CREG_TARGET_CLONES
void adam_step(std::int64_t n, double rate, double square_correction, const double* gradient,
               double* mean, double* square, double* x) {
  for (std::int64_t i = 0; i < n; ++i) {
    const double g = gradient[i];
    mean[i] = mean_decay * mean[i] + (1 - mean_decay) * g;
    square[i] = square_decay * square[i] + (1 - square_decay) * g * g;
    x[i] -= rate * mean[i] / (std::sqrt(square[i]) * square_correction + adam_epsilon);
  }
}

}  // namespace

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

Adam::Adam(std::size_t size, double learning_rate)
    : learning_rate_(learning_rate), mean_(size, 0.0), square_(size, 0.0) {}

void Adam::step(const AlignedVector& gradient, AlignedVector& x) {
  ++steps_;
  const double rate = learning_rate_ / (1 - std::pow(mean_decay, steps_));
  const double square_correction = 1 / std::sqrt(1 - std::pow(square_decay, steps_));
  adam_step(static_cast<std::int64_t>(x.size()), rate, square_correction, gradient.data(),
            mean_.data(), square_.data(), x.data());
}

}  // namespace creg::learn
