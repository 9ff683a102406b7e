#include "graph/rows/merge.h"

#include <algorithm>

#include "graph/build.h"
#include "graph/rows/csr_rows.h"

namespace creg::detail {

CsrMatrix merge_repeats(const Context& context, const CsrMatrix& matrix, Repeats repeats) {
  CsrMatrix sorted = sort_rows(context, matrix);
  Buffer<std::int64_t> offsets = offsets_of(context, sorted.rows, [&](std::int64_t r) {
    const std::span<const std::int32_t> row = sorted.row(r);
    std::int64_t distinct = row.empty() ? 0 : 1;
    for (std::size_t i = 1; i < row.size(); ++i) distinct += row[i] != row[i - 1] ? 1 : 0;
    return distinct;
  });
  if (offsets[sorted.rows] == sorted.nonzeros()) return sorted;
  const bool weighted = !sorted.values.empty() || repeats == Repeats::sum;
  return fill_rows(context, sorted.cols, std::move(offsets), weighted,
                   [&](std::int64_t r, auto put) {
                     for (std::int64_t e = sorted.offsets[r]; e < sorted.offsets[r + 1];) {
                       const std::int32_t column = sorted.columns[e];
                       double sum = 0;
                       for (; e < sorted.offsets[r + 1] && sorted.columns[e] == column; ++e) {
                         sum += sorted.value(e);
                       }
                       put(column, static_cast<float>(sum));
                     }
                   });
}

}  // namespace creg::detail
