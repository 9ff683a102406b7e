// Pair construction: which node is pulled towards which, which are pushed apart, and how a pair is
// scored.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "creg/contrast/options.h"
#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/nn/parameter_list.h"
#include "creg/ops/pair_loss.h"

namespace creg {

// Pair construction: which node is pulled towards which, and which are pushed apart.

/// `count` random permutations of the nodes as columns: int32 [nodes, count]. Row i holds node i's
/// negatives; a node may meet itself.
at::Tensor draw_negatives(const Context& context, std::int64_t nodes, int count, std::uint64_t seed,
                          std::uint32_t epoch);

/// Every node with itself in another matrix (ML: the node one level deeper).
Pairs aligned_pairs(const at::Tensor& negatives);

/// Each of the `anchors` (int32, distinct; undefined: all nodes) with positives[i] ([N] or [N, P]).
/// No anchor has the positive -1, "none": who has one is known before the step
/// (GraphInputs::joined), so that no step asks its device for a size.
Pairs anchored_pairs(const at::Tensor& positives, const at::Tensor& negatives,
                     const at::Tensor& anchors);

// The score of a pair: u·v, or u·C v with a trained matrix.

class PairScore {
 public:
  /// A bilinear score adds its matrix to `parameters` as "score.weight".
  PairScore(Score score, std::int64_t dim, ParameterList& parameters) {
    if (score == Score::bilinear) {
      weight_ = parameters.uniform("score.weight", {dim, dim}, linear_bound(dim));
    }
  }

  /// Rows v_i as C v_i, whose plain products with u are the scores.
  at::Tensor anchors(const at::Tensor& rows) const;

 private:
  at::Tensor weight_;
};

}  // namespace creg
