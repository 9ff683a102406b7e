#include "creg/ops/pair_loss.h"

#include <ATen/Parallel.h>
#include <torch/types.h>

#include <algorithm>
#include <vector>

#include "kernels/pair.h"
#include "ops/losses/pair_gradient.h"
#include "ops/products/column_sums.h"

namespace creg {
namespace {

using torch::autograd::Node;
using torch::autograd::variable_list;

struct PairLossBackward : public PairGradient {
  Pairs pairs;

  MetBy met_by() const override {
    const std::int64_t count = pairs.positives.size(0);
    const std::int64_t positives = pairs.positives.size(1);
    const std::int64_t negatives = pairs.negatives.size(1);
    const std::int64_t per_anchor = positives + negatives;
    const auto* const positive = pairs.positives.data_ptr<std::int32_t>();
    const auto* const negative = pairs.negatives.data_ptr<std::int32_t>();
    const auto* const ids =
        pairs.anchors.defined() ? pairs.anchors.data_ptr<std::int32_t>() : nullptr;
    const auto* const weights = coefficients.data_ptr<float>();
    MetBy met(rows, count * per_anchor);
    for (std::int64_t i = 0; i < count * positives; ++i) met.count(positive[i]);
    for (std::int64_t i = 0; i < count * negatives; ++i) met.count(negative[i]);
    met.start_putting();
    for (std::int64_t m = 0; m < count; ++m) {
      const std::int32_t id = ids == nullptr ? static_cast<std::int32_t>(m) : ids[m];
      for (std::int64_t e = 0; e < per_anchor; ++e) {
        const std::int32_t y =
            e < positives ? positive[m * positives + e] : negative[m * negatives + e - positives];
        met.put(y, id, weights[m * per_anchor + e]);
      }
    }
    return met;
  }
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
    coefficients = at::empty({count, pairs.positives.size(1) + pairs.negatives.size(1)});
    if (gradient) {
      // Rows that are no anchor keep a zero gradient.
      d_anchors = count == left.size(0) ? at::empty_like(left) : at::zeros_like(left);
    }
    cpu::PairScores scores;
    scores.anchors = left.data_ptr<float>();
    scores.rows = right.data_ptr<float>();
    scores.ids = pairs.anchors.defined() ? pairs.anchors.data_ptr<std::int32_t>() : nullptr;
    scores.positives = pairs.positives.data_ptr<std::int32_t>();
    scores.negatives = pairs.negatives.data_ptr<std::int32_t>();
    scores.positive_count = static_cast<int>(pairs.positives.size(1));
    scores.negative_count = static_cast<int>(pairs.negatives.size(1));
    scores.width = left.size(1);
    scores.scale = static_cast<float>(scale);
    scores.share = 1.0F / static_cast<float>(std::max<std::int64_t>(count, 1));
    scores.naive = form == LogForm::naive;
    scores.coefficients = coefficients.data_ptr<float>();
    scores.d_anchors = gradient ? d_anchors.data_ptr<float>() : nullptr;

    const std::int64_t pieces = (count + anchors_per_sum - 1) / anchors_per_sum;
    std::vector<cpu::PairSums> sums(static_cast<std::size_t>(pieces));
    at::parallel_for(0, pieces, 1, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t piece = first; piece < last; ++piece) {
        sums[piece] = cpu::score_pairs(scores, piece * anchors_per_sum,
                                       std::min((piece + 1) * anchors_per_sum, count));
      }
    });
    cpu::PairSums total;
    for (const cpu::PairSums& sum : sums) {
      total.loss += sum.loss;
      total.positive_sigma += sum.positive_sigma;
      total.negative_sigma += sum.negative_sigma;
    }
    const double anchors_seen = static_cast<double>(std::max<std::int64_t>(count, 1));
    result.loss = at::full({}, total.loss / anchors_seen, at::kFloat);
    result.positive_sigma = at::full({}, total.positive_sigma / anchors_seen, at::kDouble);
    const double negatives_seen = anchors_seen * static_cast<double>(pairs.negatives.size(1));
    result.negative_sigma = at::full({}, total.negative_sigma / negatives_seen, at::kDouble);
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

struct DirectionLossBackward : public Node {
  at::Tensor h;  // detached, as u
  at::Tensor u;
  at::Tensor coefficients;

  variable_list apply(variable_list&& gradients) override {
    const at::NoGradGuard no_grad;
    variable_list result(2);
    if (!gradients[0].defined()) return result;
    const double upstream = gradients[0].item<double>();
    if (upstream != 1.0) coefficients = coefficients * upstream;
    const std::int64_t width = h.size(1);
    const float* const c = coefficients.data_ptr<float>();
    if (task_should_compute_output(0)) {
      result[0] = at::empty_like(h);
      float* const d_h = result[0].data_ptr<float>();
      const float* const direction = u.data_ptr<float>();
      at::parallel_for(0, h.size(0), rows_per_sum, [&](std::int64_t begin, std::int64_t end) {
        cpu::spread_direction(direction, width, c, d_h, begin, end);
      });
    }
    if (task_should_compute_output(1)) {
      const float* const values = h.data_ptr<float>();
      result[1] =
          summed_pieces(h.size(0), width, [&](std::int64_t begin, std::int64_t end, float* sums) {
            cpu::sum_direction(values, width, c, sums, begin, end);
          });
    }
    return result;
  }
  void release_variables() override {
    h.reset();
    coefficients.reset();
  }
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
    const std::int64_t count = h.size(0);
    coefficients = at::empty({count});
    const float* const values = left.data_ptr<float>();
    const float* const direction = right.data_ptr<float>();
    float* const out = coefficients.data_ptr<float>();
    const float share = 1.0F / static_cast<float>(std::max<std::int64_t>(count, 1));
    const std::int64_t pieces = (count + anchors_per_sum - 1) / anchors_per_sum;
    std::vector<double> sums(static_cast<std::size_t>(pieces));
    at::parallel_for(0, pieces, 1, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t piece = first; piece < last; ++piece) {
        sums[piece] =
            cpu::score_direction(values, direction, left.size(1), static_cast<float>(target), share,
                                 form == LogForm::naive, out, piece * anchors_per_sum,
                                 std::min((piece + 1) * anchors_per_sum, count));
      }
    });
    double total = 0;
    for (const double sum : sums) total += sum;
    loss = at::full({}, total / static_cast<double>(std::max<std::int64_t>(count, 1)), at::kFloat);
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
