// Two views of all nodes against each other: projections, then InfoNCE.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "creg/contrast/epoch_pass.h"
#include "creg/contrast/options.h"
#include "creg/nn/parameter_list.h"
#include "creg/ops/info_nce.h"

namespace creg {

// The small network between embeddings and a contrast of views: linear, ELU, linear. What is
// learned by it is the embedding before it.

class ProjectionHead {
 public:
  /// dim -> hidden -> dim; adds "projection.0.weight" and so on to `parameters`.
  ProjectionHead(std::int64_t dim, std::int64_t hidden, ParameterList& parameters);

  /// Orthonormal rows [hidden + 1, dim] that span all projections, a constant; undefined where that
  /// is not less than all of the space.
  at::Tensor basis() const;

  /// With a basis: in its hidden + 1 coordinates. Lengths and inner products are the same, and so
  /// are the gradients of whatever depends on these alone.
  at::Tensor project(const at::Tensor& rows, const at::Tensor& basis = {}) const;

 private:
  at::Tensor weight0_;  // [dim, hidden]
  at::Tensor bias0_;
  at::Tensor weight1_;  // [hidden, dim]
  at::Tensor bias1_;
};

struct ViewLoss {
  at::Tensor loss;            ///< scalar, differentiable through both views
  at::Tensor positive_sigma;  ///< mean sigma(cos / t) of a node's two views
  at::Tensor negative_sigma;  ///< the same of one random negative per node; of one node undefined
};

class ViewContrast {
 public:
  ViewContrast(std::int64_t dim, std::int64_t projection, double temperature,
               ViewNegatives negatives, ParameterList& parameters)
      : head_(dim, projection, parameters), temperature_(temperature), negatives_(negatives) {}

  /// Of two embeddings of the pass's nodes.
  ViewLoss loss(const EpochPass& pass, const at::Tensor& one, const at::Tensor& other) const;

 private:
  ProjectionHead head_;
  double temperature_;
  ViewNegatives negatives_;
};

}  // namespace creg
