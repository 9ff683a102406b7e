#include "graph/build.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "creg/core/error.h"

namespace creg {
namespace {

constexpr std::int64_t entry_grain = 1 << 18;
constexpr std::int64_t build_row_grain = 1 << 13;

// offsets[r + 1] holds row r's count on entry, its end on exit.
void prefix_sum(Buffer<std::int64_t>& offsets) {
  std::inclusive_scan(offsets.begin(), offsets.end(), offsets.begin());
}

}  // namespace

CsrMatrix csr_from_entries(const Context& context, std::int64_t rows, std::int64_t cols,
                           std::span<const std::int32_t> row_ids,
                           std::span<const std::int32_t> column_ids,
                           std::span<const float> values) {
  invariant(row_ids.size() == column_ids.size(), "every entry has a row and a column");
  invariant(values.empty() || values.size() == row_ids.size(), "every entry has a value");
  const auto entries = static_cast<std::int64_t>(row_ids.size());

  Buffer<std::int64_t> offsets(rows + 1);
  std::fill(offsets.begin(), offsets.end(), 0);
  parallel_for(context, 0, entries, entry_grain, [&](std::int64_t first, std::int64_t last) {
    for (auto e = static_cast<std::size_t>(first); e < static_cast<std::size_t>(last); ++e) {
      invariant(row_ids[e] >= 0 && row_ids[e] < rows && column_ids[e] >= 0 && column_ids[e] < cols,
                "entries lie inside the matrix");
      std::atomic_ref(offsets[row_ids[e] + 1]).fetch_add(1, std::memory_order_relaxed);
    }
  });
  prefix_sum(offsets);

  // Scattering in parallel mixes the order inside a row; sorting the row restores one that does
  // not depend on it.
  Buffer<std::int32_t> columns(entries);
  Buffer<float> sorted_values(values.empty() ? 0 : entries);
  std::vector<std::int64_t> cursor(offsets.begin(), offsets.end() - 1);
  if (values.empty()) {
    parallel_for(context, 0, entries, entry_grain, [&](std::int64_t first, std::int64_t last) {
      for (auto e = static_cast<std::size_t>(first); e < static_cast<std::size_t>(last); ++e) {
        const auto row = static_cast<std::size_t>(row_ids[e]);
        columns[std::atomic_ref(cursor[row]).fetch_add(1, std::memory_order_relaxed)] =
            column_ids[e];
      }
    });
    parallel_for(context, 0, rows, build_row_grain, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t r = first; r < last; ++r) {
        std::sort(columns.data() + offsets[r], columns.data() + offsets[r + 1]);
      }
    });
  } else {
    Buffer<std::int64_t> sources(entries);
    parallel_for(context, 0, entries, entry_grain, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t e = first; e < last; ++e) {
        const auto row = static_cast<std::size_t>(row_ids[static_cast<std::size_t>(e)]);
        sources[std::atomic_ref(cursor[row]).fetch_add(1, std::memory_order_relaxed)] = e;
      }
    });
    parallel_for(context, 0, rows, build_row_grain, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t r = first; r < last; ++r) {
        std::sort(sources.data() + offsets[r], sources.data() + offsets[r + 1],
                  [&](std::int64_t a, std::int64_t b) {
                    const std::int32_t x = column_ids[static_cast<std::size_t>(a)];
                    const std::int32_t y = column_ids[static_cast<std::size_t>(b)];
                    return std::pair(x, a) < std::pair(y, b);
                  });
        for (std::int64_t e = offsets[r]; e < offsets[r + 1]; ++e) {
          columns[e] = column_ids[static_cast<std::size_t>(sources[e])];
          sorted_values[e] = values[static_cast<std::size_t>(sources[e])];
        }
      }
    });
  }
  return {.rows = rows,
          .cols = cols,
          .offsets = std::move(offsets),
          .columns = std::move(columns),
          .values = values.empty() ? Array<float>() : Array<float>(std::move(sorted_values))};
}

namespace {

// The row of every entry, spelled out.
Buffer<std::int32_t> expand_rows(const Context& context, const CsrMatrix& matrix) {
  Buffer<std::int32_t> row_ids(matrix.nonzeros());
  parallel_for(context, 0, matrix.rows, build_row_grain,
               [&](std::int64_t first, std::int64_t last) {
                 for (std::int64_t r = first; r < last; ++r) {
                   std::fill(row_ids.data() + matrix.offsets[r],
                             row_ids.data() + matrix.offsets[r + 1], static_cast<std::int32_t>(r));
                 }
               });
  return row_ids;
}

}  // namespace

CsrMatrix sort_rows(const Context& context, const CsrMatrix& matrix) {
  std::atomic<bool> sorted = true;
  parallel_for(context, 0, matrix.rows, build_row_grain,
               [&](std::int64_t first, std::int64_t last) {
                 for (std::int64_t r = first; r < last; ++r) {
                   const std::span<const std::int32_t> row = matrix.row(r);
                   if (!std::is_sorted(row.begin(), row.end())) sorted = false;
                 }
               });
  if (sorted) return matrix;
  // Counting by column twice is twice as fast as comparing, but wants memory for every column.
  if (matrix.cols <= matrix.nonzeros()) return transpose(context, transpose(context, matrix));
  Buffer<std::int32_t> row_ids = expand_rows(context, matrix);
  return csr_from_entries(context, matrix.rows, matrix.cols, row_ids.span(), matrix.columns,
                          matrix.values);
}

}  // namespace creg
