// What tells the random draws of views apart.
#pragma once

#include <cstdint>

namespace creg {

struct ViewDraw {
  std::uint64_t seed = 0;
  std::uint32_t step = 0;
  int view = 0;  ///< views of one step differ

  /// The stream's item for part number `part` (a row, below 2^40) of this view.
  std::uint64_t item(std::int64_t part = 0) const {
    return (static_cast<std::uint64_t>(view) << 40U) | static_cast<std::uint64_t>(part);
  }
};

}  // namespace creg
