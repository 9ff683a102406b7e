// Ranges of rows for the kernels' loops.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/aggregate.h"
#include "kernels/launch.h"

namespace creg::cpu {

/// Calls body(first, last) for pieces of [0, rows) of a sparse matrix, of about equal work. A row
/// costs its entries and a constant, so one long row does not hold up a thread that has many short
/// ones besides. The pieces depend on the number of threads: only for work whose rows do not meet.
template <class Body>
void for_row_ranges(const Workers& workers, const std::int64_t* offsets, std::int64_t rows,
                    const Body& body) {
  constexpr std::int64_t row_cost = 2;
  const std::int64_t threads = workers.count();
  const std::int64_t total = offsets[rows] + row_cost * rows;
  // Small work is not worth waking anybody.
  const std::int64_t pieces = threads == 1 || total < 1024 ? 1 : std::min(rows, threads * 8);
  const auto boundary = [&](std::int64_t piece) {
    const std::int64_t wanted = total / pieces * piece + total % pieces * piece / pieces;
    std::int64_t low = 0;
    std::int64_t high = rows;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (offsets[middle] + row_cost * middle < wanted) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  };
  workers.for_ranges(pieces, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t piece = begin; piece < end; ++piece) {
      const std::int64_t last = piece + 1 == pieces ? rows : boundary(piece + 1);
      body(boundary(piece), last);
    }
  });
}

/// Calls body(first, last, sums) for the fixed pieces of `rows` rows, each with `width` sums of its
/// own that start at 0.
template <class Body>
void for_sum_pieces(const Workers& workers, std::int64_t rows, std::int64_t width, float* sums,
                    const Body& body) {
  workers.for_ranges(kernels::sum_pieces(rows), 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t piece = first; piece < last; ++piece) {
      float* const own = sums + piece * width;
      std::fill(own, own + width, 0.0F);
      const std::int64_t begin = piece * kernels::rows_per_sum;
      body(begin, std::min(begin + kernels::rows_per_sum, rows), own);
    }
  });
}

}  // namespace creg::cpu
