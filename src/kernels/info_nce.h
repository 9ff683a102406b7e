// Torch-free loops under InfoNCE.
//
// On the CPU a tile holds the products of some rows with some others,
// row-major without gaps; all products are at most 1.
#pragma once

#include <cstdint>

#include "creg/core/precision.h"
#include "kernels/launch.h"
#include "kernels/similarity.h"

namespace creg::kernels {

/// Unit rows, all pairs of which meet.
struct UnitRows {
  const float* values = nullptr;
  std::int64_t count = 0;
  std::int64_t width = 0;
  float inverse_temperature = 1;
  Precision precision = Precision::fp32;
};

}  // namespace creg::kernels

namespace creg::cpu {

/// Adds e^{(s-1)/t} over the tile's rows to row_sums[row] and, off the diagonal, over its columns
/// to column_sums[column]; a node with itself does not count. Sums are by node number. `scratch`:
/// as many floats as the tile has columns.
void add_exponentials(const Tile& tile, float inverse_temperature, double* sums, float* scratch);

/// tile[r][c] = e^{(s-1)/t} (weights[row] + weights[column]), 0 for a node with itself.
void weigh_exponentials(const Tile& tile, float inverse_temperature, const float* weights);

}  // namespace creg::cpu

namespace creg::cuda {

/// sums[i] = the sum over all other rows of e^{(s-1)/t}.
void sum_exponentials(const Launch& launch, const kernels::UnitRows& rows, double* sums);

/// gradient[i] += the sum over all other rows z' of e^{(s-1)/t} (weights[i] + weight') z'.
void add_exponential_pulls(const Launch& launch, const kernels::UnitRows& rows,
                           const float* weights, float* gradient);

}  // namespace creg::cuda
