#include "creg/ops/aggregate.h"

#include <ATen/Parallel.h>
#include <torch/types.h>

#include <algorithm>
#include <vector>

#include "kernels/aggregate.h"
#include "kernels/panel.h"
#include "ops/products/column_sums.h"
#include "ops/products/parallel_rows.h"
#include "ops/runtime/autograd_node.h"

namespace creg {
namespace {

using torch::autograd::Node;
using torch::autograd::variable_list;

template <class T>
const T* pointer(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.data_ptr<T>() : nullptr;
}

/// Per row of M the entries whose columns lie in [from, to); columns ascend.
void entries_between(const cpu::RowProduct& product, std::int64_t rows, std::int64_t from,
                     std::int64_t to, std::vector<std::int64_t>& starts,
                     std::vector<std::int64_t>& ends) {
  at::parallel_for(0, rows, 256, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      const std::int32_t* const first = product.columns + starts[r];
      const std::int32_t* const last = product.columns + product.offsets[r + 1];
      starts[r] = std::lower_bound(first, last, from) - product.columns;
      ends[r] = std::lower_bound(product.columns + starts[r], last, to) - product.columns;
    }
  });
}

/// Rows of X in a panel: it stays in the second-level cache.
constexpr std::int64_t panel_rows = (std::int64_t{384} << 10) / (4 * cpu::panel_width);

/// Long rows over X: every element of X is used by many of them, so a panel of it that stays in the
/// cache is copied together first.
void multiply_in_panels(const cpu::RowProduct& product, std::int64_t rows,
                        std::int64_t source_rows) {
  const std::int64_t panels = (product.width + cpu::panel_width - 1) / cpu::panel_width;
  // With more threads than panels the rows of M are shared out too; each piece packs for itself.
  const std::int64_t pieces = std::max<std::int64_t>(1, at::get_num_threads() / panels);
  std::vector<std::int64_t> starts(product.offsets, product.offsets + rows);
  std::vector<std::int64_t> ends(product.offsets + 1, product.offsets + rows + 1);
  for (std::int64_t from = 0; from < source_rows || from == 0; from += panel_rows) {
    const std::int64_t to = std::min(from + panel_rows, source_rows);
    if (source_rows > panel_rows) entries_between(product, rows, from, to, starts, ends);
    at::parallel_for(0, panels * pieces, 1, [&](std::int64_t begin, std::int64_t end) {
      std::vector<float> panel(static_cast<std::size_t>((to - from) * cpu::panel_width));
      for (std::int64_t task = begin; task < end; ++task) {
        cpu::PanelProduct part;
        part.column = task / pieces * cpu::panel_width;
        part.count = std::min(cpu::panel_width, product.width - part.column);
        // Tasks of one panel follow each other.
        if (task == begin || task % pieces == 0) {
          cpu::pack_panel(product.x, product.width, from, to, part.column, part.count,
                          panel.data());
        }
        part.starts = starts.data();
        part.ends = ends.data();
        part.columns = product.columns;
        part.values = product.values;
        part.first_row = from;
        part.panel = panel.data();
        part.out = product.out;
        part.width = product.width;
        part.accumulate = product.accumulate || from > 0;
        const std::int64_t piece = task % pieces;
        cpu::multiply_panel(part, rows * piece / pieces, rows * (piece + 1) / pieces);
      }
    });
  }
}

void multiply(const cpu::RowProduct& product, std::int64_t rows, std::int64_t source_rows) {
  // Panels pay where a row has several entries in each, and each row of X is copied for many.
  constexpr std::int64_t entries_per_panel = 8;
  constexpr std::int64_t uses_per_copy = 12;
  const std::int64_t entries = product.offsets[rows];
  const std::int64_t panels = (source_rows + panel_rows - 1) / panel_rows;
  const bool plain =
      product.gather == nullptr && product.scatter == nullptr && product.activated == nullptr;
  if (plain && entries > entries_per_panel * rows * panels &&
      entries > uses_per_copy * source_rows) {
    multiply_in_panels(product, rows, source_rows);
    return;
  }
  parallel_rows(product.offsets, rows, [&](std::int64_t begin, std::int64_t end) {
    cpu::multiply_rows(product, begin, end);
  });
}

