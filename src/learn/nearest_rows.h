// The nearest other rows of every row, exactly.
#pragma once

#include <cstdint>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph.h"

namespace creg {

struct NearestRows {
  std::int64_t k = 0;
  std::vector<std::int32_t> rows;  ///< k of each row, the nearest first, equally near by number
  std::vector<float> squared_distances;  ///< likewise; never below 0
};

/// By Euclidean distance, all pairs compared, through blocked products in double: time grows with
/// the square of the rows, memory with rows x k. Of 1 to rows - 1 neighbours; another k, and
/// numbers that are not finite, are input errors. The result does not depend on the number of
/// threads.
NearestRows nearest_rows(const Context& context, const DenseMatrix& values, std::int64_t k);

}  // namespace creg
