#include "ops/gat.h"

#include <torch/types.h>

#include "kernels/aggregate.h"
#include "kernels/gat.h"
#include "ops/products/column_sums.h"
#include "ops/runtime/autograd_node.h"
#include "ops/runtime/on_device.h"
#include "ops/runtime/pointers.h"

namespace creg {
namespace {

using torch::autograd::variable_list;

constexpr KernelOnDevice<const kernels::GatInputs&, float*> gat_forward{
    {"gat_aggregate", cpu::gat_forward, CREG_ON_CUDA(cuda::gat_forward)}};
constexpr KernelOnDevice<const kernels::GatGradient&> gat_backward{
    {"gat_aggregate", cpu::gat_backward, CREG_ON_CUDA(cuda::gat_backward)}};

kernels::GatScores score_pointers(const at::Tensor& scores) {
  auto* source = scores.data_ptr<float>();
  return {.source = source, .target = source + scores.numel() / 2};
}

/// What both passes see, all detached and contiguous.
struct Attention {
  SparseMatrix pattern;
  at::Tensor z;
  at::Tensor att_source;
  at::Tensor att_target;
  GatOptions options;
  at::Tensor scores;   ///< [2, m, heads]: as source, as target
  at::Tensor weights;  ///< [entries, heads], before the mask

  std::int64_t heads() const { return att_source.size(0); }

  kernels::GatRows rows(const CsrTensors& csr) const {
    return {.rows = csr.rows,
            .offsets = csr.offsets.data_ptr<std::int64_t>(),
            .columns = csr.columns.data_ptr<std::int32_t>(),
            .mask = pointer<float>(options.mask)};
  }

  kernels::GatInputs inputs() const {
    const CsrTensors& csr = pattern.forward();
    return {.shape = {.heads = heads(),
                      .channels = att_source.size(1),
                      .order = pointer<std::int32_t>(options.order),
                      .negative_slope = options.negative_slope},
            .rows = rows(csr),
            .slots = csr.cols,
            .z = z.data_ptr<float>(),
            .att_source = att_source.data_ptr<float>(),
            .att_target = att_target.data_ptr<float>(),
            .scores = score_pointers(scores),
            .weights = weights.data_ptr<float>()};
  }
};

at::Tensor forward(Attention& attention) {
  const CsrTensors& csr = attention.pattern.forward();
  const auto options = attention.z.options();
  attention.scores = at::empty({2, csr.cols, attention.heads()}, options);
  attention.weights = at::empty({csr.nonzeros(), attention.heads()}, options);
  at::Tensor out = at::empty({csr.rows, attention.z.size(1)}, options);
  gat_forward.run(attention.z, attention.inputs(), out.data_ptr<float>());
  return out;
}

struct GatBackward : public OnceDifferentiable {
  Attention attention;

  variable_list gradients(variable_list&& outputs) override {
    variable_list result(3);
    if (!outputs[0].defined()) return result;
    TORCH_CHECK(attention.z.defined(),
                "gat_aggregate: a second backward pass needs retain_graph in the first");
    const at::Tensor d_out = outputs[0].contiguous();
    const CsrTensors& csr = attention.pattern.forward();
    const std::int64_t width = attention.z.size(1);
    // Nodes that are no row have no incoming edges: their target part stays 0.
    const at::Tensor d_scores = at::zeros_like(attention.scores);
    const at::Tensor d_entries = at::empty_like(attention.weights);
    const at::Tensor pieces =
        at::empty({kernels::sum_pieces(csr.cols), 2 * width}, attention.z.options());
    result[0] = at::empty_like(attention.z);
    gat_backward.run(attention.z,
                     {.inputs = attention.inputs(),
                      .transposed = attention.rows(attention.pattern.transposed()),
                      .linked = attention.pattern.linked_entries().data_ptr<std::int64_t>(),
                      .d_out = d_out.data_ptr<float>(),
                      .d_scores = score_pointers(d_scores),
                      .d_entries = d_entries.data_ptr<float>(),
                      .d_z = result[0].data_ptr<float>(),
                      .sums = pieces.data_ptr<float>()});
    const at::Tensor d_attention =
        column_sums(pieces).view({2, attention.heads(), attention.att_source.size(1)});
    result[1] = d_attention[0];
    result[2] = d_attention[1];
    return result;
  }
  void release_variables() override { attention = {}; }
  std::string op() const override { return "gat_aggregate"; }
  std::string name() const override { return "creg::GatBackward"; }
};

bool is_float_matrix(const at::Tensor& tensor) {
  return tensor.defined() && tensor.dim() == 2 && tensor.scalar_type() == at::kFloat;
}

void check(const SparseMatrix& pattern, const at::Tensor& z, const at::Tensor& att_source,
           const at::Tensor& att_target, const GatOptions& options) {
  const CsrTensors& csr = pattern.forward();
  TORCH_CHECK(is_float_matrix(z), "gat_aggregate: z must be a float32 matrix");
  TORCH_CHECK(z.size(0) == csr.cols, "gat_aggregate: the pattern has ", csr.cols,
              " columns, z has ", z.size(0), " rows");
  TORCH_CHECK(csr.rows <= csr.cols, "gat_aggregate: the pattern has ", csr.rows, " rows and only ",
              csr.cols, " columns");
  TORCH_CHECK(pattern.linked_entries().defined(),
              "gat_aggregate: the pattern must be made with linked entries");
  TORCH_CHECK(is_float_matrix(att_source) && is_float_matrix(att_target) &&
                  att_source.sizes() == att_target.sizes(),
              "gat_aggregate: both attention vectors must be float32 [heads, channels]");
  TORCH_CHECK(att_source.numel() == z.size(1), "gat_aggregate: ", att_source.size(0), " heads of ",
              att_source.size(1), " channels do not make the ", z.size(1), " columns of z");
  TORCH_CHECK(!options.order.defined() ||
                  (options.order.scalar_type() == at::kInt && options.order.numel() == csr.cols),
              "gat_aggregate: order must hold one int32 per row of z");
  TORCH_CHECK(!options.mask.defined() ||
                  (is_float_matrix(options.mask) && options.mask.size(0) == csr.nonzeros() &&
                   options.mask.size(1) == att_source.size(0)),
              "gat_aggregate: the mask must be float32 [", csr.nonzeros(), ", ", att_source.size(0),
              "]");
}

}  // namespace

at::Tensor gat_aggregate(const SparseMatrix& pattern, const at::Tensor& z,
                         const at::Tensor& att_source, const at::Tensor& att_target,
                         const GatOptions& options) {
  check(pattern, z, att_source, att_target, options);
  Attention attention{.pattern = pattern,
                      .z = z.detach().contiguous(),
                      .att_source = att_source.detach().contiguous(),
                      .att_target = att_target.detach().contiguous(),
                      .options = options};
  if (options.order.defined()) attention.options.order = options.order.contiguous();
  if (options.mask.defined()) attention.options.mask = options.mask.detach().contiguous();
  at::Tensor out;
  {
    const at::NoGradGuard no_grad;
    out = forward(attention);
  }
  if (wants_gradient(z, att_source, att_target)) {
    auto node = make_node<GatBackward>(z, att_source, att_target);
    node->attention = std::move(attention);
    attach(out, node);
  }
  return out;
}

}  // namespace creg
