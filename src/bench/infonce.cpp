#include "bench/infonce.h"

#include <torch/types.h>

#include "bench/plain/plain_similarity.h"
#include "creg/core/error.h"
#include "creg/ops/info_nce.h"
#include "ops/device.h"
#include "ops/random.h"
#include "ops/runtime.h"
#include "ops/tensor_memory.h"

namespace creg {
namespace {

at::Tensor normal_rows(const Context& context, std::uint32_t view, std::int64_t rows,
                       std::int64_t cols) {
  return draw_normal(device_of(context), rows, cols, 1,
                     {context.seed(), Purpose::bench_values, view});
}

/// As GRACE's own code has it: similarities within each view and between them, for either side.
at::Tensor plain_info_nce(const at::Tensor& u, const at::Tensor& v, double temperature) {
  const auto unit = [](const at::Tensor& x) { return x / x.norm(2, 1, true).clamp_min(1e-12); };
  const auto one_way = [&](const at::Tensor& a, const at::Tensor& b) {
    const at::Tensor own = at::exp(a.mm(a.t()) / temperature);
    const at::Tensor between = at::exp(a.mm(b.t()) / temperature);
    return -at::log(between.diagonal() / (own.sum(1) + between.sum(1) - own.diagonal()));
  };
  const at::Tensor a = unit(u);
  const at::Tensor b = unit(v);
  return ((one_way(a, b) + one_way(b, a)) / 2).mean();
}

struct Result {
  at::Tensor loss;
  at::Tensor gradient;
};

template <class Loss>
Result with_gradient(const at::Tensor& u, const at::Tensor& v, const Loss& loss) {
  const at::Tensor a = u.detach().set_requires_grad(true);
  const at::Tensor b = v.detach().set_requires_grad(true);
  at::Tensor value = loss(a, b);
  value.backward();
  return {value.detach(), a.grad()};
}

}  // namespace

InfoNceBench bench_infonce(const Context& context, std::int64_t nodes, std::int64_t dim,
                           double temperature, const MeasureOptions& options, bool compare_plain) {
  install_tensor_memory();
  prepare_torch(context);
  // Four similarities and their exponentials are alive when the backward pass begins.
  if (compare_plain) require_square_memory(nodes, 9);
  const at::Tensor u = normal_rows(context, 0, nodes, dim);
  const at::Tensor v = normal_rows(context, 1, nodes, dim);
  const auto bytes = static_cast<std::int64_t>(u.nbytes() + v.nbytes());
  Result ours;
  Result plain;
  std::vector<Contestant> contestants = {
      {[&](int /*round*/) {
         ours = {};
         ours = with_gradient(u, v, [&](const at::Tensor& a, const at::Tensor& b) {
           return info_nce(context, a, b, temperature);
         });
       },
       bytes}};
  if (compare_plain) {
    contestants.push_back({[&](int /*round*/) {
                             plain = {};
                             plain =
                                 with_gradient(u, v, [&](const at::Tensor& a, const at::Tensor& b) {
                                   return plain_info_nce(a, b, temperature);
                                 });
                           },
                           bytes, options.plain_memory});
  }
  std::vector<Measurement> measured = measure(context, "InfoNCE", options, contestants);
  InfoNceBench out;
  out.ours = std::move(measured[0]);
  out.loss = ours.loss.item<double>();
  if (compare_plain) {
    out.plain = std::move(measured[1]);
    out.loss_difference = std::abs(out.loss - plain.loss.item<double>());
    out.gradient_difference =
        ((ours.gradient - plain.gradient).abs().max() / plain.gradient.abs().max()).item<double>();
  }
  release_kept_tensor_memory();
  return out;
}

}  // namespace creg
