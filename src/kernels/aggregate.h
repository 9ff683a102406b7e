// The sparse product, and the bias + activation that may follow it.
#pragma once

#include <cstdint>

#include "kernels/launch.h"

namespace creg::kernels {

/// Bias, then x > 0 ? x : slope·x.
struct Activation {
  const float* bias = nullptr;    ///< null: none
  const float* slope = nullptr;   ///< of the negative side
  std::int64_t slope_stride = 0;  ///< 0: one slope for all columns, 1: one each
};

/// A product with at most so many entries per row of X takes the entries of a row in their order,
/// whatever that is. With more, and on a GPU, columns must ascend in each row.
inline constexpr std::int64_t entries_per_source_in_order = 12;

/// out = M·X for M [rows, source_rows], columns ascending in each row but for the case above.
struct RowProduct {
  std::int64_t rows = 0;
  std::int64_t source_rows = 0;
  std::int64_t entries = 0;  ///< at most so many: what a GPU shares its work out by
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

/// pre = x + bias, and its activation.
struct RowActivation {
  Activation activation;
  const float* x = nullptr;
  float* pre = nullptr;
  float* activated = nullptr;
  std::int64_t rows = 0;
  std::int64_t width = 0;
};

/// Rows that one piece sums in float; whoever asked adds the pieces in double. Fixed, so that sums
/// depend neither on threads nor on the device's size.
inline constexpr std::int64_t rows_per_sum = 256;
inline constexpr std::int64_t sum_pieces(std::int64_t rows) {
  return rows <= rows_per_sum ? 1 : (rows + rows_per_sum - 1) / rows_per_sum;
}

/// d_pre = d_out · (pre > 0 ? 1 : slope), and what bias and slope get of each piece of rows.
struct ActivationGradient {
  const float* pre = nullptr;
  const float* d_out = nullptr;
  const float* slope = nullptr;
  std::int64_t slope_stride = 0;
  std::int64_t rows = 0;
  std::int64_t width = 0;
  float* d_pre = nullptr;
  float* sums = nullptr;  ///< [sum_pieces(rows), 2, width]: of the bias, of the slope
};

}  // namespace creg::kernels

namespace creg::cpu {

/// Long rows of a plain product go by panels of X, which round differently.
void multiply(const Launch& launch, const kernels::RowProduct& product);
void multiply_row_by_row(const Launch& launch, const kernels::RowProduct& product);
void activate(const Launch& launch, const kernels::RowActivation& rows);
void activation_gradient(const Launch& launch, const kernels::ActivationGradient& gradient);

}  // namespace creg::cpu

namespace creg::cuda {

void multiply(const Launch& launch, const kernels::RowProduct& product);
void activate(const Launch& launch, const kernels::RowActivation& rows);
void activation_gradient(const Launch& launch, const kernels::ActivationGradient& gradient);

}  // namespace creg::cuda
