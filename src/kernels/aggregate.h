// Range kernels of the sparse product and of the bias + activation that may follow it.
#pragma once

#include <cstdint>

namespace creg::cpu {

/// Bias, then x > 0 ? x : slope·x.
struct Activation {
  const float* bias = nullptr;    ///< null: none
  const float* slope = nullptr;   ///< of the negative side
  std::int64_t slope_stride = 0;  ///< 0: one slope for all columns, 1: one each
};

/// out = M·X, a range of rows at a time.
struct RowProduct {
  const std::int64_t* offsets = nullptr;
  const std::int32_t* columns = nullptr;
  const float* values = nullptr;          ///< null: ones
  const std::int32_t* gather = nullptr;   ///< column c reads row gather[c] of X; null: row c
  const std::int32_t* scatter = nullptr;  ///< row r is written to scatter[r]; null: to r
  const float* x = nullptr;
  std::int64_t width = 0;  ///< columns of X, and the distance of two rows
  float* out = nullptr;
  bool accumulate = false;  ///< adds to what `out` holds

  /// Given: `out` gets the bias added, and the activated rows are written here.
  float* activated = nullptr;
  Activation activation;
};

void multiply_rows(const RowProduct& product, std::int64_t begin, std::int64_t end);

/// pre = x + bias and its activation, rows [begin, end) of dense matrices.
void activate_rows(const Activation& activation, const float* x, float* pre, float* activated,
                   std::int64_t width, std::int64_t begin, std::int64_t end);

/// The gradient of the activation and the bias, rows [begin, end): d_pre = d_out · (pre > 0 ? 1 :
/// slope); bias_sum and slope_sum (each `width` long) get this range's column sums added.
struct ActivationGradient {
  const float* pre = nullptr;
  const float* d_out = nullptr;
  const float* slope = nullptr;
  std::int64_t slope_stride = 0;
  std::int64_t width = 0;
  float* d_pre = nullptr;
};
void activation_gradient_rows(const ActivationGradient& gradient, std::int64_t begin,
                              std::int64_t end, float* bias_sum, float* slope_sum);

}  // namespace creg::cpu