cpu::RowProduct product_of(const CsrTensors& csr, const at::Tensor& x, at::Tensor& out) {
  cpu::RowProduct product;
  product.offsets = csr.offsets.data_ptr<std::int64_t>();
  product.columns = csr.columns.data_ptr<std::int32_t>();
  product.values = pointer<float>(csr.values);
  product.x = x.data_ptr<float>();
  product.width = x.size(1);
  product.out = out.data_ptr<float>();
  return product;
}

cpu::Activation activation_of(const Epilogue& epilogue) {
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
    const std::int64_t rows = pre.size(0);
    const std::int64_t width = pre.size(1);
    at::Tensor d_pre = at::empty_like(pre);
    cpu::ActivationGradient gradient;
    gradient.pre = pre.data_ptr<float>();
    gradient.d_out = d_out.data_ptr<float>();
    gradient.slope = slope.data_ptr<float>();
    gradient.slope_stride = slope.numel() == 1 ? 0 : 1;
    gradient.width = width;
    gradient.d_pre = d_pre.data_ptr<float>();
    const at::Tensor sums = summed_pieces(
        rows, 2 * width, [&](std::int64_t begin, std::int64_t end, float* piece_sums) {
          cpu::activation_gradient_rows(gradient, begin, end, piece_sums, piece_sums + width);
        });
    if (has_bias) d_bias = sums.narrow(0, 0, width);
    d_slope = sums.narrow(0, width, width);
    if (slope.numel() == 1) d_slope = d_slope.sum().reshape({1});
    return d_pre;
  }
};

struct AggregateBackward : public Node {
  SparseMatrix matrix;
  EpilogueGradient epilogue;
  at::Tensor order;

  variable_list apply(variable_list&& gradients) override {
    const at::NoGradGuard no_grad;
    variable_list result(3);
    if (!gradients[0].defined()) return result;
    const at::Tensor d_pre = epilogue.apply(gradients[0].contiguous(), result[1], result[2]);
    if (task_should_compute_output(0)) {
      const CsrTensors& csr = matrix.transposed();
      at::Tensor d_x = at::empty({csr.rows, d_pre.size(1)}, d_pre.options());
      cpu::RowProduct product = product_of(csr, d_pre, d_x);
      product.scatter = pointer<std::int32_t>(order);
      multiply(product, csr.rows, d_pre.size(0));
      result[0] = d_x;
    }
    return result;
  }
  void release_variables() override { epilogue = {}; }
  std::string name() const override { return "creg::AggregateBackward"; }
};

struct ActivateBackward : public Node {
  EpilogueGradient epilogue;

  variable_list apply(variable_list&& gradients) override {
    const at::NoGradGuard no_grad;
    variable_list result(3);
    if (!gradients[0].defined()) return result;
    result[0] = epilogue.apply(gradients[0].contiguous(), result[1], result[2]);
    return result;
  }
  void release_variables() override { epilogue = {}; }
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
    cpu::RowProduct product = product_of(csr, source, sums);
    product.gather = pointer<std::int32_t>(order);
    output = sums;
    if (epilogue.slope.defined()) {
      pre = sums;
      output = at::empty_like(sums);
      product.activation = activation_of(epilogue);
      product.activated = output.data_ptr<float>();
    }
    multiply(product, csr.rows, csr.cols);
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
    const cpu::Activation activation = activation_of(epilogue);
    const float* const from = source.data_ptr<float>();
    float* const kept = pre.data_ptr<float>();
    float* const to = output.data_ptr<float>();
    at::parallel_for(0, x.size(0), rows_per_sum, [&](std::int64_t begin, std::int64_t end) {
      cpu::activate_rows(activation, from, kept, to, x.size(1), begin, end);
    });
  }
  if (wants_gradient(x, epilogue.bias, epilogue.slope)) {
    auto node = make_node<ActivateBackward>(x, epilogue.bias, epilogue.slope);
    node->epilogue = {pre, epilogue.slope.detach(), epilogue.bias.defined()};
    attach(output, node);
  }
  return output;
}

}  // namespace creg
