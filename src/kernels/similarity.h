// Loops under the streamed similarities on the CPU. A tile holds the similarities of some nodes
// (its rows) to some others (its columns), row-major without gaps.
#pragma once

#include <cstdint>

namespace creg::cpu {

struct Tile {
  float* values = nullptr;
  std::int64_t first_row = 0;  ///< the node of its row 0
  std::int64_t rows = 0;
  std::int64_t first_column = 0;
  std::int64_t columns = 0;
  /// Rows and columns are the same nodes: each row then already meets every pair.
  bool diagonal() const { return first_row == first_column; }
};

/// The best k of every node so far: sorted by falling value, then rising index.
struct TopKLists {
  std::int64_t k = 0;
  float* values = nullptr;
  std::int32_t* indices = nullptr;
  static constexpr std::int32_t vacant = INT32_MAX;
};

/// Sums over what a node has met so far, of s and of s ln s with s clamped at 0.
struct EntropySums {
  double* s = nullptr;
  double* s_ln_s = nullptr;
};

/// norms[i] = |row i|; returns the first row in begin..end with a value that is not finite, or -1.
std::int64_t finite_row_norms(std::int64_t begin, std::int64_t end, std::int64_t width,
                              const float* rows, double* norms);

/// tile[r][c] *= row_scale[r] * column_scale[c]
void scale_tile(const Tile& tile, const float* row_scale, const float* column_scale);

/// Offers every similarity to the list of its row and, off the diagonal, to the list of its
/// column. `scratch`: as many floats as the tile has columns.
void update_top_k(const Tile& tile, bool with_self, const TopKLists& lists, float* scratch);

/// Adds the tile to the sums of its rows and, off the diagonal, of its columns. `scratch`: twice as
/// many floats as the tile has columns.
void update_entropies(const Tile& tile, const EntropySums& sums, float* scratch);

/// Puts (value, index) into one sorted list of k if it belongs there.
void offer(float value, std::int32_t index, std::int64_t k, float* values, std::int32_t* indices);

/// products[i] = row · rows[list[i]]
void dot_products(const float* row, const float* rows, std::int64_t width, const std::int32_t* list,
                  std::int64_t count, float* products);

}  // namespace creg::cpu
