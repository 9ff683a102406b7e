// Masked nodes: some show a token or another node's features instead of their own.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "creg/core/context.h"
#include "creg/ops/sparse_matrix.h"

namespace creg {

/// Which nodes are masked, and how.
struct MaskOptions {
  double rate = 0.5;   ///< share of the nodes
  double replace = 0;  ///< share of these that show the features of another node
};

struct NodeMask {
  std::vector<std::int32_t> nodes;     ///< all that are masked, ascending
  std::vector<std::int32_t> visible;   ///< all others, ascending
  std::vector<std::int32_t> hidden;    ///< of the masked ones those that show the token
  std::vector<std::int32_t> replaced;  ///< those that show another node's features
  std::vector<std::int32_t> shown;     ///< whose, one per replaced node
};

/// floor(rate · nodes) of the nodes, at least one; floor((1 - replace) · that) of them are hidden
/// and floor(replace · that) replaced, so that rounding may leave one that shows its own features.
NodeMask draw_node_mask(std::int64_t nodes, const MaskOptions& options, std::uint64_t seed,
                        std::uint32_t step);

/// What the masked graph shows of `rows` [N, w]: row i, that of another node, or a row of `tokens`
/// [1, w] (the same for all) or [hidden, w] (in their order). Gradients reach both.
at::Tensor masked_rows(const Context& context, const NodeMask& mask, const at::Tensor& rows,
                       const at::Tensor& tokens);

/// [chosen, rows]: takes the chosen rows of a matrix; its transpose puts them back.
CsrMatrix choice_matrix(const std::vector<std::int32_t>& chosen, std::int64_t rows);

}  // namespace creg
