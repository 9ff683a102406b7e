// Ranges of the kernels in kernels/gat.h, compiled for several instruction sets.
#pragma once

#include "kernels/gat.h"

namespace creg::cpu {

/// Slots [begin, end).
void gat_scores(const kernels::GatInputs& inputs, std::int64_t begin, std::int64_t end);

/// Nodes [begin, end): weights and out. `scratch`: `heads` floats.
void gat_forward_rows(const kernels::GatInputs& inputs, float* out, float* scratch,
                      std::int64_t begin, std::int64_t end);

/// Nodes [begin, end): the gradient of every entry's score before LeakyReLU, and their sums over
/// each row into d_scores.target, by slot. `scratch`: `heads` floats.
void gat_score_gradients(const kernels::GatGradient& gradient, float* scratch, std::int64_t begin,
                         std::int64_t end);

/// Nodes [begin, end) of the transposed pattern: d_scores.source and the rows of d_z, by slot.
/// `scratch`: 4 · heads floats.
void gat_source_gradients(const kernels::GatGradient& gradient, float* scratch, std::int64_t begin,
                          std::int64_t end);

/// Slots [begin, end): adds their part of both attention vectors' gradients, each `width` long.
void gat_attention_gradients(const kernels::GatGradient& gradient, float* d_source, float* d_target,
                             std::int64_t begin, std::int64_t end);

}  // namespace creg::cpu
