#include "ops/edge_loss.h"

#include <torch/types.h>

#include "kernels/pair.h"
#include "ops/losses/pair_gradient.h"
#include "ops/runtime/on_device.h"

namespace creg {
namespace {

constexpr KernelOnDevice<const kernels::EdgeScores&> edge_scoring{
    {"edge_loss", cpu::score_edges, CREG_ON_CUDA(cuda::score_edges)}};
constexpr KernelOnDevice<const kernels::EdgeScores&, const kernels::TurnedPairs&> edge_turning{
    {"edge_loss", cpu::turn_edges, CREG_ON_CUDA(cuda::turn_edges)}};

/// Who meets whom, with these coefficients.
kernels::EdgeScores edge_scores(const CsrTensors& pairs, const at::Tensor& coefficients) {
  kernels::EdgeScores scores;
  scores.count = pairs.rows;
  scores.pairs = pairs.nonzeros();
  scores.offsets = pairs.offsets.data_ptr<std::int64_t>();
  scores.columns = pairs.columns.data_ptr<std::int32_t>();
  scores.coefficients = coefficients.data_ptr<float>();
  return scores;
}

struct EdgeLossBackward : public PairGradient {
  CsrTensors pairs;

  void turn(const at::Tensor& weights, const kernels::TurnedPairs& turned) const override {
    edge_turning.run(weights, edge_scores(pairs, weights), turned);
  }
  std::string op() const override { return "edge_loss"; }
  std::string name() const override { return "creg::EdgeLossBackward"; }
};

}  // namespace

EdgeLoss edge_loss(const at::Tensor& anchors, const at::Tensor& rows, const CsrTensors& pairs,
                   int target, double scale, LogForm form) {
  TORCH_CHECK(anchors.dim() == 2 && rows.dim() == 2 && anchors.size(1) == rows.size(1) &&
                  anchors.scalar_type() == at::kFloat && rows.scalar_type() == at::kFloat,
              "edge_loss: anchors and rows must be float32 matrices of one width");
  TORCH_CHECK(pairs.rows == anchors.size(0) && pairs.cols == rows.size(0), "edge_loss: pairs of ",
              pairs.rows, " and ", pairs.cols, " for ", anchors.size(0), " anchors and ",
              rows.size(0), " rows");
  TORCH_CHECK(pairs.nonzeros() > 0, "edge_loss: there are no pairs");

  const bool gradient = wants_gradient(anchors, rows);
  EdgeLoss result;
  at::Tensor coefficients;
  at::Tensor d_anchors;
  at::Tensor left;
  {
    const at::NoGradGuard no_grad;
    left = anchors.contiguous().detach();
    const at::Tensor right = rows.contiguous();
    const auto floats = left.options();
    coefficients = at::empty({pairs.nonzeros()}, floats);
    if (gradient) d_anchors = at::empty_like(left);
    result.loss = at::empty({}, floats);
    result.sigma = at::empty({}, floats.dtype(at::kDouble));
    kernels::EdgeScores scores = edge_scores(pairs, coefficients);
    scores.anchors = left.data_ptr<float>();
    scores.rows = right.data_ptr<float>();
    scores.width = left.size(1);
    scores.scale = static_cast<float>(scale);
    scores.share = 1.0F / static_cast<float>(pairs.nonzeros());
    scores.positive = target > 0;
    scores.naive = form == LogForm::naive;
    scores.d_anchors = gradient ? d_anchors.data_ptr<float>() : nullptr;
    scores.loss = result.loss.data_ptr<float>();
    scores.sigma = result.sigma.data_ptr<double>();
    edge_scoring.run(left, scores);
  }
  if (gradient) {
    auto node = make_node<EdgeLossBackward>(anchors, rows);
    node->pairs = pairs;
    node->anchors = left;
    node->coefficients = coefficients;
    node->d_anchors = d_anchors;
    node->rows = rows.size(0);
    node->same = anchors.is_same(rows);
    attach(result.loss, node);
  }
  return result;
}

}  // namespace creg
