#include "kernels/panel.h"

#include <cstring>

#include "kernels/target_clones.h"

namespace creg::cpu {
namespace {

// Sixteen floats that the compiler keeps in as many registers as the instruction set needs. Packed
// rows are aligned; rows of `out` need not be.
using Lane = float __attribute__((vector_size(64)));
using LooseLane = float __attribute__((vector_size(64), aligned(4), may_alias));

}  // namespace

CREG_TARGET_CLONES
void pack_panel(const float* x, std::int64_t width, std::int64_t row_begin, std::int64_t row_end,
                std::int64_t column, std::int64_t count, float* panel) {
  for (std::int64_t r = row_begin; r < row_end; ++r) {
    float* const to = panel + (r - row_begin) * panel_width;
    std::memcpy(to, x + r * width + column, static_cast<std::size_t>(count) * sizeof(float));
    for (std::int64_t j = count; j < panel_width; ++j) to[j] = 0;
  }
}

CREG_TARGET_CLONES
void multiply_panel(const PanelProduct& product, std::int64_t begin, std::int64_t end) {
  const bool whole = product.count == panel_width;
  for (std::int64_t r = begin; r < end; ++r) {
    float* const out = product.out + r * product.width + product.column;
    Lane a = {};
    Lane b = {};
    Lane c = {};
    Lane d = {};
    if (product.accumulate && whole) {
      const auto* const old = reinterpret_cast<const LooseLane*>(out);
      a = old[0];
      b = old[1];
      c = old[2];
      d = old[3];
    }
    const float* const values = product.values;
    for (std::int64_t e = product.starts[r]; e < product.ends[r]; ++e) {
      const auto* const x = reinterpret_cast<const LooseLane*>(
          product.panel + (product.columns[e] - product.first_row) * panel_width);
      if (values != nullptr) {
        const float w = values[e];
        a += w * x[0];
        b += w * x[1];
        c += w * x[2];
        d += w * x[3];
      } else {
        a += x[0];
        b += x[1];
        c += x[2];
        d += x[3];
      }
    }
    if (whole) {
      auto* const to = reinterpret_cast<LooseLane*>(out);
      to[0] = a;
      to[1] = b;
      to[2] = c;
      to[3] = d;
    } else {
      Lane sums[4] = {a, b, c, d};
      const auto* const flat = reinterpret_cast<const float*>(sums);
      for (std::int64_t j = 0; j < product.count; ++j) {
        out[j] = product.accumulate ? out[j] + flat[j] : flat[j];
      }
    }
  }
}

}  // namespace creg::cpu
