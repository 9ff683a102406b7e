// The assignment problem: pairs of rows and columns of least cost.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace creg {

/// Pairs every row with a column of its own (or every column with a row, where columns are fewer)
/// such that the costs of the pairs sum up to the least possible. `costs` is rows x cols,
/// row-major, and finite. Returns per row its column, or -1 for a row left over. Shortest
/// augmenting paths: O(n^2 m) for n <= m.
std::vector<std::int32_t> least_cost_assignment(std::span<const double> costs, std::int64_t rows,
                                                std::int64_t cols);

}  // namespace creg
