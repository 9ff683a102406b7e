// The small network between embeddings and a contrast of views: linear, ELU, linear. What is
// learned by it is the embedding before it.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "creg/nn/parameter_list.h"

namespace creg {

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

}  // namespace creg
