// Making a CSR matrix row by row, in parallel: count first, then fill. Used by the transforms.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>

#include "core/parallel.h"
#include "creg/core/array.h"
#include "creg/core/context.h"
#include "creg/graph/graph.h"

namespace creg::detail {

inline constexpr std::int64_t row_grain = 1 << 12;

/// Calls body(r) for every row, in parallel.
template <class Body>
void for_rows(const Context& context, std::int64_t rows, Body body) {
  parallel_for(context, 0, rows, row_grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t r = first; r < last; ++r) body(r);
  });
}

/// The row starts of rows that hold count(r) entries each.
template <class Count>
Buffer<std::int64_t> offsets_of(const Context& context, std::int64_t rows, Count count) {
  Buffer<std::int64_t> offsets(rows + 1);
  offsets[0] = 0;
  for_rows(context, rows, [&](std::int64_t r) { offsets[r + 1] = count(r); });
  std::inclusive_scan(offsets.begin(), offsets.end(), offsets.begin());
  return offsets;
}

/// Rows whose entries emit(r, put) hands to put(column, value), ascending; `offsets` has counted
/// them. Values are kept only when `weighted`.
template <class Emit>
CsrMatrix fill_rows(const Context& context, std::int64_t cols, Buffer<std::int64_t> offsets,
                    bool weighted, Emit emit) {
  const std::int64_t rows = offsets.size() - 1;
  Buffer<std::int32_t> columns(offsets[rows]);
  Buffer<float> values(weighted ? offsets[rows] : 0);
  for_rows(context, rows, [&](std::int64_t r) {
    std::int64_t next = offsets[r];
    emit(r, [&](std::int32_t column, float value) {
      columns[next] = column;
      if (weighted) values[next] = value;
      ++next;
    });
  });
  return {.rows = rows,
          .cols = cols,
          .offsets = std::move(offsets),
          .columns = std::move(columns),
          .values = weighted ? Array<float>(std::move(values)) : Array<float>()};
}

}  // namespace creg::detail
