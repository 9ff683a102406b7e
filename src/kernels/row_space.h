// Orthonormal rows on a GPU, by the factors of their products. (The CPU has libtorch's.)
#pragma once

#include <cstdint>

#include "kernels/launch.h"

namespace creg::kernels {

/// A row whose part beyond the rows before it has less than this share of its squared length adds
/// nothing that float32 could show.
inline constexpr double least_new_share = 1e-14;

}  // namespace creg::kernels

namespace creg::cuda {

/// In place of the lower half of the products [count, count] of rows: L with L·Lᵀ = products, but
/// for rows that add nothing, which get an infinite diagonal.
void factor_products(const Launch& launch, std::int64_t count, double* products);
/// rows [count, width] become L⁻¹·rows; those of an infinite diagonal zeros.
void solve_rows(const Launch& launch, std::int64_t count, std::int64_t width, const double* factor,
                double* rows);

}  // namespace creg::cuda
