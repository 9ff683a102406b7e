// The way back through losses over pairs of an anchor and a row.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "kernels/pair.h"
#include "ops/runtime/autograd_node.h"

namespace creg {

/// values · factor, a tensor of one value; the values themselves where that is known to be 1.
at::Tensor scaled(const at::Tensor& values, const at::Tensor& factor);

/// The gradients of anchors and rows, in this order, from what the forward pass kept.
struct PairGradient : public OnceDifferentiable {
  at::Tensor anchors;       ///< detached
  at::Tensor coefficients;  ///< one per pair, for an upstream gradient of 1
  at::Tensor d_anchors;     ///< likewise
  std::int64_t rows = 0;
  bool same = false;  ///< anchors and rows are one tensor

  /// The pairs, turned round, with these coefficients.
  virtual void turn(const at::Tensor& weights, const kernels::TurnedPairs& turned) const = 0;

  torch::autograd::variable_list gradients(torch::autograd::variable_list&& outputs) override;
  void release_variables() override;
};

}  // namespace creg
