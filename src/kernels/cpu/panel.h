// The sparse product for long rows: X is copied in panels that stay in the second-level cache, and
// a row's sum stays in registers while all its entries in the panel are added.
#pragma once

#include <cstdint>

namespace creg::cpu {

/// Columns of a panel.
inline constexpr std::int64_t panel_width = 64;

/// Copies X[row_begin.., column .. column + count) to panel[row - row_begin][0..64), zeros behind
/// `count`.
void pack_panel(const float* x, std::int64_t width, std::int64_t row_begin, std::int64_t row_end,
                std::int64_t column, std::int64_t count, float* panel);

struct PanelProduct {
  const std::int64_t* starts = nullptr;  ///< per row of M its first entry in this panel
  const std::int64_t* ends = nullptr;    ///< and the one behind its last
  const std::int32_t* columns = nullptr;
  const float* values = nullptr;  ///< null: ones
  std::int64_t first_row = 0;     ///< of X in the panel
  const float* panel = nullptr;
  float* out = nullptr;
  std::int64_t width = 0;   ///< of `out`
  std::int64_t column = 0;  ///< where the panel begins
  std::int64_t count = 0;   ///< columns of it, at most panel_width
  bool accumulate = false;
};

/// Rows [begin, end) of out's columns [column, column + count).
void multiply_panel(const PanelProduct& product, std::int64_t begin, std::int64_t end);

}  // namespace creg::cpu
