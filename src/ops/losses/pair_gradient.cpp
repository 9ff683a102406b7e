#include "ops/losses/pair_gradient.h"

#include <torch/types.h>

#include "kernels/aggregate.h"
#include "ops/runtime/on_device.h"

namespace creg {
namespace {

at::Tensor scaled_on_cpu(const at::Tensor& values, const at::Tensor& factor) {
  return *factor.data_ptr<float>() == 1.0F ? values : values * factor;
}

// A GPU does not wait to learn whether there is something to do.
[[maybe_unused]] at::Tensor scaled_on_gpu(const at::Tensor& values, const at::Tensor& factor) {
  return values * factor;
}

constexpr OnDevice<at::Tensor(const at::Tensor&, const at::Tensor&)> scaling{
    "scaled", scaled_on_cpu, CREG_ON_CUDA(scaled_on_gpu)};

#ifdef CREG_HAS_CUDA
constexpr KernelOnDevice<const kernels::ScaledInPlace&> scaling_in_place{
    {"scaled", nullptr, cuda::scale_in_place}};

at::Tensor taken_on_gpu(const at::Tensor& values, const at::Tensor& factor) {
  scaling_in_place.run(values, {.values = values.data_ptr<float>(),
                                .count = values.numel(),
                                .factor = factor.data_ptr<float>()});
  return values;
}
#endif
/// The same for values that nobody else needs.
constexpr OnDevice<at::Tensor(const at::Tensor&, const at::Tensor&)> scaling_of_own{
    "scaled", scaled_on_cpu, CREG_ON_CUDA(taken_on_gpu)};

constexpr KernelOnDevice<const kernels::RowProduct&> gather{
    {"pair gradient", cpu::multiply_row_by_row, CREG_ON_CUDA(cuda::multiply)}};

}  // namespace

at::Tensor scaled(const at::Tensor& values, const at::Tensor& factor) {
  return scaling.of(values.device())(values, factor);
}

torch::autograd::variable_list PairGradient::gradients(torch::autograd::variable_list&& outputs) {
  torch::autograd::variable_list result(2);
  if (!outputs[0].defined()) return result;
  TORCH_CHECK(d_anchors.defined(), name(), ": a second backward pass goes through a loss anew");
  // Taken over: the gradient of the rows may be added to it in place.
  at::Tensor own = scaling_of_own.of(d_anchors.device())(d_anchors, outputs[0]);
  d_anchors.reset();
  if (task_should_compute_output(1)) {
    const at::Tensor weights = scaled(coefficients, outputs[0]);
    const at::Tensor offsets = at::empty({rows + 1}, weights.options().dtype(at::kLong));
    const at::Tensor met = at::empty({weights.numel()}, weights.options().dtype(at::kInt));
    const at::Tensor turned = at::empty({weights.numel()}, weights.options());
    turn(weights, {.rows = rows,
                   .offsets = offsets.data_ptr<std::int64_t>(),
                   .anchors = met.data_ptr<std::int32_t>(),
                   .coefficients = turned.data_ptr<float>()});
    // One tensor in both places: its second gradient is added in place to the first.
    at::Tensor d_rows = same ? own : at::empty({rows, anchors.size(1)}, anchors.options());
    kernels::RowProduct product;
    product.rows = rows;
    product.source_rows = anchors.size(0);
    product.entries = weights.numel();
    product.offsets = offsets.data_ptr<std::int64_t>();
    product.columns = met.data_ptr<std::int32_t>();
    product.values = turned.data_ptr<float>();
    product.x = anchors.data_ptr<float>();
    product.width = anchors.size(1);
    product.out = d_rows.data_ptr<float>();
    product.accumulate = same;
    gather.run(anchors, product);
    result[1] = d_rows;
    if (same) return result;
  }
  result[0] = own;
  return result;
}

void PairGradient::release_variables() {
  anchors.reset();
  coefficients.reset();
  d_anchors.reset();
}

}  // namespace creg
