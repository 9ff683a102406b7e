#include "kernels/similarity.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "kernels/target_clones.h"
#include "kernels/vector_math.h"

namespace creg::cpu {
namespace {

// Entries that are looked at together: loops of this fixed length become straight vector code.
constexpr std::int64_t chunk = 64;
// Column sums are kept in float for this many rows, then added to the doubles.
constexpr std::int64_t flush_rows = 32;
constexpr std::int64_t lanes = 16;

// By its sign bit: with a comparison the compiler makes a branch of the zeros.
CREG_INLINE float clamped_at_zero(float x) {
  const auto bits = std::bit_cast<std::int32_t>(x);
  return std::bit_cast<float>(bits & ~(bits >> 31));
}

CREG_INLINE bool any_reaches(const float* values, float row_bound, const float* column_bounds,
                             std::int64_t count) {
  int hits = 0;
  for (std::int64_t j = 0; j < count; ++j) {
    hits |=
        static_cast<int>(values[j] >= row_bound) | static_cast<int>(values[j] >= column_bounds[j]);
  }
  return hits != 0;
}

/// The value from which on a similarity to one of the nodes first_index, first_index + 1, … may
/// enter the list. A node after the last one in the list has to be better, not just equal: without
/// that, the many ties of a graph with repeated rows would all take the slow path.
float entry_bound(const TopKLists& lists, std::int64_t node, std::int64_t first_index) {
  const std::int64_t last = (node + 1) * lists.k - 1;
  const float value = lists.values[last];
  if (lists.indices[last] >= first_index) return value;
  return std::nextafter(value, std::numeric_limits<float>::infinity());
}

// Kept out of the loop over chunks: few chunks get here.
__attribute__((noinline)) void offer_chunk(const Tile& tile, bool with_self, const TopKLists& lists,
                                           std::int64_t r, std::int64_t c, std::int64_t count,
                                           float& row_bound, float* column_bounds) {
  const std::int64_t node = tile.first_row + r;
  const bool diagonal = tile.diagonal();
  for (std::int64_t j = c; j < c + count; ++j) {
    const float value = tile.values[r * tile.columns + j];
    const std::int64_t other = tile.first_column + j;
    if (value >= row_bound && (with_self || node != other)) {
      offer(value, static_cast<std::int32_t>(other), lists.k, lists.values + node * lists.k,
            lists.indices + node * lists.k);
      row_bound = entry_bound(lists, node, tile.first_column);
    }
    if (!diagonal && value >= column_bounds[j]) {
      offer(value, static_cast<std::int32_t>(node), lists.k, lists.values + other * lists.k,
            lists.indices + other * lists.k);
      column_bounds[j] = entry_bound(lists, other, tile.first_row);
    }
  }
}

// Nothing here overlaps: without being told so the compiler would go entry by entry.
CREG_INLINE void add_entropy_chunk(const float* __restrict values, std::int64_t count,
                                   float* __restrict row_s, float* __restrict row_s_ln_s,
                                   float* __restrict column_s, float* __restrict column_s_ln_s) {
  for (std::int64_t j = 0; j < count; ++j) {
    const float s = clamped_at_zero(values[j]);
    const float s_ln_s = s * vector_ln(s);
    row_s[j] += s;
    row_s_ln_s[j] += s_ln_s;
    column_s[j] += s;
    column_s_ln_s[j] += s_ln_s;
  }
}

CREG_INLINE float sum_of_squares(const float* row, std::int64_t width) {
  float partial[lanes] = {};
  std::int64_t j = 0;
  for (; j + lanes <= width; j += lanes) {
    for (std::int64_t l = 0; l < lanes; ++l) partial[l] += row[j + l] * row[j + l];
  }
  for (; j < width; ++j) partial[0] += row[j] * row[j];
  float sum = 0;
  for (const float part : partial) sum += part;
  return sum;
}

// For the rows whose squares leave the range of float. Not a number when the row is not finite.
double careful_norm(const float* row, std::int64_t width) {
  double sum = 0;
  for (std::int64_t j = 0; j < width; ++j) {
    if (!std::isfinite(row[j])) return std::numeric_limits<double>::quiet_NaN();
    sum += static_cast<double>(row[j]) * static_cast<double>(row[j]);
  }
  return std::sqrt(sum);
}

}  // namespace

CREG_TARGET_CLONES std::int64_t finite_row_norms(std::int64_t begin, std::int64_t end,
                                                 std::int64_t width, const float* rows,
                                                 double* norms) {
  // Below this the squares may have lost digits to underflow.
  constexpr float safe = 1e-24F;
  for (std::int64_t i = begin; i < end; ++i) {
    const float* row = rows + i * width;
    const float sum = sum_of_squares(row, width);
    const bool in_range = sum >= safe && sum <= std::numeric_limits<float>::max();
    norms[i] = in_range ? std::sqrt(static_cast<double>(sum)) : careful_norm(row, width);
    if (std::isnan(norms[i])) return i;
  }
  return -1;
}

CREG_TARGET_CLONES void scale_tile(const Tile& tile, const float* row_scale,
                                   const float* column_scale) {
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    float* values = tile.values + r * tile.columns;
    const float scale = row_scale[r];
    for (std::int64_t c = 0; c < tile.columns; ++c) values[c] *= scale * column_scale[c];
  }
}

