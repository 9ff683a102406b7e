// Two views of all nodes against each other: projections, then InfoNCE.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "creg/contrast/epoch_pass.h"
#include "creg/contrast/options.h"
#include "creg/contrast/projection_head.h"
#include "creg/nn/parameter_list.h"
#include "creg/ops/info_nce.h"

namespace creg {

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
