// Sums over a range on several threads that never depend on their number.
#pragma once

#include <cstdint>
#include <vector>

#include "core/parallel.h"
#include "creg/core/context.h"

namespace creg::calibration {

/// piece(begin, end) gives the sum of a piece of `grain` items as a Sum, which has +=. The pieces'
/// sums are added in the order of the pieces.
template <class Sum, class Piece>
Sum ordered_sum(const Context& context, std::int64_t count, std::int64_t grain,
                const Piece& piece) {
  std::vector<Sum> sums(static_cast<std::size_t>((count + grain - 1) / grain));
  parallel_for(context, 0, count, grain, [&](std::int64_t begin, std::int64_t end) {
    sums[static_cast<std::size_t>(begin / grain)] = piece(begin, end);
  });
  Sum total{};
  for (const Sum& sum : sums) total += sum;
  return total;
}

}  // namespace creg::calibration
