// Masked nodes: some show a token or another node's features instead of their own.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "creg/core/context.h"

namespace creg {

/// Which nodes are masked, and how.
struct MaskOptions {
  double rate = 0.5;   ///< share of the nodes
  double replace = 0;  ///< share of these that show the features of another node
};

/// Lists of nodes, int32.
struct NodeMask {
  at::Tensor nodes;     ///< all that are masked, ascending
  at::Tensor visible;   ///< all others, ascending
  at::Tensor hidden;    ///< of the masked ones those that show the token
  at::Tensor replaced;  ///< those that show another node's features
  at::Tensor shown;     ///< whose, one per replaced node
};

/// floor(rate · nodes) of the nodes, at least one; floor((1 - replace) · that) of them are hidden
/// and floor(replace · that) replaced, so that rounding may leave one that shows its own features.
NodeMask draw_node_mask(const Context& context, std::int64_t nodes, const MaskOptions& options,
                        std::uint64_t seed, std::uint32_t step);

/// What the masked graph shows of `rows` [N, w]: row i, that of another node, or a row of `tokens`
/// [1, w] (the same for all) or [hidden, w] (in their order). Gradients reach both.
at::Tensor masked_rows(const NodeMask& mask, const at::Tensor& rows, const at::Tensor& tokens);

}  // namespace creg
