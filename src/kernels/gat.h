// Graph attention. Rows of Z are "slots"; node j lives in slot order[j].
#pragma once

#include <cstdint>

#include "core/both_devices.h"
#include "kernels/launch.h"

namespace creg::kernels {

struct GatShape {
  std::int64_t heads = 0;
  std::int64_t channels = 0;            ///< of one head
  const std::int32_t* order = nullptr;  ///< null: node j is slot j
  float negative_slope = 0;

  CREG_BOTH std::int64_t width() const { return heads * channels; }
  CREG_BOTH std::int64_t slot(std::int64_t node) const {
    return order == nullptr ? node : order[node];
  }
};

/// Per slot and head, the node's part of the score of its outgoing and of its incoming edges.
struct GatScores {
  float* source = nullptr;
  float* target = nullptr;
};

struct GatRows {
  std::int64_t rows = 0;
  const std::int64_t* offsets = nullptr;
  const std::int32_t* columns = nullptr;
  const float* mask = nullptr;  ///< per entry and head; null: ones
};

/// What both directions see.
struct GatInputs {
  GatShape shape;
  GatRows rows;
  std::int64_t slots = 0;
  const float* z = nullptr;           ///< [slots, width]
  const float* att_source = nullptr;  ///< [heads, channels]
  const float* att_target = nullptr;
  GatScores scores;
  float* weights = nullptr;  ///< [entries, heads], before the mask
};

struct GatGradient {
  GatInputs inputs;
  /// The pattern transposed: its entry t is entry linked[t] of the pattern, whose mask counts.
  GatRows transposed;
  const std::int64_t* linked = nullptr;
  const float* d_out = nullptr;  ///< [rows, width]
  GatScores d_scores;            ///< starts at 0
  float* d_entries = nullptr;    ///< [entries, heads], for the kernel's own use
  float* d_z = nullptr;          ///< [slots, width]
  /// [sum_pieces(slots), 2, width]: what att_source and att_target get of each piece of slots.
  float* sums = nullptr;
};

}  // namespace creg::kernels

namespace creg::cpu {

/// Scores and weights, and out [rows, width].
void gat_forward(const Launch& launch, const kernels::GatInputs& inputs, float* out);
void gat_backward(const Launch& launch, const kernels::GatGradient& gradient);

}  // namespace creg::cpu

namespace creg::cuda {

void gat_forward(const Launch& launch, const kernels::GatInputs& inputs, float* out);
void gat_backward(const Launch& launch, const kernels::GatGradient& gradient);

}  // namespace creg::cuda
