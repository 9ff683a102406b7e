#include "ops/all_pairs_loss.h"

#include <torch/types.h>

#include <algorithm>
#include <string>

#include "ops/runtime/autograd_node.h"

namespace creg {
namespace {

struct AllPairsBackward : public torch::autograd::Node {
  at::Tensor gradient;  // of the value

  torch::autograd::variable_list apply(torch::autograd::variable_list&& gradients) override {
    return {gradient * gradients[0]};
  }
  void release_variables() override { gradient.reset(); }
  std::string name() const override { return "creg::AllPairsBackward"; }
};

}  // namespace

at::Tensor all_pairs_apart(const at::Tensor& h, std::int64_t block_rows) {
  TORCH_CHECK(h.dim() == 2 && h.scalar_type() == at::kFloat && h.size(0) > 0,
              "all_pairs_apart: a float32 matrix with rows");
  constexpr std::int64_t default_rows = 256;
  const std::int64_t step = block_rows > 0 ? block_rows : default_rows;
  const bool wanted = wants_gradient(h);
  const std::int64_t nodes = h.size(0);
  const double share = 1 / (static_cast<double>(nodes) * static_cast<double>(nodes));
  at::Tensor value;
  at::Tensor gradient;
  {
    const at::NoGradGuard no_grad;
    const at::Tensor rows = h.detach().contiguous();
    const at::Tensor columns = rows.t();
    if (wanted) gradient = at::empty_like(rows);
    at::Tensor sum = at::zeros({}, rows.options().dtype(at::kDouble));
    for (std::int64_t begin = 0; begin < nodes; begin += step) {
      const std::int64_t count = std::min(step, nodes - begin);
      at::Tensor scores = at::mm(rows.narrow(0, begin, count), columns);
      sum += at::softplus(scores).sum(at::kDouble);
      if (!wanted) continue;
      // Every pair is met in both orders, and its gradient is the same.
      at::Tensor block = gradient.narrow(0, begin, count);
      at::mm_out(block, scores.sigmoid_(), rows);
      block.mul_(2 * share);
    }
    value = (sum * share).to(at::kFloat);
  }
  if (wanted) {
    auto node = make_node<AllPairsBackward>(h);
    node->gradient = gradient;
    attach(value, node);
  }
  return value;
}

}  // namespace creg
