#include "creg/ops/aggregate.h"

#include <torch/types.h>

#include "kernels/aggregate.h"
#include "ops/products/column_sums.h"
#include "ops/runtime/autograd_node.h"
#include "ops/runtime/on_device.h"
#include "ops/runtime/pointers.h"

namespace creg {
namespace {

using torch::autograd::variable_list;

constexpr KernelOnDevice<const kernels::RowProduct&> multiply{
    {"aggregate", cpu::multiply, CREG_ON_CUDA(cuda::multiply)}};
constexpr KernelOnDevice<const kernels::RowActivation&> activate_rows{
    {"activate", cpu::activate, CREG_ON_CUDA(cuda::activate)}};
constexpr KernelOnDevice<const kernels::ActivationGradient&> activation_gradient{
    {"activate", cpu::activation_gradient, CREG_ON_CUDA(cuda::activation_gradient)}};

kernels::RowProduct product_of(const CsrTensors& csr, const at::Tensor& x, at::Tensor& out) {
  kernels::RowProduct product;
  product.rows = csr.rows;
  product.source_rows = csr.cols;
  product.entries = csr.nonzeros();
  product.offsets = csr.offsets.data_ptr<std::int64_t>();
  product.columns = csr.columns.data_ptr<std::int32_t>();
  product.values = pointer<float>(csr.values);
  product.x = x.data_ptr<float>();
  product.width = x.size(1);
  product.out = out.data_ptr<float>();
  return product;
}

kernels::Activation activation_of(const Epilogue& epilogue) {
  return {pointer<float>(epilogue.bias), epilogue.slope.data_ptr<float>(),
          epilogue.slope.numel() == 1 ? 0 : 1};
}

void check_epilogue(const Epilogue& epilogue, std::int64_t width) {
  TORCH_CHECK(!epilogue.bias.defined() || epilogue.bias.numel() == width, "aggregate: bias has ",
              epilogue.bias.numel(), " values for ", width, " columns");
  TORCH_CHECK(
      !epilogue.slope.defined() || epilogue.slope.numel() == 1 || epilogue.slope.numel() == width,
      "aggregate: slope has ", epilogue.slope.numel(), " values for ", width, " columns");
}

/// What bias and activation keep, and how the gradient goes back through them.
struct EpilogueGradient {
  at::Tensor pre;    ///< undefined: no activation
  at::Tensor slope;  ///< detached
  bool has_bias = false;

  /// d_pre, and the gradients of bias and slope where there are any.
  at::Tensor apply(const at::Tensor& d_out, at::Tensor& d_bias, at::Tensor& d_slope) const {
    if (!pre.defined()) {
      if (has_bias) d_bias = column_sums(d_out);
      return d_out;
    }
    const std::int64_t width = pre.size(1);
    at::Tensor d_pre = at::empty_like(pre);
    at::Tensor pieces = at::empty({kernels::sum_pieces(pre.size(0)), 2 * width}, pre.options());
    activation_gradient.run(pre, {.pre = pre.data_ptr<float>(),
                                  .d_out = d_out.data_ptr<float>(),
                                  .slope = slope.data_ptr<float>(),
                                  .slope_stride = slope.numel() == 1 ? 0 : 1,
                                  .rows = pre.size(0),
                                  .width = width,
                                  .d_pre = d_pre.data_ptr<float>(),
                                  .sums = pieces.data_ptr<float>()});
    const at::Tensor sums = column_sums(pieces);
    if (has_bias) d_bias = sums.narrow(0, 0, width);
    d_slope = sums.narrow(0, width, width);
    if (slope.numel() == 1) d_slope = d_slope.sum().reshape({1});
    return d_pre;
  }
};

struct AggregateBackward : public OnceDifferentiable {
  SparseMatrix matrix;
  EpilogueGradient epilogue;
  at::Tensor order;

  variable_list gradients(variable_list&& outputs) override {
    variable_list result(3);
    if (!outputs[0].defined()) return result;
    const at::Tensor d_pre = epilogue.apply(outputs[0].contiguous(), result[1], result[2]);
    if (task_should_compute_output(0)) {
      const CsrTensors& csr = matrix.transposed();
      at::Tensor d_x = at::empty({csr.rows, d_pre.size(1)}, d_pre.options());
      kernels::RowProduct product = product_of(csr, d_pre, d_x);
      product.scatter = pointer<std::int32_t>(order);
      multiply.run(d_pre, product);
      result[0] = d_x;
    }
    return result;
  }
  void release_variables() override { epilogue = {}; }
  std::string op() const override { return "a product with a sparse matrix"; }
  std::string name() const override { return "creg::AggregateBackward"; }
};

struct ActivateBackward : public OnceDifferentiable {
  EpilogueGradient epilogue;

