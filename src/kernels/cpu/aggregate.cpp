#include "kernels/aggregate.h"

#include "kernels/row_combine.h"
#include "kernels/target_clones.h"

namespace creg::cpu {
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
void activate_rows(const Activation& activation, const float* x, float* pre, float* activated,
                   std::int64_t width, std::int64_t begin, std::int64_t end) {
  for (std::int64_t r = begin; r < end; ++r) {
    activate_row(activation, x + r * width, pre + r * width, activated + r * width, width);
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

}  // namespace creg::cpu