void offer(float value, std::int32_t index, std::int64_t k, float* values, std::int32_t* indices) {
  std::int64_t place = k;
  while (place > 0 && (value > values[place - 1] ||
                       (value == values[place - 1] && index < indices[place - 1]))) {
    --place;
  }
  if (place == k) return;
  std::copy_backward(values + place, values + k - 1, values + k);
  std::copy_backward(indices + place, indices + k - 1, indices + k);
  values[place] = value;
  indices[place] = index;
}

CREG_TARGET_CLONES void update_top_k(const Tile& tile, bool with_self, const TopKLists& lists,
                                     float* scratch) {
  float* bounds = scratch;
  for (std::int64_t c = 0; c < tile.columns; ++c) {
    bounds[c] = tile.diagonal() ? std::numeric_limits<float>::quiet_NaN()
                                : entry_bound(lists, tile.first_column + c, tile.first_row);
  }
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    const float* values = tile.values + r * tile.columns;
    float bound = entry_bound(lists, tile.first_row + r, tile.first_column);
    std::int64_t c = 0;
    for (; c + chunk <= tile.columns; c += chunk) {
      if (any_reaches(values + c, bound, bounds + c, chunk)) {
        offer_chunk(tile, with_self, lists, r, c, chunk, bound, bounds);
      }
    }
    if (any_reaches(values + c, bound, bounds + c, tile.columns - c)) {
      offer_chunk(tile, with_self, lists, r, c, tile.columns - c, bound, bounds);
    }
  }
}

CREG_TARGET_CLONES void update_entropies(const Tile& tile, const EntropySums& sums,
                                         float* scratch) {
  float* column_s = scratch;
  float* column_s_ln_s = scratch + tile.columns;
  for (std::int64_t first = 0; first < tile.rows; first += flush_rows) {
    const std::int64_t last = std::min(first + flush_rows, tile.rows);
    std::fill(scratch, scratch + 2 * tile.columns, 0.0F);
    for (std::int64_t r = first; r < last; ++r) {
      const float* values = tile.values + r * tile.columns;
      float row_s[chunk] = {};
      float row_s_ln_s[chunk] = {};
      std::int64_t c = 0;
      for (; c + chunk <= tile.columns; c += chunk) {
        add_entropy_chunk(values + c, chunk, row_s, row_s_ln_s, column_s + c, column_s_ln_s + c);
      }
      add_entropy_chunk(values + c, tile.columns - c, row_s, row_s_ln_s, column_s + c,
                        column_s_ln_s + c);
      double s = 0;
      double s_ln_s = 0;
      for (std::int64_t j = 0; j < chunk; ++j) {
        s += static_cast<double>(row_s[j]);
        s_ln_s += static_cast<double>(row_s_ln_s[j]);
      }
      sums.s[tile.first_row + r] += s;
      sums.s_ln_s[tile.first_row + r] += s_ln_s;
    }
    if (tile.diagonal()) continue;
    for (std::int64_t c = 0; c < tile.columns; ++c) {
      sums.s[tile.first_column + c] += static_cast<double>(column_s[c]);
      sums.s_ln_s[tile.first_column + c] += static_cast<double>(column_s_ln_s[c]);
    }
  }
}

CREG_TARGET_CLONES void dot_products(const float* row, const float* rows, std::int64_t width,
                                     const std::int32_t* list, std::int64_t count,
                                     float* products) {
  // Four rows at a time keep several reads from memory in flight. The last four may repeat a row,
  // so that every product is summed in the same way and equal rows tie.
  for (std::int64_t i = 0; i < count; i += 4) {
    const float* a = rows + list[i] * width;
    const float* b = rows + list[std::min(i + 1, count - 1)] * width;
    const float* c = rows + list[std::min(i + 2, count - 1)] * width;
    const float* d = rows + list[std::min(i + 3, count - 1)] * width;
    float sums[4 * lanes] = {};
    std::int64_t j = 0;
    for (; j + lanes <= width; j += lanes) {
      for (std::int64_t l = 0; l < lanes; ++l) {
        const float x = row[j + l];
        sums[l] += x * a[j + l];
        sums[lanes + l] += x * b[j + l];
        sums[2 * lanes + l] += x * c[j + l];
        sums[3 * lanes + l] += x * d[j + l];
      }
    }
    for (std::int64_t l = 0; j < width; ++j, ++l) {
      sums[l] += row[j] * a[j];
      sums[lanes + l] += row[j] * b[j];
      sums[2 * lanes + l] += row[j] * c[j];
      sums[3 * lanes + l] += row[j] * d[j];
    }
    for (std::int64_t q = 0; q < std::min<std::int64_t>(4, count - i); ++q) {
      float sum = 0;
      for (std::int64_t l = 0; l < lanes; ++l) sum += sums[q * lanes + l];
      products[i + q] = sum;
    }
  }
}

}  // namespace creg::cpu
