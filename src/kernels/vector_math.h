// Logarithm and exponential that the compiler can turn into vector code: the standard ones are
// calls. Free of branches, by the bits of IEEE floats.
#pragma once

#include <bit>
#include <cstdint>

#include "kernels/target_clones.h"

namespace creg::cpu {

/// ln x for normal x > 0 within 1e-7, relative. x = m 2^e with m in [sqrt(1/2), sqrt(2)); the
/// polynomial is the minimax fit of ln(1+t)/t there. 0 gives a finite value.
CREG_INLINE float vector_ln(float x) {
  constexpr std::int32_t sqrt_half = 0x3f3504f3;
  const auto bits = std::bit_cast<std::int32_t>(x);
  const std::int32_t exponent = (bits - sqrt_half) >> 23;
  const float t = std::bit_cast<float>(bits - exponent * (1 << 23)) - 1.0F;
  float p = 0.087223597F;
  p = p * t - 0.14366845F;
  p = p * t + 0.14952266F;
  p = p * t - 0.16562393F;
  p = p * t + 0.19956834F;
  p = p * t - 0.25002074F;
  p = p * t + 0.33334186F;
  p = p * t - 0.49999988F;
  p = p * t + 0.99999997F;
  return static_cast<float>(exponent) * 0.69314718F + t * p;
}

/// exp x for x <= 0 within 2e-7, relative; what is below the smallest normal float becomes about
/// 1e-38. x = n ln 2 + r with |r| <= ln 2 / 2; the polynomial is the fit of (exp(r) - 1 - r) / r².
CREG_INLINE float vector_exp(float x) {
  constexpr float lowest = -87.0F;
  const float bounded = x < lowest ? lowest : x;
  // Adding 1.5 · 2^23 rounds to a whole number and leaves it in the low bits.
  constexpr float rounder = 12582912.0F;
  const float shifted = bounded * 1.44269504F + rounder;
  const float whole = shifted - rounder;
  // ln 2 in two parts: the first has few bits, so that its product with `whole` is exact.
  const float r = (bounded - whole * 0.693359375F) + whole * 2.12194440e-4F;
  float p = 0.0013814611F;
  p = p * r + 0.0083687100F;
  p = p * r + 0.041668387F;
  p = p * r + 0.16666521F;
  p = p * r + 0.49999993F;
  p = (p * r) * r + r + 1.0F;
  const std::int32_t power = std::bit_cast<std::int32_t>(shifted) << 23;
  return std::bit_cast<float>(std::bit_cast<std::int32_t>(p) + power);
}

}  // namespace creg::cpu
