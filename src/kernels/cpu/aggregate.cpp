#include "kernels/cpu/aggregate.h"

#include <algorithm>
#include <vector>

#include "kernels/cpu/panel.h"
#include "kernels/cpu/row_ranges.h"
#include "kernels/row_combine.h"
#include "kernels/target_clones.h"

namespace creg::cpu {

using kernels::Activation;
using kernels::ActivationGradient;
using kernels::RowActivation;
using kernels::RowProduct;

namespace {

/// pre = x + bias (x and pre may be the same row), activated = pre > 0 ? pre : slope·pre.
CREG_INLINE void activate_row(const Activation& activation, const float* x, float* pre,
                              float* activated, std::int64_t n) {
  float* __restrict out = activated;
  const float* bias = activation.bias;
  if (bias != nullptr) {
    for (std::int64_t j = 0; j < n; ++j) pre[j] = x[j] + bias[j];
  } else if (pre != x) {
    for (std::int64_t j = 0; j < n; ++j) pre[j] = x[j];
  }
  if (activation.slope_stride == 0) {
    const float slope = activation.slope[0];
    for (std::int64_t j = 0; j < n; ++j) out[j] = pre[j] > 0 ? pre[j] : slope * pre[j];
  } else {
    const float* __restrict slope = activation.slope;
    for (std::int64_t j = 0; j < n; ++j) {
      const float scaled = slope[j] * pre[j];
      out[j] = pre[j] > 0 ? pre[j] : scaled;
    }
  }
}

CREG_INLINE float slope_at(float slope, std::int64_t /*column*/) {
  return slope;
}
CREG_INLINE float slope_at(const float* slopes, std::int64_t column) {
  return slopes[column];
}

/// Without branches: as parameters the pointers are known not to overlap, so that this vectorises.
template <class Slope>
CREG_INLINE void leaky_gradient_row(const float* __restrict pre, const float* __restrict d_out,
                                    Slope slope, float* __restrict d_pre,
                                    float* __restrict bias_sum, float* __restrict slope_sum,
                                    std::int64_t width) {
  for (std::int64_t j = 0; j < width; ++j) {
    const float x = pre[j];
    const float g = d_out[j];
    const float factor = x > 0 ? 1.0F : slope_at(slope, j);
    const float below = x > 0 ? 0.0F : x;
    const float d = factor * g;
    d_pre[j] = d;
    bias_sum[j] += d;
    slope_sum[j] += below * g;
  }
}

}  // namespace

CREG_TARGET_CLONES
void multiply_rows(const RowProduct& product, std::int64_t begin, std::int64_t end) {
  const std::int64_t n = product.width;
  for (std::int64_t r = begin; r < end; ++r) {
    const std::int64_t target = product.scatter == nullptr ? r : product.scatter[r];
    float* __restrict out = product.out + target * product.width;
    const std::int64_t first = product.offsets[r];
    const std::int64_t last = product.offsets[r + 1];
    bool accumulate = product.accumulate;
    for (std::int64_t e = first; e < last; e += 4) {
      const int count = last - e < 4 ? static_cast<int>(last - e) : 4;
      const float* rows[4] = {};
      float weights[4] = {1, 1, 1, 1};
      for (int i = 0; i < count; ++i) {
        const std::int32_t column = product.columns[e + i];
        const std::int64_t source = product.gather == nullptr ? column : product.gather[column];
        rows[i] = product.x + source * product.width;
        if (product.values != nullptr) weights[i] = product.values[e + i];
      }
      combine_rows(out, rows, weights, count, n, accumulate);
      accumulate = true;
    }
    if (!accumulate) {
      for (std::int64_t j = 0; j < n; ++j) out[j] = 0;
    }
    if (product.activated != nullptr) {
      activate_row(product.activation, out, out, product.activated + target * product.width, n);
    }
  }
}

CREG_TARGET_CLONES
void activate_rows(const RowActivation& rows, std::int64_t begin, std::int64_t end) {
  for (std::int64_t r = begin; r < end; ++r) {
    const std::int64_t place = r * rows.width;
    activate_row(rows.activation, rows.x + place, rows.pre + place, rows.activated + place,
                 rows.width);
  }
}

CREG_TARGET_CLONES
void activation_gradient_rows(const ActivationGradient& gradient, std::int64_t begin,
                              std::int64_t end, float* bias_sum, float* slope_sum) {
  const std::int64_t width = gradient.width;
  for (std::int64_t r = begin; r < end; ++r) {
    const float* pre = gradient.pre + r * width;
    const float* d_out = gradient.d_out + r * width;
    float* d_pre = gradient.d_pre + r * width;
    if (gradient.slope_stride == 0) {
      leaky_gradient_row(pre, d_out, gradient.slope[0], d_pre, bias_sum, slope_sum, width);
    } else {
      leaky_gradient_row(pre, d_out, gradient.slope, d_pre, bias_sum, slope_sum, width);
    }
  }
}

namespace {

/// Per row of M the entries whose columns lie in [from, to); columns ascend.
void entries_between(const Workers& workers, const RowProduct& product, std::int64_t from,
                     std::int64_t to, std::vector<std::int64_t>& starts,
                     std::vector<std::int64_t>& ends) {
  workers.for_ranges(product.rows, 256, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      const std::int32_t* const first = product.columns + starts[r];
      const std::int32_t* const last = product.columns + product.offsets[r + 1];
      starts[r] = std::lower_bound(first, last, from) - product.columns;
      ends[r] = std::lower_bound(product.columns + starts[r], last, to) - product.columns;
    }
  });
}

