#include "kernels/cpu/gat.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/cpu/row_ranges.h"
#include "kernels/row_combine.h"
#include "kernels/target_clones.h"
#include "kernels/vector_math.h"

namespace creg::cpu {

using kernels::GatGradient;
using kernels::GatInputs;
using kernels::GatRows;
using kernels::GatScores;
using kernels::GatShape;

namespace {

CREG_INLINE float masked(const float* mask, std::int64_t place, float weight) {
  return mask == nullptr ? weight : weight * mask[place];
}

/// Softmax of one row of scores [count, heads] in place, head by head.
CREG_INLINE void softmax_row(float* __restrict weights, std::int64_t count, std::int64_t heads,
                             float* __restrict per_head) {
  std::fill(per_head, per_head + heads, -std::numeric_limits<float>::infinity());
  for (std::int64_t e = 0; e < count; ++e) {
    for (std::int64_t h = 0; h < heads; ++h) {
      const float score = weights[e * heads + h];
      per_head[h] = score > per_head[h] ? score : per_head[h];
    }
  }
  for (std::int64_t e = 0; e < count; ++e) {
    for (std::int64_t h = 0; h < heads; ++h) weights[e * heads + h] -= per_head[h];
  }
  for (std::int64_t i = 0; i < count * heads; ++i) weights[i] = vector_exp(weights[i]);
  std::fill(per_head, per_head + heads, 0.0F);
  for (std::int64_t e = 0; e < count; ++e) {
    for (std::int64_t h = 0; h < heads; ++h) per_head[h] += weights[e * heads + h];
  }
  for (std::int64_t h = 0; h < heads; ++h) per_head[h] = 1.0F / per_head[h];
  for (std::int64_t e = 0; e < count; ++e) {
    for (std::int64_t h = 0; h < heads; ++h) weights[e * heads + h] *= per_head[h];
  }
}

}  // namespace

CREG_TARGET_CLONES void gat_scores(const GatInputs& inputs, std::int64_t begin, std::int64_t end) {
  const GatShape& shape = inputs.shape;
  const GatScores& scores = inputs.scores;
  const std::int64_t channels = shape.channels;
  for (std::int64_t p = begin; p < end; ++p) {
    for (std::int64_t h = 0; h < shape.heads; ++h) {
      const float* row = inputs.z + p * shape.width() + h * channels;
      const std::int64_t place = p * shape.heads + h;
      scores.source[place] = dot_rows(row, inputs.att_source + h * channels, channels);
      scores.target[place] = dot_rows(row, inputs.att_target + h * channels, channels);
    }
  }
}

CREG_TARGET_CLONES void gat_forward_rows(const GatInputs& inputs, float* out, float* scratch,
                                         std::int64_t begin, std::int64_t end) {
  const GatShape& shape = inputs.shape;
  const GatRows& rows = inputs.rows;
  const GatScores& scores = inputs.scores;
  const float* const z = inputs.z;
  float* const weights = inputs.weights;
  const std::int64_t heads = shape.heads;
  const std::int64_t channels = shape.channels;
  const std::int64_t width = shape.width();
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int64_t first = rows.offsets[i];
    const std::int64_t last = rows.offsets[i + 1];
    float* out_row = out + i * width;
    if (first == last) {
      std::fill(out_row, out_row + width, 0.0F);
      continue;
    }
    const float* target = scores.target + shape.slot(i) * heads;
    for (std::int64_t e = first; e < last; ++e) {
      const float* source = scores.source + shape.slot(rows.columns[e]) * heads;
      for (std::int64_t h = 0; h < heads; ++h) {
        const float score = source[h] + target[h];
        weights[e * heads + h] = score > 0 ? score : shape.negative_slope * score;
      }
    }
    softmax_row(weights + first * heads, last - first, heads, scratch);
    for (std::int64_t e = first; e < last; e += 4) {
      const int count = static_cast<int>(std::min<std::int64_t>(4, last - e));
      const float* sources[4] = {};
      for (int q = 0; q < count; ++q) sources[q] = z + shape.slot(rows.columns[e + q]) * width;
      for (std::int64_t h = 0; h < heads; ++h) {
        float head_weights[4] = {};
        for (int q = 0; q < count; ++q) {
          const std::int64_t place = (e + q) * heads + h;
          head_weights[q] = masked(rows.mask, place, weights[place]);
        }
        combine_rows(out_row + h * channels, sources, head_weights, count, channels, e != first);
        for (int q = 0; q < count; ++q) sources[q] += channels;
      }
    }
  }
}

CREG_TARGET_CLONES void gat_score_gradients(const GatGradient& gradient, float* scratch,
                                            std::int64_t begin, std::int64_t end) {
  const GatShape& shape = gradient.inputs.shape;
  const GatRows& rows = gradient.inputs.rows;
  const GatScores& scores = gradient.inputs.scores;
  const float* const z = gradient.inputs.z;
  const float* const weights = gradient.inputs.weights;
  const float* const d_out = gradient.d_out;
  float* const d_entries = gradient.d_entries;
  const std::int64_t heads = shape.heads;
  const std::int64_t channels = shape.channels;
  const std::int64_t width = shape.width();
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int64_t first = rows.offsets[i];
    const std::int64_t last = rows.offsets[i + 1];
    // The gradient of the weights, and its mean under them: what the softmax takes off.
    std::fill(scratch, scratch + heads, 0.0F);
    for (std::int64_t e = first; e < last; ++e) {
      const float* source = z + shape.slot(rows.columns[e]) * width;
      for (std::int64_t h = 0; h < heads; ++h) {
        const std::int64_t place = e * heads + h;
        const float product =
            dot_rows(d_out + i * width + h * channels, source + h * channels, channels);
        d_entries[place] = masked(rows.mask, place, product);
        scratch[h] += weights[place] * d_entries[place];
      }
    }
    const float* target = scores.target + shape.slot(i) * heads;
    float* d_target = gradient.d_scores.target + shape.slot(i) * heads;
    std::fill(d_target, d_target + heads, 0.0F);
    for (std::int64_t e = first; e < last; ++e) {
      const float* source = scores.source + shape.slot(rows.columns[e]) * heads;
      for (std::int64_t h = 0; h < heads; ++h) {
        const std::int64_t place = e * heads + h;
        const float slope = source[h] + target[h] > 0 ? 1.0F : shape.negative_slope;
        const float slope_of_score = slope * weights[place] * (d_entries[place] - scratch[h]);
        d_entries[place] = slope_of_score;
        d_target[h] += slope_of_score;
      }
    }
  }
}

