#include "contrast/contrast_reg.h"

#include <torch/types.h>

#include "creg/ops/pair_loss.h"
#include "ops/random.h"

namespace creg {

ContrastReg::ContrastReg(const RegulariserOptions& options, LogForm log, std::int64_t dim,
                         ParameterList& parameters)
    : options_(options),
      log_(log),
      weight_(parameters.uniform("regulariser.weight", {dim, dim}, linear_bound(dim))) {}

at::Tensor ContrastReg::direction(EpochPass& pass) const {
  if (options_.r == Direction::summary) return at::sigmoid(pass.mean_of_nodes());
  return draw_uniform(weight_.device(), 1, weight_.size(0), static_cast<float>(options_.r_scale),
                      RandomKey{pass.settings().seed, Purpose::direction, pass.settings().step})
      .squeeze(0);
}

at::Tensor ContrastReg::loss(EpochPass& pass) const {
  const at::Tensor u = at::mv(weight_, direction(pass));
  const at::Tensor loss =
      direction_loss(pass.nodes(), u, 1, log_) + direction_loss(pass.corrupted(), u, -1, log_);
  return pass.share(loss, pass.inputs().nodes);
}

}  // namespace creg
