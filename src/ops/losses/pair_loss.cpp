#include "creg/ops/pair_loss.h"

#include <torch/types.h>

#include <algorithm>

#include "kernels/aggregate.h"
#include "kernels/pair.h"
#include "ops/losses/pair_gradient.h"
#include "ops/products/column_sums.h"
#include "ops/runtime/on_device.h"
#include "ops/runtime/pointers.h"

namespace creg {
namespace {

using torch::autograd::variable_list;

constexpr KernelOnDevice<const kernels::PairScores&> pair_scoring{
    {"pair_loss", cpu::score_pairs, CREG_ON_CUDA(cuda::score_pairs)}};
constexpr KernelOnDevice<const kernels::PairScores&, const kernels::TurnedPairs&> pair_turning{
    {"pair_loss", cpu::turn_pairs, CREG_ON_CUDA(cuda::turn_pairs)}};
constexpr KernelOnDevice<const kernels::DirectionScores&> direction_scoring{
    {"direction_loss", cpu::score_direction, CREG_ON_CUDA(cuda::score_direction)}};
constexpr KernelOnDevice<const kernels::DirectionGradient&> direction_slopes{
    {"direction_loss", cpu::direction_gradient, CREG_ON_CUDA(cuda::direction_gradient)}};

/// Who meets whom, with these coefficients.
kernels::PairScores pair_scores(const Pairs& pairs, const at::Tensor& coefficients) {
  kernels::PairScores scores;
  scores.count = pairs.positives.size(0);
  scores.ids = pointer<std::int32_t>(pairs.anchors);
  scores.positives = pairs.positives.data_ptr<std::int32_t>();
  scores.negatives = pairs.negatives.data_ptr<std::int32_t>();
  scores.positive_count = static_cast<int>(pairs.positives.size(1));
  scores.negative_count = static_cast<int>(pairs.negatives.size(1));
  scores.coefficients = coefficients.data_ptr<float>();
  return scores;
}

struct PairLossBackward : public PairGradient {
  Pairs pairs;

  void turn(const at::Tensor& weights, const kernels::TurnedPairs& turned) const override {
    pair_turning.run(weights, pair_scores(pairs, weights), turned);
  }
  std::string op() const override { return "pair_loss"; }
  std::string name() const override { return "creg::PairLossBackward"; }
};

void check_indices(const at::Tensor& ids, std::int64_t count, const char* what) {
  TORCH_CHECK(ids.scalar_type() == at::kInt && ids.dim() == 2 && ids.is_contiguous() &&
                  ids.size(0) == count && ids.size(1) > 0,
              "pair_loss: ", what, " must be a contiguous int32 matrix with one row per anchor");
}

}  // namespace

PairLoss pair_loss(const at::Tensor& anchors, const at::Tensor& rows, const Pairs& pairs,
                   double scale, LogForm form) {
  TORCH_CHECK(anchors.dim() == 2 && rows.dim() == 2 && anchors.size(1) == rows.size(1) &&
                  anchors.scalar_type() == at::kFloat && rows.scalar_type() == at::kFloat,
              "pair_loss: anchors and rows must be float32 matrices of one width");
  const std::int64_t count = pairs.positives.size(0);
  check_indices(pairs.positives, count, "positives");
  check_indices(pairs.negatives, count, "negatives");
  TORCH_CHECK(pairs.anchors.defined() || count <= anchors.size(0), "pair_loss: ", count,
              " pairs for ", anchors.size(0), " anchors");

  const bool gradient = wants_gradient(anchors, rows);
  const bool same = anchors.is_same(rows);
  PairLoss result;
  at::Tensor coefficients;
  at::Tensor d_anchors;
  at::Tensor left;
  {
    const at::NoGradGuard no_grad;
    left = anchors.contiguous().detach();
    const at::Tensor right = rows.contiguous();
    const auto floats = left.options();
    coefficients = at::empty({count, pairs.positives.size(1) + pairs.negatives.size(1)}, floats);
    if (gradient) {
      // Rows that are no anchor keep a zero gradient.
      d_anchors = count == left.size(0) ? at::empty_like(left) : at::zeros_like(left);
    }
    result.loss = at::empty({}, floats);
    result.positive_sigma = at::empty({}, floats.dtype(at::kDouble));
    result.negative_sigma = at::empty({}, floats.dtype(at::kDouble));
    kernels::PairScores scores = pair_scores(pairs, coefficients);
    scores.anchors = left.data_ptr<float>();
    scores.rows = right.data_ptr<float>();
    scores.width = left.size(1);
    scores.scale = static_cast<float>(scale);
    scores.share = 1.0F / static_cast<float>(std::max<std::int64_t>(count, 1));
    scores.naive = form == LogForm::naive;
    scores.d_anchors = gradient ? d_anchors.data_ptr<float>() : nullptr;
    scores.loss = result.loss.data_ptr<float>();
    scores.positive_sigma = result.positive_sigma.data_ptr<double>();
    scores.negative_sigma = result.negative_sigma.data_ptr<double>();
    pair_scoring.run(left, scores);
  }
  if (gradient) {
    auto node = make_node<PairLossBackward>(anchors, rows);
    node->pairs = pairs;
    node->anchors = left;
    node->coefficients = coefficients;
    node->d_anchors = d_anchors;
    node->rows = rows.size(0);
    node->same = same;
    attach(result.loss, node);
  }
  return result;
}

namespace {

struct DirectionLossBackward : public OnceDifferentiable {
  at::Tensor h;  // detached, as u
  at::Tensor u;
  at::Tensor coefficients;

