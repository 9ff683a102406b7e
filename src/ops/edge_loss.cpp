#include "creg/ops/edge_loss.h"

#include <ATen/Parallel.h>
#include <torch/types.h>

#include <algorithm>
#include <utility>

#include "ops/autograd_node.h"
#include "ops/cpu/aggregate_kernels.h"
#include "ops/cpu/pair_kernels.h"
#include "ops/parallel_rows.h"

namespace creg {
namespace {

using torch::autograd::Node;
using torch::autograd::variable_list;

/// Anchors whose losses are summed in one piece, whatever the number of threads.
constexpr std::int64_t anchors_per_sum = 256;

/// The pairs and their coefficients by the row they meet, by a counting sort.
struct TurnedPairs {
  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> anchors;
  std::vector<float> coefficients;
};

TurnedPairs turn(const PairRows& pairs, const at::Tensor& coefficients, std::int64_t rows) {
  TurnedPairs out;
  out.offsets.assign(static_cast<std::size_t>(rows) + 1, 0);
  for (const std::int32_t y : pairs.columns) ++out.offsets[static_cast<std::size_t>(y) + 1];
  for (std::size_t y = 0; y < static_cast<std::size_t>(rows); ++y) {
    out.offsets[y + 1] += out.offsets[y];
  }
  std::vector<std::int64_t> next(out.offsets.begin(), out.offsets.end() - 1);
  out.anchors.resize(pairs.columns.size());
  out.coefficients.resize(pairs.columns.size());
  const float* const weights = coefficients.data_ptr<float>();
  for (std::size_t a = 0; a + 1 < pairs.offsets.size(); ++a) {
    for (std::int64_t e = pairs.offsets[a]; e < pairs.offsets[a + 1]; ++e) {
      const auto y = static_cast<std::size_t>(pairs.columns[static_cast<std::size_t>(e)]);
      const auto slot = static_cast<std::size_t>(next[y]++);
      out.anchors[slot] = static_cast<std::int32_t>(a);
      out.coefficients[slot] = weights[e];
    }
  }
  return out;
}

struct EdgeLossBackward : public Node {
  std::shared_ptr<const PairRows> pairs;
  at::Tensor anchors;       // detached
  at::Tensor coefficients;  // one per pair, for an upstream gradient of 1
  at::Tensor d_anchors;     // likewise
  std::int64_t rows = 0;
  bool same = false;  // anchors and rows are one tensor

  variable_list apply(variable_list&& gradients) override {
    const at::NoGradGuard no_grad;
    variable_list result(2);
    if (!gradients[0].defined()) return result;
    const double upstream = gradients[0].item<double>();
    if (upstream != 1.0) {
      coefficients = coefficients * upstream;
      d_anchors = d_anchors * upstream;
    }
    result[0] = d_anchors;
    if (task_should_compute_output(1)) {
      // One tensor in both places: its second gradient is added in place to the first.
      at::Tensor d_rows = same ? d_anchors : at::empty({rows, anchors.size(1)}, anchors.options());
      const TurnedPairs turned = turn(*pairs, coefficients, rows);
      cpu::RowProduct product;
      product.offsets = turned.offsets.data();
      product.columns = turned.anchors.data();
      product.values = turned.coefficients.data();
      product.x = anchors.data_ptr<float>();
      product.width = anchors.size(1);
      product.out = d_rows.data_ptr<float>();
      product.accumulate = same;
      parallel_rows(product.offsets, rows, [&](std::int64_t begin, std::int64_t end) {
        cpu::multiply_rows(product, begin, end);
      });
      if (same) result[0] = at::Tensor();
      result[1] = d_rows;
    }
    return result;
  }
  void release_variables() override {
    anchors.reset();
    coefficients.reset();
    d_anchors.reset();
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
    result.sigma = total.sigma / seen;
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
