#include "creg/contrast/view_contrast.h"

#include <torch/types.h>

#include "creg/core/random.h"
#include "ops/random.h"

namespace creg {
namespace {

at::Tensor mean_sigma(const at::Tensor& u, const at::Tensor& v, double temperature) {
  const at::Tensor lengths = u.norm(2, 1).clamp_min(1e-12) * v.norm(2, 1).clamp_min(1e-12);
  return ((u * v).sum(1) / lengths / temperature).sigmoid().mean();
}

}  // namespace

ViewLoss ViewContrast::loss(const EpochPass& pass, const at::Tensor& one,
                            const at::Tensor& other) const {
  // All pairs cost their columns: 65 instead of GCA's 512.
  const at::Tensor basis = head_.basis();
  const at::Tensor u = head_.project(one, basis);
  const at::Tensor v = head_.project(other, basis);
  ViewLoss out;
  out.loss = info_nce(pass.context(), u, v, temperature_, negatives_);
  const at::NoGradGuard no_grad;
  out.positive_sigma = mean_sigma(u, v, temperature_);
  // Every node with the one that lies some random number of places behind it.
  const std::int64_t nodes = u.size(0);
  if (nodes < 2) return out;
  const at::Tensor places =
      1 + draw_below(u.device(), 1, nodes - 1,
                     {pass.settings().seed, Purpose::negatives, pass.settings().step});
  const at::Tensor order = (at::arange(nodes, places.options()) - places).remainder(nodes);
  const at::Tensor& others = negatives_ == ViewNegatives::own_view ? u : v;
  out.negative_sigma = mean_sigma(u, others.index_select(0, order), temperature_);
  return out;
}

}  // namespace creg
