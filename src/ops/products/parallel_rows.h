// Rows of a sparse matrix cut into pieces of about equal work.
#pragma once

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdint>

namespace creg {

/// Calls body(first, last) for pieces of [0, rows) on ATen's threads. A row costs its entries and
/// a constant, so one long row does not hold up a thread that has many short ones besides. The
/// pieces depend on the number of threads: only for work whose rows do not meet.
template <class Body>
void parallel_rows(const std::int64_t* offsets, std::int64_t rows, const Body& body) {
  constexpr std::int64_t row_cost = 2;
  const std::int64_t threads = at::get_num_threads();
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
  at::parallel_for(0, pieces, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t piece = begin; piece < end; ++piece) {
      const std::int64_t last = piece + 1 == pieces ? rows : boundary(piece + 1);
      body(boundary(piece), last);
    }
  });
}

}  // namespace creg
