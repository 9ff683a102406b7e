#include "kernels/cpu/panel.h"

#include <cstring>

#include "kernels/target_clones.h"

namespace creg::cpu {
namespace {

// Sixteen floats that the compiler keeps in as many registers as the instruction set needs.
using Lane = float __attribute__((vector_size(64)));
constexpr std::int64_t lane_floats = sizeof(Lane) / sizeof(float);

// From and to any address: compilers differ in how a type of less alignment is written down. By
// reference, since how such a value is returned depends on the instruction set.
CREG_INLINE void load(const float* from, Lane& lane) {
  std::memcpy(&lane, from, sizeof(Lane));
}
CREG_INLINE void store(const Lane& lane, float* to) {
  std::memcpy(to, &lane, sizeof(Lane));
}

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
      load(out, a);
      load(out + lane_floats, b);
      load(out + 2 * lane_floats, c);
      load(out + 3 * lane_floats, d);
    }
    const float* const values = product.values;
    for (std::int64_t e = product.starts[r]; e < product.ends[r]; ++e) {
      const float* const x = product.panel + (product.columns[e] - product.first_row) * panel_width;
      Lane xa;
      Lane xb;
      Lane xc;
      Lane xd;
      load(x, xa);
      load(x + lane_floats, xb);
      load(x + 2 * lane_floats, xc);
      load(x + 3 * lane_floats, xd);
      if (values != nullptr) {
        const float w = values[e];
        a += w * xa;
        b += w * xb;
        c += w * xc;
        d += w * xd;
      } else {
        a += xa;
        b += xb;
        c += xc;
        d += xd;
      }
    }
    if (whole) {
      store(a, out);
      store(b, out + lane_floats);
      store(c, out + 2 * lane_floats);
      store(d, out + 3 * lane_floats);
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
