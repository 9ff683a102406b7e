#include "ops/edge_loss.h"

#include <ATen/Parallel.h>
#include <torch/types.h>

#include <algorithm>
#include <utility>

#include "kernels/pair.h"
#include "ops/losses/pair_gradient.h"

namespace creg {
namespace {

struct EdgeLossBackward : public PairGradient {
  std::shared_ptr<const PairRows> pairs;

  MetBy met_by() const override {
    MetBy met(rows, pairs->size());
    for (const std::int32_t y : pairs->columns) met.count(y);
    met.start_putting();
    const float* const weights = coefficients.data_ptr<float>();
    for (std::size_t a = 0; a + 1 < pairs->offsets.size(); ++a) {
      for (std::int64_t e = pairs->offsets[a]; e < pairs->offsets[a + 1]; ++e) {
        met.put(pairs->columns[static_cast<std::size_t>(e)], static_cast<std::int32_t>(a),
                weights[e]);
      }
    }
    return met;
  }
  std::string name() const override { return "creg::EdgeLossBackward"; }
};

}  // namespace

EdgeLoss edge_loss(const at::Tensor& anchors, const at::Tensor& rows,
                   std::shared_ptr<const PairRows> pairs, int target, double scale, LogForm form) {
  TORCH_CHECK(anchors.dim() == 2 && rows.dim() == 2 && anchors.size(1) == rows.size(1) &&
                  anchors.scalar_type() == at::kFloat && rows.scalar_type() == at::kFloat,
              "edge_loss: anchors and rows must be float32 matrices of one width");
  const std::int64_t count = anchors.size(0);
  TORCH_CHECK(static_cast<std::int64_t>(pairs->offsets.size()) == count + 1,
              "edge_loss: ", pairs->offsets.size(), " offsets for ", count, " anchors");
  TORCH_CHECK(pairs->size() > 0, "edge_loss: there are no pairs");

  const bool gradient = wants_gradient(anchors, rows);
  EdgeLoss result;
  at::Tensor coefficients;
  at::Tensor d_anchors;
  at::Tensor left;
  {
    const at::NoGradGuard no_grad;
    left = anchors.contiguous().detach();
    const at::Tensor right = rows.contiguous();
    coefficients = at::empty({pairs->size()});
    if (gradient) d_anchors = at::empty_like(left);
    cpu::EdgeScores scores;
    scores.anchors = left.data_ptr<float>();
    scores.rows = right.data_ptr<float>();
    scores.offsets = pairs->offsets.data();
    scores.columns = pairs->columns.data();
    scores.width = left.size(1);
    scores.scale = static_cast<float>(scale);
    scores.share = 1.0F / static_cast<float>(pairs->size());
    scores.positive = target > 0;
    scores.naive = form == LogForm::naive;
    scores.coefficients = coefficients.data_ptr<float>();
    scores.d_anchors = gradient ? d_anchors.data_ptr<float>() : nullptr;
    const std::int64_t pieces = (count + anchors_per_sum - 1) / anchors_per_sum;
    std::vector<cpu::EdgeSums> sums(static_cast<std::size_t>(pieces));
    at::parallel_for(0, pieces, 1, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t piece = first; piece < last; ++piece) {
        sums[static_cast<std::size_t>(piece)] = cpu::score_edges(
            scores, piece * anchors_per_sum, std::min((piece + 1) * anchors_per_sum, count));
      }
    });
    cpu::EdgeSums total;
    for (const cpu::EdgeSums& sum : sums) {
      total.loss += sum.loss;
      total.sigma += sum.sigma;
    }
    const auto seen = static_cast<double>(pairs->size());
    result.loss = at::full({}, total.loss / seen, at::kFloat);
    result.sigma = at::full({}, total.sigma / seen, at::kDouble);
  }
  if (gradient) {
    auto node = make_node<EdgeLossBackward>(anchors, rows);
    node->pairs = std::move(pairs);
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