  variable_list gradients(variable_list&& outputs) override {
    variable_list result(3);
    if (!outputs[0].defined()) return result;
    result[0] = epilogue.apply(outputs[0].contiguous(), result[1], result[2]);
    return result;
  }
  void release_variables() override { epilogue = {}; }
  std::string op() const override { return "activate"; }
  std::string name() const override { return "creg::ActivateBackward"; }
};

}  // namespace

namespace {

at::Tensor dense_product(const at::Tensor& matrix, const at::Tensor& x, const Epilogue& epilogue,
                         const at::Tensor& order) {
  const at::Tensor sums = at::mm(matrix, order.defined() ? x.index_select(0, order) : x);
  if (epilogue.slope.defined()) return activate(sums, epilogue);
  return epilogue.bias.defined() ? at::add(sums, epilogue.bias) : sums;
}

}  // namespace

at::Tensor aggregate(const SparseMatrix& matrix, const at::Tensor& x, const Epilogue& epilogue,
                     const at::Tensor& order) {
  const CsrTensors& csr = matrix.forward();
  TORCH_CHECK(x.dim() == 2 && x.scalar_type() == at::kFloat,
              "aggregate: x must be a float32 matrix");
  TORCH_CHECK(x.size(0) == csr.cols, "aggregate: the matrix has ", csr.cols, " columns, x has ",
              x.size(0), " rows");
  TORCH_CHECK(!order.defined() || (order.scalar_type() == at::kInt && order.numel() == csr.cols),
              "aggregate: order must hold one int32 per row of x");
  TORCH_CHECK(matrix.reversible() || !wants_gradient(x),
              "aggregate: x wants a gradient through a matrix made for forward products only");
  check_epilogue(epilogue, x.size(1));
  if (matrix.dense().defined()) return dense_product(matrix.dense(), x, epilogue, order);
  at::Tensor output;
  at::Tensor pre;
  {
    const at::NoGradGuard no_grad;
    const at::Tensor source = x.contiguous();
    at::Tensor sums = at::empty({csr.rows, x.size(1)}, x.options());
    kernels::RowProduct product = product_of(csr, source, sums);
    product.gather = pointer<std::int32_t>(order);
    output = sums;
    if (epilogue.slope.defined()) {
      pre = sums;
      output = at::empty_like(sums);
      product.activation = activation_of(epilogue);
      product.activated = output.data_ptr<float>();
    }
    multiply.run(source, product);
    if (epilogue.bias.defined() && !epilogue.slope.defined()) output.add_(epilogue.bias);
  }
  if (wants_gradient(x, epilogue.bias, epilogue.slope)) {
    auto node = make_node<AggregateBackward>(x, epilogue.bias, epilogue.slope);
    node->matrix = matrix;
    node->order = order;
    node->epilogue = {pre, epilogue.slope.defined() ? epilogue.slope.detach() : at::Tensor(),
                      epilogue.bias.defined()};
    attach(output, node);
  }
  return output;
}

at::Tensor activate(const at::Tensor& x, const Epilogue& epilogue) {
  TORCH_CHECK(x.dim() == 2 && x.scalar_type() == at::kFloat,
              "activate: x must be a float32 matrix");
  TORCH_CHECK(epilogue.slope.defined(), "activate: no slope");
  check_epilogue(epilogue, x.size(1));
  at::Tensor output;
  at::Tensor pre;
  {
    const at::NoGradGuard no_grad;
    const at::Tensor source = x.contiguous();
    pre = epilogue.bias.defined() ? at::empty_like(source) : source.detach();
    output = at::empty_like(source);
    activate_rows.run(x, {.activation = activation_of(epilogue),
                          .x = source.data_ptr<float>(),
                          .pre = pre.data_ptr<float>(),
                          .activated = output.data_ptr<float>(),
                          .rows = x.size(0),
                          .width = x.size(1)});
  }
  if (wants_gradient(x, epilogue.bias, epilogue.slope)) {
    auto node = make_node<ActivateBackward>(x, epilogue.bias, epilogue.slope);
    node->epilogue = {pre, epilogue.slope.detach(), epilogue.bias.defined()};
    attach(output, node);
  }
  return output;
}

}  // namespace creg
