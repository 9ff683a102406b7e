#include "creg/ops/pair_loss.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "support/gradients.h"

namespace creg::pair_loss_test {
namespace {

using test::expect_matches;
using test::irregular;
using test::Tensors;

at::Tensor log_of_sigma(const at::Tensor& x) {
  return at::minimum(x, at::zeros_like(x)) - at::log1p(at::exp(-at::abs(x)));
}

/// The formula of the header, written out.
at::Tensor reference(const at::Tensor& anchors, const at::Tensor& rows, const Pairs& pairs,
                     double scale) {
  const auto chosen = [&](const at::Tensor& ids) {
    return rows.index_select(0, ids.reshape({-1}))
        .reshape({ids.size(0), ids.size(1), rows.size(1)});
  };
  const at::Tensor a = pairs.anchors.defined() ? anchors.index_select(0, pairs.anchors)
                                               : anchors.narrow(0, 0, pairs.positives.size(0));
  const at::Tensor positive = (a * chosen(pairs.positives).mean(1)).sum(1) * scale;
  const at::Tensor negative = (a.unsqueeze(1) * chosen(pairs.negatives)).sum(2) * scale;
  return -(log_of_sigma(positive) + log_of_sigma(-negative).sum(1)).mean();
}

Pairs some_pairs(int positives, int negatives, bool every_row) {
  Pairs pairs;
  const int count = every_row ? 6 : 3;
  if (!every_row) pairs.anchors = at::tensor({4, 0, 5}, at::kInt);
  pairs.positives =
      (at::arange(count * positives, at::kInt) * 5 % 7).to(at::kInt).reshape({count, positives});
  pairs.negatives = ((at::arange(count * negatives, at::kInt) * 3 + 2) % 7)
                        .to(at::kInt)
                        .reshape({count, negatives});
  return pairs;
}

/// On the device under test.
Pairs there(const Pairs& pairs) {
  return {.anchors = test::on(pairs.anchors),
          .positives = test::on(pairs.positives),
          .negatives = test::on(pairs.negatives)};
}

struct Shape {
  int positives;
  int negatives;
  bool every_row;
};

class PairLossShapes : public ::testing::TestWithParam<Shape> {};

TEST_P(PairLossShapes, MatchesTheFormula) {
  const auto [positives, negatives, every_row] = GetParam();
  const Pairs pairs = some_pairs(positives, negatives, every_row);
  expect_matches([&](const Tensors& in) { return pair_loss(in[0], in[1], there(pairs), 0.5).loss; },
                 [&](const Tensors& in) { return reference(in[0], in[1], pairs, 0.5); },
                 {irregular({6, 19}), irregular({7, 19}, 1)});
}

TEST_P(PairLossShapes, OneTensorInBothPlaces) {
  const auto [positives, negatives, every_row] = GetParam();
  Pairs pairs = some_pairs(positives, negatives, every_row);
  pairs.positives = (pairs.positives % 6).to(at::kInt);
  pairs.negatives = (pairs.negatives % 6).to(at::kInt);
  expect_matches([&](const Tensors& in) { return pair_loss(in[0], in[0], there(pairs)).loss; },
                 [&](const Tensors& in) { return reference(in[0], in[0], pairs, 1); },
                 {irregular({6, 8})});
}

INSTANTIATE_TEST_SUITE_P(Shapes, PairLossShapes,
                         ::testing::Values(Shape{1, 1, true}, Shape{1, 1, false}, Shape{5, 1, true},
                                           Shape{5, 3, false}, Shape{1, 4, true}));

TEST(PairLoss, AnUpstreamFactorScalesTheGradients) {
  const Pairs pairs = some_pairs(1, 1, true);
  expect_matches(
      [&](const Tensors& in) { return pair_loss(in[0], in[1], there(pairs)).loss * 0.3; },
      [&](const Tensors& in) { return reference(in[0], in[1], pairs, 1) * 0.3; },
      {irregular({6, 8}), irregular({7, 8}, 1)});
}

TEST(PairLoss, OnlyOneSideWantsAGradient) {
  const Pairs pairs = some_pairs(1, 1, true);
  const at::Tensor fixed = irregular({7, 8}, 1);
  expect_matches(
      [&](const Tensors& in) { return pair_loss(in[0], test::on(fixed), there(pairs)).loss; },
      [&](const Tensors& in) { return reference(in[0], fixed.to(at::kDouble), pairs, 1); },
      {irregular({6, 8})});
  const at::Tensor anchors = irregular({6, 8});
  expect_matches(
      [&](const Tensors& in) { return pair_loss(test::on(anchors), in[0], there(pairs)).loss; },
      [&](const Tensors& in) { return reference(anchors.to(at::kDouble), in[0], pairs, 1); },
      {irregular({7, 8}, 1)});
}

TEST(PairLoss, ReportsTheMeanSigmas) {
  Pairs pairs;
  pairs.positives = at::tensor({0, 0}, at::kInt).reshape({2, 1});
  pairs.negatives = at::tensor({1, 1}, at::kInt).reshape({2, 1});
  const at::Tensor rows = test::on(at::tensor({2.0F, -1.0F}).reshape({2, 1}));
  const PairLoss result = pair_loss(test::on(at::ones({2, 1})), rows, there(pairs));
  EXPECT_NEAR(result.positive_sigma.item<double>(), 1 / (1 + std::exp(-2.0)), 1e-6);
  EXPECT_NEAR(result.negative_sigma.item<double>(), 1 / (1 + std::exp(1.0)), 1e-6);
}

TEST(PairLoss, AMissingPositiveMakesTheLossNoNumber) {
  if (test::tensor_device().is_cpu()) GTEST_SKIP() << "the CPU has said so before";
  Pairs pairs;
  pairs.positives = at::tensor({1, -1, 0}, at::kInt).reshape({3, 1});
  pairs.negatives = at::tensor({2, 2, 1}, at::kInt).reshape({3, 1});
  const at::Tensor h = test::on(irregular({3, 8})).set_requires_grad(true);
  const at::Tensor loss = pair_loss(h, h, there(pairs)).loss;
  EXPECT_TRUE(std::isnan(loss.item<double>()));
  loss.backward();
  EXPECT_TRUE(std::isnan(h.grad().sum().item<double>()));
}

/// A score of 40: the stable form still pushes, the naive one has no gradient left.
TEST(PairLoss, TheTwoFormsDifferWhereSigmaRoundsToOne) {
  Pairs pairs;
  pairs.positives = at::zeros({1, 1}, at::kInt);
  pairs.negatives = at::ones({1, 1}, at::kInt);
  const at::Tensor rows = test::on(at::tensor({0.0F, 40.0F}).reshape({2, 1}));
  const auto gradient = [&](LogForm form, double& loss) {
    const at::Tensor anchor = test::on(at::ones({1, 1})).set_requires_grad(true);
    const PairLoss result = pair_loss(anchor, rows, there(pairs), 1, form);
    result.loss.backward();
    loss = result.loss.item<double>();
    return anchor.grad().item<double>();
  };
  double stable = 0;
  double naive = 0;
  EXPECT_NEAR(gradient(LogForm::stable, stable), 40, 1e-4);
  EXPECT_NEAR(stable, 40 + std::log(2.0), 1e-4);
  EXPECT_EQ(gradient(LogForm::naive, naive), 0);
  EXPECT_NEAR(naive, -std::log(1e-15) + std::log(2.0), 1e-3);
}

TEST(PairLoss, TheNaiveFormAgreesWhereNothingSaturates) {
  const Pairs pairs = some_pairs(5, 2, true);
  expect_matches(
      [&](const Tensors& in) {
        return pair_loss(in[0], in[1], there(pairs), 1, LogForm::naive).loss;
      },
      [&](const Tensors& in) { return reference(in[0], in[1], pairs, 1); },
      {irregular({6, 8}), irregular({7, 8}, 1)});
}

TEST(PairLoss, DoesNotDependOnThreads) {
  const std::int64_t nodes = 3000;
  Pairs pairs;
  pairs.positives = (at::arange(nodes, at::kInt) * 17 % nodes).to(at::kInt).reshape({nodes, 1});
  pairs.negatives = (at::arange(nodes, at::kInt) * 13 % nodes).to(at::kInt).reshape({nodes, 1});
  const at::Tensor values = irregular({nodes, 20});
  const auto run = [&](int threads) {
    at::set_num_threads(threads);
    const at::Tensor h = test::on(values).clone().set_requires_grad(true);
    const at::Tensor loss = pair_loss(h, h, there(pairs)).loss;
    loss.backward();
    return at::cat({h.grad().reshape({-1}), loss.detach().reshape({1})});
  };
  const int threads = at::get_num_threads();
  EXPECT_TRUE(test::equal(run(1), run(3)));
  at::set_num_threads(threads);
}

class DirectionLoss : public ::testing::TestWithParam<int> {};

TEST_P(DirectionLoss, MatchesTheFormula) {
  const int target = GetParam();
  for (const LogForm form : {LogForm::stable, LogForm::naive}) {
    expect_matches(
        [&](const Tensors& in) { return direction_loss(in[0], in[1], target, form) * 2; },
        [&](const Tensors& in) { return -log_of_sigma(at::mv(in[0], in[1]) * target).mean() * 2; },
        {irregular({9, 21}), irregular({21}, 1)});
  }
}

TEST_P(DirectionLoss, HasNoSecondDerivative) {
  test::expect_no_second_derivative(
      [](const Tensors& in) { return direction_loss(in[0], in[1], GetParam()); },
      {irregular({9, 5}), irregular({5}, 1)});
}

INSTANTIATE_TEST_SUITE_P(Targets, DirectionLoss, ::testing::Values(1, -1));

}  // namespace
}  // namespace creg::pair_loss_test
