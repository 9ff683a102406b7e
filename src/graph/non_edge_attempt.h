// One attempt at a random pair of nodes without an edge, for all devices.
#pragma once

#include <cstdint>

#include "core/both_devices.h"
#include "core/random_words.h"

namespace creg {

/// Two uniform nodes; false where they are one or an edge joins them. Columns ascend in each row.
/// `Words` gives the next 32 bits of a random stream when it is called.
template <class Words>
CREG_BOTH inline bool try_non_edge(Words& words, std::int64_t nodes, const std::int64_t* offsets,
                                   const std::int32_t* columns, std::int32_t& from,
                                   std::int32_t& to) {
  from = static_cast<std::int32_t>(uniform_below(words, static_cast<std::uint64_t>(nodes)));
  to = static_cast<std::int32_t>(uniform_below(words, static_cast<std::uint64_t>(nodes)));
  if (from == to) return false;
  const std::int64_t end = offsets[from + 1];
  std::int64_t low = offsets[from];
  std::int64_t high = end;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (columns[middle] < to) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low == end || columns[low] != to;
}

}  // namespace creg
