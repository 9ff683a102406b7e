#include "kernels/info_nce.h"

#include <algorithm>

#include "kernels/target_clones.h"
#include "kernels/vector_math.h"

namespace creg::cpu {
namespace {

constexpr std::int64_t lanes = 16;
// Column sums are kept in float for this many rows, then added to the doubles.
constexpr std::int64_t flush_rows = 32;
// A product that no pair has, whose exponential is about 1e-38.
constexpr float none = -1e30F;

/// The exponentials of one row: their sum, and each added to its column's.
CREG_INLINE double add_row(const float* __restrict values, std::int64_t count, float inverse,
                           float* __restrict columns) {
  float partial[lanes] = {};
  const std::int64_t whole = count / lanes * lanes;
  for (std::int64_t c = 0; c < whole; c += lanes) {
    for (std::int64_t l = 0; l < lanes; ++l) {
      const float e = vector_exp(std::min((values[c + l] - 1.0F) * inverse, 0.0F));
      partial[l] += e;
      columns[c + l] += e;
    }
  }
  double sum = 0;
  for (const float part : partial) sum += part;
  for (std::int64_t c = whole; c < count; ++c) {
    const float e = vector_exp(std::min((values[c] - 1.0F) * inverse, 0.0F));
    sum += e;
    columns[c] += e;
  }
  return sum;
}

}  // namespace

CREG_TARGET_CLONES
void add_exponentials(const Tile& tile, float inverse_temperature, double* sums, float* scratch) {
  const bool diagonal = tile.diagonal();
  std::fill(scratch, scratch + tile.columns, 0.0F);
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    float* const row = tile.values + r * tile.columns;
    // Its exponential is the smallest there is: taking it off a sum would leave rounding behind.
    if (diagonal) row[r] = none;
    sums[tile.first_row + r] += add_row(row, tile.columns, inverse_temperature, scratch);
    if (!diagonal && (r + 1) % flush_rows == 0) {
      for (std::int64_t c = 0; c < tile.columns; ++c) sums[tile.first_column + c] += scratch[c];
      std::fill(scratch, scratch + tile.columns, 0.0F);
    }
  }
  if (diagonal) return;
  for (std::int64_t c = 0; c < tile.columns; ++c) sums[tile.first_column + c] += scratch[c];
}

CREG_TARGET_CLONES
void weigh_exponentials(const Tile& tile, float inverse_temperature, const float* weights) {
  const float* __restrict const columns = weights + tile.first_column;
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    float* __restrict const row = tile.values + r * tile.columns;
    const float weight = weights[tile.first_row + r];
    for (std::int64_t c = 0; c < tile.columns; ++c) {
      row[c] =
          vector_exp(std::min((row[c] - 1.0F) * inverse_temperature, 0.0F)) * (weight + columns[c]);
    }
    if (tile.diagonal()) row[r] = 0;
  }
}

}  // namespace creg::cpu