  variable_list gradients(variable_list&& outputs) override {
    variable_list result(2);
    if (!outputs[0].defined()) return result;
    const at::Tensor weights = scaled(coefficients, outputs[0]);
    at::Tensor pieces;
    if (task_should_compute_output(0)) result[0] = at::empty_like(h);
    if (task_should_compute_output(1)) {
      pieces = at::empty({kernels::sum_pieces(h.size(0)), h.size(1)}, h.options());
    }
    direction_slopes.run(h, {.count = h.size(0),
                             .width = h.size(1),
                             .h = h.data_ptr<float>(),
                             .u = u.data_ptr<float>(),
                             .coefficients = weights.data_ptr<float>(),
                             .d_h = result[0].defined() ? result[0].data_ptr<float>() : nullptr,
                             .sums = pieces.defined() ? pieces.data_ptr<float>() : nullptr});
    if (pieces.defined()) result[1] = column_sums(pieces);
    return result;
  }
  void release_variables() override {
    h.reset();
    coefficients.reset();
  }
  std::string op() const override { return "direction_loss"; }
  std::string name() const override { return "creg::DirectionLossBackward"; }
};

}  // namespace

at::Tensor direction_loss(const at::Tensor& h, const at::Tensor& u, int target, LogForm form) {
  TORCH_CHECK(h.dim() == 2 && u.dim() == 1 && h.size(1) == u.size(0) &&
                  h.scalar_type() == at::kFloat && u.scalar_type() == at::kFloat,
              "direction_loss: h must be float32 [n, d] and u float32 [d]");
  at::Tensor loss;
  at::Tensor coefficients;
  at::Tensor left;
  at::Tensor right;
  {
    const at::NoGradGuard no_grad;
    left = h.contiguous().detach();
    right = u.contiguous().detach();
    coefficients = at::empty({h.size(0)}, left.options());
    loss = at::empty({}, left.options());
    direction_scoring.run(left,
                          {.count = h.size(0),
                           .width = h.size(1),
                           .h = left.data_ptr<float>(),
                           .u = right.data_ptr<float>(),
                           .target = static_cast<float>(target),
                           .share = 1.0F / static_cast<float>(std::max<std::int64_t>(h.size(0), 1)),
                           .naive = form == LogForm::naive,
                           .coefficients = coefficients.data_ptr<float>(),
                           .loss = loss.data_ptr<float>()});
  }
  if (wants_gradient(h, u)) {
    auto node = make_node<DirectionLossBackward>(h, u);
    node->h = left;
    node->u = right;
    node->coefficients = coefficients;
    attach(loss, node);
  }
  return loss;
}

}  // namespace creg
