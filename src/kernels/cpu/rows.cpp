#include "kernels/rows.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/target_clones.h"

namespace creg::learn {
namespace {

// Four doubles: AVX2's width, and as fast as wider ones where the processor has two such units.
using Lanes [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = double;
constexpr std::int64_t row_lanes = 4;
constexpr std::int64_t lane_groups = column_group / row_lanes;

template <int Rows>
CREG_INLINE void product_tile(std::int64_t depth, const double* a, std::int64_t row_stride,
                              std::int64_t depth_stride, const double* b, std::int64_t cols,
                              double* out) {
  Lanes sum[Rows][lane_groups];
#pragma GCC unroll 8
  for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 8
    for (int g = 0; g < lane_groups; ++g) {
      sum[i][g] = *reinterpret_cast<const Lanes*>(out + i * cols + g * row_lanes);
    }
  }
  for (std::int64_t k = 0; k < depth; ++k) {
    Lanes right[lane_groups];
#pragma GCC unroll 8
    for (int g = 0; g < lane_groups; ++g) {
      right[g] = *reinterpret_cast<const Lanes*>(b + k * cols + g * row_lanes);
    }
#pragma GCC unroll 8
    for (int i = 0; i < Rows; ++i) {
      const double left = a[i * row_stride + k * depth_stride];
#pragma GCC unroll 8
      for (int g = 0; g < lane_groups; ++g) sum[i][g] += left * right[g];
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 8
    for (int g = 0; g < lane_groups; ++g) {
      *reinterpret_cast<Lanes*>(out + i * cols + g * row_lanes) = sum[i][g];
    }
  }
}

// exp(x) for x <= 0 by 2^n e^r with |r| <= ln(2)/2 and the series of e^r; below -708 it is that of
// -708, which is as good as nothing. Free of branches and calls, so that loops become vectors.
CREG_INLINE double exp_of_negative(double x) {
  constexpr double log2_e = 1.4426950408889634074;
  constexpr double ln2_high = 6.93147180369123816490e-01;
  constexpr double ln2_low = 1.90821492927058770002e-10;
  constexpr double round_to_integer = 0x1.8p52;  // adding it leaves the integer in the low bits
  const double clamped = x > -708.0 ? x : -708.0;
  const double shifted = clamped * log2_e + round_to_integer;
  const double n = shifted - round_to_integer;
  const double r = (clamped - n * ln2_high) - n * ln2_low;
  double series = 1.0 / 6227020800.0;  // 1/13!
  series = series * r + 1.0 / 479001600.0;
  series = series * r + 1.0 / 39916800.0;
  series = series * r + 1.0 / 3628800.0;
  series = series * r + 1.0 / 362880.0;
  series = series * r + 1.0 / 40320.0;
  series = series * r + 1.0 / 5040.0;
  series = series * r + 1.0 / 720.0;
  series = series * r + 1.0 / 120.0;
  series = series * r + 1.0 / 24.0;
  series = series * r + 1.0 / 6.0;
  series = series * r + 0.5;
  series = series * r + 1.0;
  series = series * r + 1.0;
  const std::uint64_t exponent = (std::bit_cast<std::uint64_t>(shifted) + 1023U) << 52;
  return series * std::bit_cast<double>(exponent);
}

// log(1 + t) for 0 <= t <= 1, exact to rounding also for tiny t.
CREG_INLINE double log_one_plus(double t) {
  return std::log1p(t);
}

}  // namespace

CREG_TARGET_CLONES
void add_product(std::int64_t rows, std::int64_t depth, std::int64_t cols, const double* a,
                 std::int64_t row_stride, std::int64_t depth_stride, const double* b, double* out) {
  constexpr int tile = 4;
  // 16 KiB of a column group of b: half the first cache.
  constexpr std::int64_t depth_block = 256;
  for (std::int64_t k = 0; k < depth; k += depth_block) {
    const std::int64_t piece = depth - k < depth_block ? depth - k : depth_block;
    for (std::int64_t j = 0; j < cols; j += column_group) {
      const double* const right = b + k * cols + j;
      std::int64_t i = 0;
      for (; i + tile <= rows; i += tile) {
        product_tile<tile>(piece, a + i * row_stride + k * depth_stride, row_stride, depth_stride,
                           right, cols, out + i * cols + j);
      }
      for (; i < rows; ++i) {
        product_tile<1>(piece, a + i * row_stride + k * depth_stride, row_stride, depth_stride,
                        right, cols, out + i * cols + j);
      }
    }
  }
}

CREG_TARGET_CLONES
void widen_row(const float* row, std::int64_t features, double* out) {
  for (std::int64_t k = 0; k < features; ++k) out[k] = static_cast<double>(row[k]);
  out[features] = 1.0;
}

CREG_TARGET_CLONES
double softmax_residuals(std::int64_t rows, std::int64_t outputs, std::int64_t cols,
                         const std::int32_t* targets, double* scores) {
  double loss = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    double* const row = scores + i * cols;
    double largest = row[0];
    for (std::int64_t j = 1; j < outputs; ++j) largest = row[j] > largest ? row[j] : largest;
    const double target_score = row[targets[i]] - largest;
    for (std::int64_t j = 0; j < cols; ++j) row[j] = exp_of_negative(row[j] - largest);
    for (std::int64_t j = outputs; j < cols; ++j) row[j] = 0;
    double sum = 0;
    for (std::int64_t j = 0; j < outputs; ++j) sum += row[j];
    const double scale = 1.0 / sum;
    for (std::int64_t j = 0; j < outputs; ++j) row[j] *= scale;
    row[targets[i]] -= 1.0;
    loss += std::log(sum) - target_score;
  }
  return loss;
}

CREG_TARGET_CLONES
void logistic_residuals(std::int64_t rows, std::int64_t outputs, std::int64_t cols,
                        const std::int32_t* targets, std::int32_t first_class, double* scores,
                        double* losses, double* curvature) {
  for (std::int64_t i = 0; i < rows; ++i) {
    double* const row = scores + i * cols;
    const std::int64_t target = targets[i] - first_class;
    for (std::int64_t j = 0; j < outputs; ++j) {
      // The logit of the right answer.
      const double margin = j == target ? row[j] : -row[j];
      const double small = exp_of_negative(-std::abs(margin));
      const double inverse = 1.0 / (1.0 + small);
      const double wrong = (margin >= 0 ? small : 1.0) * inverse;
      losses[j] += (margin >= 0 ? 0.0 : -margin) + log_one_plus(small);
      row[j] = j == target ? -wrong : wrong;
      if (curvature != nullptr) curvature[i * cols + j] = small * inverse * inverse;
    }
    for (std::int64_t j = outputs; j < cols; ++j) {
      row[j] = 0;
      if (curvature != nullptr) curvature[i * cols + j] = 0;
    }
  }
}

CREG_TARGET_CLONES
void logistic_losses_along(std::int64_t rows, std::int64_t outputs, std::int64_t cols,
                           const std::int32_t* targets, std::int32_t first_class,
                           const double* scores, const double* direction, const double* step,
                           double* losses) {
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t target = targets[i] - first_class;
    for (std::int64_t j = 0; j < outputs; ++j) {
      const double score = scores[i * cols + j] + step[j] * direction[i * cols + j];
      const double margin = j == target ? score : -score;
      losses[j] += (margin >= 0 ? 0.0 : -margin) + log_one_plus(exp_of_negative(-std::abs(margin)));
    }
  }
}

}  // namespace creg::learn
