#include "ops/edge_loss.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "support/gradients.h"

namespace creg::edge_loss_test {
namespace {

using test::expect_matches;
using test::irregular;
using test::Tensors;

/// Five anchors, the second without a pair, one pair twice, one row that nobody meets.
std::shared_ptr<const PairRows> some_pairs() {
  return std::make_shared<const PairRows>(
      PairRows{.offsets = {0, 5, 5, 6, 8, 11}, .columns = {0, 3, 4, 3, 1, 2, 4, 0, 1, 2, 4}});
}

at::Tensor reference(const at::Tensor& anchors, const at::Tensor& rows, const PairRows& pairs,
                     double target, double scale) {
  at::Tensor sum = at::zeros({}, at::kDouble);
  for (std::size_t a = 0; a + 1 < pairs.offsets.size(); ++a) {
    for (std::int64_t e = pairs.offsets[a]; e < pairs.offsets[a + 1]; ++e) {
      const at::Tensor row = rows[pairs.columns[static_cast<std::size_t>(e)]];
      const at::Tensor x = (anchors[static_cast<std::int64_t>(a)] * row).sum() * (scale * target);
      sum = sum - (at::minimum(x, at::zeros_like(x)) - at::log1p(at::exp(-at::abs(x))));
    }
  }
  return sum / static_cast<double>(pairs.size());
}

TEST(EdgeLoss, MatchesTheFormulaForBothTargets) {
  const auto pairs = some_pairs();
  for (const int target : {1, -1}) {
    expect_matches(
        [&](const Tensors& in) { return edge_loss(in[0], in[1], pairs, target, 0.5).loss; },
        [&](const Tensors& in) { return reference(in[0], in[1], *pairs, target, 0.5); },
        {irregular({5, 19}), irregular({6, 19}, 1)});
    expect_matches([&](const Tensors& in) { return edge_loss(in[0], in[0], pairs, target).loss; },
                   [&](const Tensors& in) { return reference(in[0], in[0], *pairs, target, 1); },
                   {irregular({5, 19})});
  }
}

TEST(EdgeLoss, TellsTheMeanOfSigma) {
  const auto pairs = some_pairs();
  const at::Tensor h = irregular({5, 8});
  double sum = 0;
  for (std::size_t a = 0; a < 5; ++a) {
    for (std::int64_t e = pairs->offsets[a]; e < pairs->offsets[a + 1]; ++e) {
      const at::Tensor row = h[pairs->columns[static_cast<std::size_t>(e)]];
      sum += at::sigmoid((h[static_cast<std::int64_t>(a)] * row).sum()).item<double>();
    }
  }
  EXPECT_NEAR(edge_loss(h, h, pairs, -1).sigma.item<double>(), sum / 11, 1e-6);
  EXPECT_NEAR(edge_loss(h, h, pairs, 1).sigma.item<double>(), sum / 11, 1e-6);
}

TEST(EdgeLoss, TheNaiveFormAddsItsEpsilon) {
  const auto pairs = std::make_shared<const PairRows>(PairRows{.offsets = {0, 1}, .columns = {0}});
  const at::Tensor h = at::full({1, 1}, 10.0F);  // a score of 100
  EXPECT_NEAR(edge_loss(h, h, pairs, -1, 1, LogForm::naive).loss.item<double>(), 34.5388, 1e-3);
  EXPECT_NEAR(edge_loss(h, h, pairs, -1).loss.item<double>(), 100, 1e-3);
}

TEST(EdgeLoss, DoesNotDependOnThreads) {
  PairRows many;
  many.offsets = {0};
  for (int a = 0; a < 700; ++a) {
    for (int k = 0; k < a % 5; ++k) many.columns.push_back((a * 7 + k * 31) % 700);
    many.offsets.push_back(many.size());
  }
  const auto pairs = std::make_shared<const PairRows>(std::move(many));
  const auto run = [&](int threads) {
    at::set_num_threads(threads);
    const at::Tensor h = irregular({700, 16}).requires_grad_();
    const at::Tensor loss = edge_loss(h, h, pairs, 1).loss;
    loss.backward();
    return at::cat({loss.detach().reshape({1}), h.grad().reshape({-1})});
  };
  EXPECT_TRUE(at::equal(run(1), run(2)));
}

TEST(EdgeLoss, ChecksItsArguments) {
  const at::Tensor h = irregular({5, 4});
  EXPECT_ANY_THROW(edge_loss(h, irregular({5, 3}), some_pairs(), 1));
  EXPECT_ANY_THROW(edge_loss(irregular({4, 4}), h, some_pairs(), 1));
  EXPECT_ANY_THROW(edge_loss(irregular({1, 4}), h,
                             std::make_shared<const PairRows>(PairRows{.offsets = {0, 0}}), 1));
}

}  // namespace
}  // namespace creg::edge_loss_test