/// Rows of X in a panel: it stays in the second-level cache.
constexpr std::int64_t panel_rows = (std::int64_t{384} << 10) / (4 * panel_width);

/// Long rows over X: every element of X is used by many of them, so a panel of it that stays in the
/// cache is copied together first.
void multiply_in_panels(const Workers& workers, const RowProduct& product) {
  const std::int64_t rows = product.rows;
  const std::int64_t panels = (product.width + panel_width - 1) / panel_width;
  // With more threads than panels the rows of M are shared out too; each piece packs for itself.
  const std::int64_t pieces = std::max<std::int64_t>(1, workers.count() / panels);
  std::vector<std::int64_t> starts(product.offsets, product.offsets + rows);
  std::vector<std::int64_t> ends(product.offsets + 1, product.offsets + rows + 1);
  for (std::int64_t from = 0; from < product.source_rows || from == 0; from += panel_rows) {
    const std::int64_t to = std::min(from + panel_rows, product.source_rows);
    if (product.source_rows > panel_rows) {
      entries_between(workers, product, from, to, starts, ends);
    }
    workers.for_ranges(panels * pieces, 1, [&](std::int64_t begin, std::int64_t end) {
      std::vector<float> panel(static_cast<std::size_t>((to - from) * panel_width));
      for (std::int64_t task = begin; task < end; ++task) {
        PanelProduct part;
        part.column = task / pieces * panel_width;
        part.count = std::min(panel_width, product.width - part.column);
        // Tasks of one panel follow each other.
        if (task == begin || task % pieces == 0) {
          pack_panel(product.x, product.width, from, to, part.column, part.count, panel.data());
        }
        part.starts = starts.data();
        part.ends = ends.data();
        part.columns = product.columns;
        part.values = product.values;
        part.first_row = from;
        part.panel = panel.data();
        part.out = product.out;
        part.width = product.width;
        part.accumulate = product.accumulate || from > 0;
        const std::int64_t piece = task % pieces;
        multiply_panel(part, rows * piece / pieces, rows * (piece + 1) / pieces);
      }
    });
  }
}

}  // namespace

void multiply(const Launch& launch, const RowProduct& product) {
  // Panels pay where a row has several entries in each, and each row of X is copied for many.
  constexpr std::int64_t entries_per_panel = 8;
  constexpr std::int64_t uses_per_copy = kernels::entries_per_source_in_order;
  const std::int64_t entries = product.offsets[product.rows];
  const std::int64_t panels = (product.source_rows + panel_rows - 1) / panel_rows;
  const bool plain =
      product.gather == nullptr && product.scatter == nullptr && product.activated == nullptr;
  if (plain && entries > entries_per_panel * product.rows * panels &&
      entries > uses_per_copy * product.source_rows) {
    multiply_in_panels(*launch.workers, product);
  } else {
    multiply_row_by_row(launch, product);
  }
}

void multiply_row_by_row(const Launch& launch, const RowProduct& product) {
  for_row_ranges(*launch.workers, product.offsets, product.rows,
                 [&](std::int64_t begin, std::int64_t end) { multiply_rows(product, begin, end); });
}

void activate(const Launch& launch, const RowActivation& rows) {
  launch.workers->for_ranges(
      rows.rows, kernels::rows_per_sum,
      [&](std::int64_t begin, std::int64_t end) { activate_rows(rows, begin, end); });
}

void activation_gradient(const Launch& launch, const ActivationGradient& gradient) {
  const std::int64_t width = gradient.width;
  for_sum_pieces(*launch.workers, gradient.rows, 2 * width, gradient.sums,
                 [&](std::int64_t begin, std::int64_t end, float* sums) {
                   activation_gradient_rows(gradient, begin, end, sums, sums + width);
                 });
}

}  // namespace creg::cpu
