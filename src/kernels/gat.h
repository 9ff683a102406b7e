// Range kernels of graph attention. Rows of Z are "slots"; node j lives in slot order[j].
#pragma once

#include <cstdint>

namespace creg::cpu {

struct GatShape {
  std::int64_t heads = 0;
  std::int64_t channels = 0;            ///< of one head
  const std::int32_t* order = nullptr;  ///< null: node j is slot j
  float negative_slope = 0;

  std::int64_t width() const { return heads * channels; }
  std::int64_t slot(std::int64_t node) const { return order == nullptr ? node : order[node]; }
};

/// Per slot and head, the node's part of the score of its outgoing and of its incoming edges.
struct GatScores {
  float* source = nullptr;
  float* target = nullptr;
};

struct GatRows {
  const std::int64_t* offsets = nullptr;
  const std::int32_t* columns = nullptr;
  const float* mask = nullptr;  ///< per entry and head; null: ones
};

/// Slots [begin, end).
void gat_scores(const GatShape& shape, const float* z, const float* att_source,
                const float* att_target, const GatScores& scores, std::int64_t begin,
                std::int64_t end);

/// Nodes [begin, end): weights [entries, heads] before the mask, and out [nodes, width].
/// `scratch`: `heads` floats.
void gat_forward(const GatShape& shape, const GatRows& rows, const GatScores& scores,
                 const float* z, float* weights, float* out, float* scratch, std::int64_t begin,
                 std::int64_t end);

/// Nodes [begin, end): the gradient of every entry's score before LeakyReLU [entries, heads], and
/// their sums over each row into d_scores.target, by slot. `scratch`: `heads` floats.
void gat_score_gradients(const GatShape& shape, const GatRows& rows, const GatScores& scores,
                         const float* z, const float* weights, const float* d_out, float* d_entries,
                         const GatScores& d_scores, float* scratch, std::int64_t begin,
                         std::int64_t end);

/// Nodes [begin, end) of the transposed pattern, whose entry t is entry linked[t] of the pattern:
/// d_scores.source and the rows of d_z, by slot. `scratch`: 4 · heads floats.
struct GatTransposed {
  GatRows rows;  ///< its mask is that of the pattern
  const std::int64_t* linked = nullptr;
};
void gat_source_gradients(const GatShape& shape, const GatTransposed& transposed,
                          const float* weights, const float* d_out, const float* d_entries,
                          const float* att_source, const float* att_target,
                          const GatScores& d_scores, float* d_z, float* scratch, std::int64_t begin,
                          std::int64_t end);

/// Slots [begin, end): adds their part of both attention vectors' gradients, each `width` long.
void gat_attention_gradients(const GatShape& shape, const float* z, const GatScores& d_scores,
                             float* d_source, float* d_target, std::int64_t begin,
                             std::int64_t end);

}  // namespace creg::cpu
