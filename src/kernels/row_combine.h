// Weighted sums of rows: the inner loop of every sparse product.
#pragma once

#include <cstdint>

#include "kernels/target_clones.h"

namespace creg::cpu {

/// out[j] (+)= sum over `count` <= 4 rows of weight · row[j]. Four rows at a time keep several
/// reads from memory in flight, and the running sum is loaded and stored once for the four.
CREG_INLINE void combine_rows(float* __restrict out, const float* const* rows, const float* weights,
                              int count, std::int64_t width, bool accumulate) {
  const float* __restrict a = rows[0];
  const float wa = weights[0];
  if (count == 4) {
    const float* __restrict b = rows[1];
    const float* __restrict c = rows[2];
    const float* __restrict d = rows[3];
    const float wb = weights[1];
    const float wc = weights[2];
    const float wd = weights[3];
    if (accumulate) {
      for (std::int64_t j = 0; j < width; ++j) {
        out[j] += (wa * a[j] + wb * b[j]) + (wc * c[j] + wd * d[j]);
      }
    } else {
      for (std::int64_t j = 0; j < width; ++j) {
        out[j] = (wa * a[j] + wb * b[j]) + (wc * c[j] + wd * d[j]);
      }
    }
  } else if (count == 3) {
    const float* __restrict b = rows[1];
    const float* __restrict c = rows[2];
    const float wb = weights[1];
    const float wc = weights[2];
    if (accumulate) {
      for (std::int64_t j = 0; j < width; ++j) out[j] += (wa * a[j] + wb * b[j]) + wc * c[j];
    } else {
      for (std::int64_t j = 0; j < width; ++j) out[j] = (wa * a[j] + wb * b[j]) + wc * c[j];
    }
  } else if (count == 2) {
    const float* __restrict b = rows[1];
    const float wb = weights[1];
    if (accumulate) {
      for (std::int64_t j = 0; j < width; ++j) out[j] += wa * a[j] + wb * b[j];
    } else {
      for (std::int64_t j = 0; j < width; ++j) out[j] = wa * a[j] + wb * b[j];
    }
  } else {
    if (accumulate) {
      for (std::int64_t j = 0; j < width; ++j) out[j] += wa * a[j];
    } else {
      for (std::int64_t j = 0; j < width; ++j) out[j] = wa * a[j];
    }
  }
}

/// Sixteen partial sums: a plain loop would have to add in order and could not be vectorised.
CREG_INLINE float dot_rows(const float* __restrict a, const float* __restrict b,
                           std::int64_t width) {
  float sums[16] = {};
  std::int64_t j = 0;
  for (; j + 16 <= width; j += 16) {
    for (int l = 0; l < 16; ++l) sums[l] += a[j + l] * b[j + l];
  }
  for (; j < width; ++j) sums[j % 16] += a[j] * b[j];
  float total = 0;
  for (const float sum : sums) total += sum;
  return total;
}

}  // namespace creg::cpu
