// The logistic loss over a list of pairs in compressed rows, such as all edges of a graph.
#pragma once

#include <ATen/core/Tensor.h>

#include "creg/ops/log_form.h"
#include "creg/ops/sparse_matrix.h"

namespace creg {

struct EdgeLoss {
  at::Tensor loss;   ///< scalar
  at::Tensor sigma;  ///< mean sigma of the scores, float64
};

/// mean over the pairs (a, y) of -log sigma(target · s(a, y)) with target +1 or -1 and
/// s(a, y) = scale · anchors[a]·rows[y]. `anchors` and `rows` are float32 [., d] and may be the
/// same tensor; row a of `pairs` lists the rows that anchor a meets, and there is at least one
/// pair, and no room behind the last (without_room in ops/csr.h). Its values have no part.
///
/// One pass over the pairs computes scores, loss and the anchors' gradient; a second one, backward,
/// gathers the gradient of `rows`. Memory is O(pairs), not O(pairs · d). Values do not depend on
/// the number of threads.
EdgeLoss edge_loss(const at::Tensor& anchors, const at::Tensor& rows, const CsrTensors& pairs,
                   int target, double scale = 1.0, LogForm form = LogForm::stable);

}  // namespace creg
