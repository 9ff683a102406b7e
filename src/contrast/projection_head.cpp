#include "creg/contrast/view_contrast.h"

#include <torch/types.h>

#include "ops/row_space.h"

namespace creg {

ProjectionHead::ProjectionHead(std::int64_t dim, std::int64_t hidden, ParameterList& parameters)
    : weight0_(parameters.uniform("projection.0.weight", {dim, hidden}, linear_bound(dim))),
      bias0_(parameters.uniform("projection.0.bias", {hidden}, linear_bound(dim))),
      weight1_(parameters.uniform("projection.1.weight", {hidden, dim}, linear_bound(hidden))),
      bias1_(parameters.uniform("projection.1.bias", {dim}, linear_bound(hidden))) {}

at::Tensor ProjectionHead::basis() const {
  if (weight1_.size(0) + 1 >= weight1_.size(1)) return {};
  return orthonormal_rows(at::cat({weight1_.detach(), bias1_.detach().unsqueeze(0)}));
}

at::Tensor ProjectionHead::project(const at::Tensor& rows, const at::Tensor& basis) const {
  const at::Tensor hidden = at::elu(at::addmm(bias0_, rows, weight0_));
  if (!basis.defined()) return at::addmm(bias1_, hidden, weight1_);
  return at::addmm(basis.mv(bias1_), hidden, weight1_.mm(basis.t()));
}

}  // namespace creg
