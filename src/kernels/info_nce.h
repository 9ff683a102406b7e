// Torch-free loops under InfoNCE. A tile holds the products of some rows with some others,
// row-major without gaps; all products are at most 1.
#pragma once

#include <cstdint>

#include "kernels/similarity.h"

namespace creg::cpu {

/// Adds e^{(s-1)/t} over the tile's rows to row_sums[row] and, off the diagonal, over its columns
/// to column_sums[column]; a node with itself does not count. Sums are by node number. `scratch`:
/// as many floats as the tile has columns.
void add_exponentials(const Tile& tile, float inverse_temperature, double* sums, float* scratch);

/// tile[r][c] = e^{(s-1)/t} (weights[row] + weights[column]), 0 for a node with itself.
void weigh_exponentials(const Tile& tile, float inverse_temperature, const float* weights);

}  // namespace creg::cpu
