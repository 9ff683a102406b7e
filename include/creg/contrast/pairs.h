// Pair construction: which node is pulled towards which, and which are pushed apart.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "creg/contrast/options.h"
#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/ops/pair_loss.h"

namespace creg {

/// `count` random permutations of the nodes as columns: int32 [nodes, count]. Row i holds node i's
/// negatives; a node may meet itself.
at::Tensor draw_negatives(const Context& context, std::int64_t nodes, int count, std::uint64_t seed,
                          std::uint32_t epoch);

/// Every node with itself in another matrix (ML: the node one level deeper).
Pairs aligned_pairs(const at::Tensor& negatives);

/// Each node with positives[i] ([N] or [N, P]); nodes whose positive is -1 are left out. With
/// `seeds` (int32, distinct) only those nodes are anchors.
Pairs anchored_pairs(const at::Tensor& positives, const at::Tensor& negatives,
                     const at::Tensor& seeds);

}  // namespace creg
