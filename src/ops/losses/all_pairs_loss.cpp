#include "ops/all_pairs_loss.h"

#include <torch/types.h>

#include <algorithm>
#include <string>

#include "kernels/all_pairs.h"
#include "ops/runtime/autograd_node.h"
#include "ops/runtime/on_device.h"

namespace creg {
namespace {

struct AllPairsBackward : public OnceDifferentiable {
  at::Tensor gradient;  // of the value

  torch::autograd::variable_list gradients(torch::autograd::variable_list&& outputs) override {
    return {gradient * outputs[0]};
  }
  void release_variables() override { gradient.reset(); }
  std::string op() const override { return "all_pairs_apart"; }
  std::string name() const override { return "creg::AllPairsBackward"; }
};

/// float32: the value, and its gradient where it is wanted.
struct ValueAndGradient {
  at::Tensor value;
  at::Tensor gradient;
};

ValueAndGradient apart_on_cpu(const Context& /*context*/, const at::Tensor& rows, bool wanted,
                              std::int64_t block_rows) {
  constexpr std::int64_t default_rows = 256;
  const std::int64_t step = block_rows > 0 ? block_rows : default_rows;
  const std::int64_t nodes = rows.size(0);
  const double share = 1 / (static_cast<double>(nodes) * static_cast<double>(nodes));
  const at::Tensor columns = rows.t();
  ValueAndGradient out;
  if (wanted) out.gradient = at::empty_like(rows);
  at::Tensor sum = at::zeros({}, rows.options().dtype(at::kDouble));
  for (std::int64_t begin = 0; begin < nodes; begin += step) {
    const std::int64_t count = std::min(step, nodes - begin);
    at::Tensor scores = at::mm(rows.narrow(0, begin, count), columns);
    sum += at::softplus(scores).sum(at::kDouble);
    if (!wanted) continue;
    // Every pair is met in both orders, and its gradient is the same.
    at::Tensor block = out.gradient.narrow(0, begin, count);
    at::mm_out(block, scores.sigmoid_(), rows);
    block.mul_(2 * share);
  }
  out.value = (sum * share).to(at::kFloat);
  return out;
}

[[maybe_unused]] ValueAndGradient apart_on_cuda(const Context& context, const at::Tensor& rows,
                                                bool wanted, std::int64_t /*block_rows*/) {
  ValueAndGradient out{.value = at::empty({}, rows.options())};
  if (wanted) out.gradient = at::empty_like(rows);
  const DeviceLaunch lent(rows.device());
  cuda::all_pairs_apart(lent.launch(),
                        {.rows = rows.data_ptr<float>(),
                         .count = rows.size(0),
                         .width = rows.size(1),
                         .precision = context.precision(),
                         .value = out.value.data_ptr<float>(),
                         .gradient = wanted ? out.gradient.data_ptr<float>() : nullptr});
  return out;
}

constexpr OnDevice<ValueAndGradient(const Context&, const at::Tensor& rows, bool wanted,
                                    std::int64_t block_rows)>
    apart_on{"all_pairs_apart", apart_on_cpu, CREG_ON_CUDA(apart_on_cuda)};

}  // namespace

at::Tensor all_pairs_apart(const Context& context, const at::Tensor& h, std::int64_t block_rows) {
  TORCH_CHECK(h.dim() == 2 && h.scalar_type() == at::kFloat && h.size(0) > 0,
              "all_pairs_apart: a float32 matrix with rows");
  const bool wanted = wants_gradient(h);
  ValueAndGradient out;
  {
    const at::NoGradGuard no_grad;
    out = apart_on.of(h.device())(context, h.detach().contiguous(), wanted, block_rows);
  }
  if (wanted) {
    auto node = make_node<AllPairsBackward>(h);
    node->gradient = out.gradient;
    attach(out.value, node);
  }
  return out.value;
}

}  // namespace creg
