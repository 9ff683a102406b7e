// The contrastive loss over sampled pairs: scores, logistic loss and gradient together.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "creg/ops/log_form.h"

namespace creg {

/// Which rows each anchor meets. All index tensors are int32; the rows are constants of the loss.
struct Pairs {
  at::Tensor anchors;  ///< [M]: rows of the anchor matrix, distinct; undefined: 0..M-1
  /// [M, P]: the positive is the mean of these P rows. On a GPU, where no step waits to hear that a
  /// similarity was not finite, -1 stands for one that is missing: the loss is not a number.
  at::Tensor positives;
  at::Tensor negatives;  ///< [M, K]
};

/// The loss, and what the pairs looked like while it was computed.
struct PairLoss {
  at::Tensor loss;            ///< scalar
  at::Tensor positive_sigma;  ///< mean sigma of the positives' scores, float64
  at::Tensor negative_sigma;  ///< and of the negatives'
};

/// mean over anchors a of  -log sigma(s(a, p)) - sum_k log sigma(-s(a, n_k)),
/// s(a, y) = scale · anchors[a]·rows[y]. `anchors` and `rows` are float32 [., d] and may be the
/// same tensor. A bilinear score is this one with anchors already multiplied by its matrix.
///
/// One pass over the pairs' rows computes scores, loss and the anchors' gradient; a second one,
/// backward, gathers the gradient of `rows`. No [M, K, d] array is made.
PairLoss pair_loss(const at::Tensor& anchors, const at::Tensor& rows, const Pairs& pairs,
                   double scale = 1.0, LogForm form = LogForm::stable);

/// -mean log sigma(target·h_i·u) with target +1 or -1: the two halves of Contrast-Reg.
at::Tensor direction_loss(const at::Tensor& h, const at::Tensor& u, int target,
                          LogForm form = LogForm::stable);

}  // namespace creg
