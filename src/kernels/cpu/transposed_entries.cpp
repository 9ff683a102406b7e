#include "kernels/transposed_entries.h"

#include <vector>

namespace creg::cpu {
namespace {

/// Calls put(position, e): entry e of the matrix has that position in the transpose, for walking
/// the rows in order meets the entries of each transposed row in their order.
template <class Put>
void walk_transposed(const kernels::TransposedEntries& entries, const Put& put) {
  std::vector<std::int64_t> next(entries.transposed, entries.transposed + entries.cols);
  for (std::int64_t e = 0; e < entries.offsets[entries.rows]; ++e) {
    put(next[static_cast<std::size_t>(entries.columns[e])]++, e);
  }
}

}  // namespace

void link_entries(const Launch& /*launch*/, const kernels::TransposedEntries& entries,
                  std::int64_t* linked) {
  walk_transposed(entries, [&](std::int64_t position, std::int64_t e) { linked[position] = e; });
}

void transpose_values(const Launch& /*launch*/, const kernels::TransposedEntries& entries,
                      const float* from, float* to) {
  walk_transposed(entries, [&](std::int64_t position, std::int64_t e) { to[position] = from[e]; });
}

}  // namespace creg::cpu
