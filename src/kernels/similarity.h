// Loops under the streamed similarities.
//
// On the CPU a tile holds the similarities of some nodes
// (its rows) to some others (its columns), row-major without gaps.
#pragma once

#include <cstdint>

#include "creg/core/precision.h"
#include "kernels/launch.h"

namespace creg::kernels {

/// Marks a place of a list of most similar nodes that none has taken.
inline constexpr std::int32_t vacant_place = INT32_MAX;

/// The most similar of all nodes, and entropies, for all nodes or some.
struct SimilarityPass {
  const float* rows = nullptr;
  std::int64_t count = 0;
  std::int64_t width = 0;
  const float* scales = nullptr;         ///< inverse norms by node; null: rows are as they shall be
  bool scaled_lists = true;              ///< lists go by scaled products; entropies always do
  const std::int32_t* chosen = nullptr;  ///< int32: the nodes asked for; null: all
  std::int64_t chosen_count = 0;
  std::int64_t k = 0;  ///< 0: no lists
  bool with_self = true;
  Precision precision = Precision::fp32;
  float* values = nullptr;  ///< k for each node asked for, the best first, then by rising number
  std::int32_t* indices = nullptr;
  float* entropies = nullptr;  ///< null: none
};

/// norms[i] = |row i|; *first_bad is the first row with a value that is not finite, or count.
struct RowNorms {
  const float* rows = nullptr;
  std::int64_t count = 0;
  std::int64_t width = 0;
  double* norms = nullptr;
  std::int64_t* first_bad = nullptr;
};

}  // namespace creg::kernels

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
  static constexpr std::int32_t vacant = kernels::vacant_place;
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

namespace creg::cuda {

void similarity_pass(const Launch& launch, const kernels::SimilarityPass& pass);

void row_norms(const Launch& launch, const kernels::RowNorms& norms);

}  // namespace creg::cuda
