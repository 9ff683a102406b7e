// The logistic loss over a list of pairs in compressed rows, such as all edges of a graph.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "creg/ops/log_form.h"

namespace creg {

/// Row a pairs anchor a with rows columns[offsets[a] .. offsets[a+1]).
struct PairRows {
  std::vector<std::int64_t> offsets;  ///< one more than there are anchors
  std::vector<std::int32_t> columns;

  std::int64_t size() const { return static_cast<std::int64_t>(columns.size()); }
};

struct EdgeLoss {
  at::Tensor loss;   ///< scalar
  at::Tensor sigma;  ///< mean sigma of the scores, float64
};

/// mean over the pairs (a, y) of -log sigma(target · s(a, y)) with target +1 or -1 and
/// s(a, y) = scale · anchors[a]·rows[y]. `anchors` and `rows` are float32 [., d] and may be the
/// same tensor; there is an anchor for every row of pairs, and at least one pair.
///
/// One pass over the pairs computes scores, loss and the anchors' gradient; a second one, backward,
/// gathers the gradient of `rows`. Memory is O(pairs), not O(pairs · d). Values do not depend on
/// the number of threads.
EdgeLoss edge_loss(const at::Tensor& anchors, const at::Tensor& rows,
                   std::shared_ptr<const PairRows> pairs, int target, double scale = 1.0,
                   LogForm form = LogForm::stable);

}  // namespace creg
