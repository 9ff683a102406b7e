#include "ops/gat.h"

#include <ATen/Parallel.h>
#include <torch/types.h>

#include <vector>

#include "kernels/gat.h"
#include "ops/products/column_sums.h"
#include "ops/products/parallel_rows.h"
#include "ops/runtime/autograd_node.h"

namespace creg {
namespace {

using torch::autograd::Node;
using torch::autograd::variable_list;

constexpr std::int64_t slot_grain = 256;

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

  cpu::GatShape shape() const {
    return {.heads = heads(),
            .channels = att_source.size(1),
            .order = options.order.defined() ? options.order.data_ptr<std::int32_t>() : nullptr,
            .negative_slope = options.negative_slope};
  }

  cpu::GatRows rows(const CsrTensors& csr) const {
    return {.offsets = csr.offsets.data_ptr<std::int64_t>(),
            .columns = csr.columns.data_ptr<std::int32_t>(),
            .mask = options.mask.defined() ? options.mask.data_ptr<float>() : nullptr};
  }
};

cpu::GatScores score_pointers(const at::Tensor& scores) {
  auto* source = scores.data_ptr<float>();
  return {.source = source, .target = source + scores.numel() / 2};
}

at::Tensor forward(Attention& attention) {
  const cpu::GatShape shape = attention.shape();
  const CsrTensors& csr = attention.pattern.forward();
  const auto options = attention.z.options();
  const auto* z = attention.z.data_ptr<float>();
  attention.scores = at::empty({2, csr.cols, shape.heads}, options);
  attention.weights = at::empty({csr.nonzeros(), shape.heads}, options);
  at::Tensor out = at::empty({csr.rows, shape.width()}, options);

  const cpu::GatScores scores = score_pointers(attention.scores);
  const auto* att_source = attention.att_source.data_ptr<float>();
  const auto* att_target = attention.att_target.data_ptr<float>();
  at::parallel_for(0, csr.cols, slot_grain, [&](std::int64_t begin, std::int64_t end) {
    cpu::gat_scores(shape, z, att_source, att_target, scores, begin, end);
  });

  const cpu::GatRows rows = attention.rows(csr);
  auto* weights = attention.weights.data_ptr<float>();
  auto* result = out.data_ptr<float>();
  parallel_rows(rows.offsets, csr.rows, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> scratch(static_cast<std::size_t>(shape.heads));
    cpu::gat_forward(shape, rows, scores, z, weights, result, scratch.data(), begin, end);
  });
  return out;
}

struct GatBackward : public Node {
  Attention attention;

  variable_list apply(variable_list&& gradients) override {
    const at::NoGradGuard no_grad;
    variable_list result(3);
    if (!gradients[0].defined()) return result;
    TORCH_CHECK(attention.z.defined(),
                "gat_aggregate: a second backward pass needs retain_graph in the first");
    const at::Tensor d_out_tensor = gradients[0].contiguous();
    const auto* d_out = d_out_tensor.data_ptr<float>();
    const cpu::GatShape shape = attention.shape();
    const CsrTensors& csr = attention.pattern.forward();
    const auto* z = attention.z.data_ptr<float>();
    const auto* weights = attention.weights.data_ptr<float>();

    // Nodes that are no row have no incoming edges: their target part stays 0.
    const at::Tensor d_scores_tensor = at::zeros_like(attention.scores);
    const cpu::GatScores d_scores = score_pointers(d_scores_tensor);
    const at::Tensor d_entries_tensor = at::empty_like(attention.weights);
    auto* d_entries = d_entries_tensor.data_ptr<float>();
    const cpu::GatRows rows = attention.rows(csr);
    const cpu::GatScores scores = score_pointers(attention.scores);
    parallel_rows(rows.offsets, csr.rows, [&](std::int64_t begin, std::int64_t end) {
      std::vector<float> scratch(static_cast<std::size_t>(shape.heads));
      cpu::gat_score_gradients(shape, rows, scores, z, weights, d_out, d_entries, d_scores,
                               scratch.data(), begin, end);
    });

    const cpu::GatTransposed transposed{
        .rows = attention.rows(attention.pattern.transposed()),
        .linked = attention.pattern.linked_entries().data_ptr<std::int64_t>()};
    const auto* att_source = attention.att_source.data_ptr<float>();
    const auto* att_target = attention.att_target.data_ptr<float>();
    result[0] = at::empty_like(attention.z);
    auto* d_z = result[0].data_ptr<float>();
    parallel_rows(transposed.rows.offsets, csr.cols, [&](std::int64_t begin, std::int64_t end) {
      std::vector<float> scratch(static_cast<std::size_t>(4 * shape.heads));
      cpu::gat_source_gradients(shape, transposed, weights, d_out, d_entries, att_source,
                                att_target, d_scores, d_z, scratch.data(), begin, end);
    });

    const std::int64_t width = shape.width();
    const at::Tensor sums = summed_pieces(
        csr.cols, 2 * width, [&](std::int64_t begin, std::int64_t end, float* piece_sums) {
          cpu::gat_attention_gradients(shape, z, d_scores, piece_sums, piece_sums + width, begin,
                                       end);
        });
    const at::Tensor d_attention = sums.view({2, shape.heads, shape.channels});
    result[1] = d_attention[0];
    result[2] = d_attention[1];
    return result;
  }
  void release_variables() override { attention = {}; }
  std::string name() const override { return "creg::GatBackward"; }
};

bool is_float_matrix(const at::Tensor& tensor) {
  return tensor.defined() && tensor.dim() == 2 && tensor.scalar_type() == at::kFloat &&
         tensor.device().is_cpu();
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
