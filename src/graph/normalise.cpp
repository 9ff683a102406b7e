#include "graph/normalise.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "creg/core/error.h"
#include "graph/build.h"
#include "graph/rows/csr_rows.h"
#include "graph/rows/merge.h"

namespace creg {
namespace {

Buffer<double> row_sums(const Context& context, const CsrMatrix& matrix) {
  Buffer<double> sums(matrix.rows);
  detail::for_rows(context, matrix.rows, [&](std::int64_t r) {
    double sum = 0;
    for (std::int64_t e = matrix.offsets[r]; e < matrix.offsets[r + 1]; ++e) {
      sum += matrix.value(e);
    }
    sums[r] = sum;
  });
  return sums;
}

// The same pattern with change(row, column, value) as values.
template <class Change>
CsrMatrix map_entries(const Context& context, CsrMatrix matrix, Change change) {
  Buffer<float> values(matrix.nonzeros());
  detail::for_rows(context, matrix.rows, [&](std::int64_t r) {
    for (std::int64_t e = matrix.offsets[r]; e < matrix.offsets[r + 1]; ++e) {
      values[e] = static_cast<float>(change(r, matrix.columns[e], matrix.value(e)));
    }
  });
  matrix.values = std::move(values);
  return matrix;
}

}  // namespace

CsrMatrix with_self_loops(const Context& context, const CsrMatrix& adjacency, SelfLoops loops) {
  invariant(adjacency.rows == adjacency.cols, "an adjacency is square");
  const CsrMatrix a = detail::merge_repeats(context, adjacency, detail::Repeats::sum);
  const auto find_loop = [&](std::int64_t r) {
    const std::int32_t* first = a.columns.begin() + a.offsets[r];
    const std::int32_t* last = a.columns.begin() + a.offsets[r + 1];
    const std::int32_t* found = std::lower_bound(first, last, static_cast<std::int32_t>(r));
    return found != last && *found == r ? found - a.columns.begin() : -1;
  };
  Buffer<std::int64_t> offsets = detail::offsets_of(context, a.rows, [&](std::int64_t r) {
    const bool added = loops != SelfLoops::as_stored && find_loop(r) < 0;
    return a.offsets[r + 1] - a.offsets[r] + (added ? 1 : 0);
  });
  return detail::fill_rows(
      context, a.cols, std::move(offsets), true, [&](std::int64_t r, auto put) {
        const std::int64_t loop = find_loop(r);
        const bool exists = loop >= 0;
        const auto weight =
            static_cast<float>(loop_weight(loops, exists, exists ? a.value(loop) : 0));
        bool pending = exists || loops != SelfLoops::as_stored;
        for (std::int64_t e = a.offsets[r]; e < a.offsets[r + 1]; ++e) {
          if (pending && a.columns[e] >= r) {
            put(static_cast<std::int32_t>(r), weight);
            pending = false;
          }
          if (e != loop) put(a.columns[e], a.value(e));
        }
        if (pending) put(static_cast<std::int32_t>(r), weight);
      });
}

CsrMatrix gcn_normalised(const Context& context, const CsrMatrix& adjacency, SelfLoops loops) {
  CsrMatrix incoming = transpose(context, with_self_loops(context, adjacency, loops));
  Buffer<double> scale = row_sums(context, incoming);
  for (std::int64_t i = 0; i < scale.size(); ++i) {
    if (scale[i] < 0) {
      fail_input({.what = "the weights of a node's incoming edges sum to a negative number",
                  .place = "node " + std::to_string(i),
                  .found = std::to_string(scale[i]),
                  .expected = "0 or more: the square root of this degree is taken"});
    }
    scale[i] = scale[i] > 0 ? 1 / std::sqrt(scale[i]) : 0;
  }
  return map_entries(
      context, std::move(incoming),
      [&](std::int64_t i, std::int64_t j, float weight) { return scale[j] * weight * scale[i]; });
}

CsrMatrix row_normalised(const Context& context, const CsrMatrix& adjacency, SelfLoops loops,
                         Neighbours neighbours) {
  CsrMatrix matrix = with_self_loops(context, adjacency, loops);
  if (neighbours == Neighbours::in) matrix = transpose(context, matrix);
  const Buffer<double> sums = row_sums(context, matrix);
  return map_entries(context, std::move(matrix), [&](std::int64_t i, std::int64_t, float weight) {
    return sums[i] == 0 ? weight : weight / sums[i];
  });
}

CsrMatrix low_pass_filter(const Context& context, const CsrMatrix& adjacency, SelfLoops loops) {
  const CsrMatrix sum =
      with_self_loops(context, gcn_normalised(context, adjacency, loops), SelfLoops::plus_one);
  return map_entries(context, sum,
                     [](std::int64_t, std::int64_t, float weight) { return weight / 2; });
}

}  // namespace creg