CREG_TARGET_CLONES void gat_source_gradients(const GatGradient& gradient, float* scratch,
                                             std::int64_t begin, std::int64_t end) {
  const GatShape& shape = gradient.inputs.shape;
  const GatScores& d_scores = gradient.d_scores;
  const float* const weights = gradient.inputs.weights;
  const float* const mask = gradient.inputs.rows.mask;
  const std::int64_t heads = shape.heads;
  const std::int64_t channels = shape.channels;
  const std::int64_t width = shape.width();
  const GatRows& rows = gradient.transposed;
  for (std::int64_t j = begin; j < end; ++j) {
    const std::int64_t slot = shape.slot(j);
    float* row = gradient.d_z + slot * width;
    float* d_source = d_scores.source + slot * heads;
    const float* d_target = d_scores.target + slot * heads;
    std::fill(d_source, d_source + heads, 0.0F);
    const std::int64_t first = rows.offsets[j];
    const std::int64_t last = rows.offsets[j + 1];
    if (first == last) std::fill(row, row + width, 0.0F);
    for (std::int64_t t = first; t < last; t += 4) {
      const int count = static_cast<int>(std::min<std::int64_t>(4, last - t));
      const float* targets[4] = {};
      for (int q = 0; q < count; ++q) {
        targets[q] = gradient.d_out + rows.columns[t + q] * width;
        const std::int64_t entry = gradient.linked[t + q] * heads;
        for (std::int64_t h = 0; h < heads; ++h) {
          scratch[h * 4 + q] = masked(mask, entry + h, weights[entry + h]);
          d_source[h] += gradient.d_entries[entry + h];
        }
      }
      for (std::int64_t h = 0; h < heads; ++h) {
        combine_rows(row + h * channels, targets, scratch + h * 4, count, channels, t != first);
        for (int q = 0; q < count; ++q) targets[q] += channels;
      }
    }
    for (std::int64_t h = 0; h < heads; ++h) {
      const float* both[4] = {gradient.inputs.att_source + h * channels,
                              gradient.inputs.att_target + h * channels};
      const float head_weights[4] = {d_source[h], d_target[h]};
      combine_rows(row + h * channels, both, head_weights, 2, channels, true);
    }
  }
}

CREG_TARGET_CLONES void gat_attention_gradients(const GatGradient& gradient,
                                                float* __restrict d_source,
                                                float* __restrict d_target, std::int64_t begin,
                                                std::int64_t end) {
  const GatShape& shape = gradient.inputs.shape;
  const GatScores& d_scores = gradient.d_scores;
  const std::int64_t channels = shape.channels;
  for (std::int64_t p = begin; p < end; ++p) {
    for (std::int64_t h = 0; h < shape.heads; ++h) {
      const float* row = gradient.inputs.z + p * shape.width() + h * channels;
      const float source = d_scores.source[p * shape.heads + h];
      const float target = d_scores.target[p * shape.heads + h];
      float* __restrict to_source = d_source + h * channels;
      float* __restrict to_target = d_target + h * channels;
      for (std::int64_t c = 0; c < channels; ++c) {
        to_source[c] += source * row[c];
        to_target[c] += target * row[c];
      }
    }
  }
}

void gat_forward(const Launch& launch, const GatInputs& inputs, float* out) {
  launch.workers->for_ranges(
      inputs.slots, kernels::rows_per_sum,
      [&](std::int64_t begin, std::int64_t end) { gat_scores(inputs, begin, end); });
  for_row_ranges(*launch.workers, inputs.rows.offsets, inputs.rows.rows,
                 [&](std::int64_t begin, std::int64_t end) {
                   std::vector<float> scratch(static_cast<std::size_t>(inputs.shape.heads));
                   gat_forward_rows(inputs, out, scratch.data(), begin, end);
                 });
}

void gat_backward(const Launch& launch, const GatGradient& gradient) {
  const auto heads = static_cast<std::size_t>(gradient.inputs.shape.heads);
  const GatRows& rows = gradient.inputs.rows;
  for_row_ranges(*launch.workers, rows.offsets, rows.rows,
                 [&](std::int64_t begin, std::int64_t end) {
                   std::vector<float> scratch(heads);
                   gat_score_gradients(gradient, scratch.data(), begin, end);
                 });
  for_row_ranges(*launch.workers, gradient.transposed.offsets, gradient.transposed.rows,
                 [&](std::int64_t begin, std::int64_t end) {
                   std::vector<float> scratch(4 * heads);
                   gat_source_gradients(gradient, scratch.data(), begin, end);
                 });
  const std::int64_t width = gradient.inputs.shape.width();
  for_sum_pieces(*launch.workers, gradient.inputs.slots, 2 * width, gradient.sums,
                 [&](std::int64_t begin, std::int64_t end, float* sums) {
                   gat_attention_gradients(gradient, sums, sums + width, begin, end);
                 });
}

}  // namespace creg::cpu
