#include "ops/edge_loss.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "ops/csr.h"
#include "support/gradients.h"
#include "support/graphs.h"

namespace creg::edge_loss_test {
namespace {

using test::expect_matches;
using test::irregular;
using test::Tensors;

/// Five anchors, the second without a pair, one pair twice, one row that nobody meets.
CsrMatrix some_pairs(std::int64_t rows) {
  return {.rows = 5,
          .cols = rows,
          .offsets = std::vector<std::int64_t>{0, 5, 5, 6, 8, 11},
          .columns = std::vector<std::int32_t>{0, 3, 4, 3, 1, 2, 4, 0, 1, 2, 4},
          .values = {}};
}

CsrTensors tensors(const CsrMatrix& pairs) {
  return csr_tensors(test::context(), pairs);
}

at::Tensor reference(const at::Tensor& anchors, const at::Tensor& rows, const CsrMatrix& pairs,
                     double target, double scale) {
  at::Tensor sum = at::zeros({}, at::kDouble);
  for (std::int64_t a = 0; a < pairs.rows; ++a) {
    for (const std::int32_t y : pairs.row(a)) {
      const at::Tensor x = (anchors[a] * rows[y]).sum() * (scale * target);
      sum = sum - (at::minimum(x, at::zeros_like(x)) - at::log1p(at::exp(-at::abs(x))));
    }
  }
  return sum / static_cast<double>(pairs.nonzeros());
}

TEST(EdgeLoss, MatchesTheFormulaForBothTargets) {
  const CsrMatrix to_six = some_pairs(6);
  const CsrMatrix to_five = some_pairs(5);
  for (const int target : {1, -1}) {
    expect_matches(
        [&](const Tensors& in) {
          return edge_loss(in[0], in[1], tensors(to_six), target, 0.5).loss;
        },
        [&](const Tensors& in) { return reference(in[0], in[1], to_six, target, 0.5); },
        {irregular({5, 19}), irregular({6, 19}, 1)});
    expect_matches(
        [&](const Tensors& in) { return edge_loss(in[0], in[0], tensors(to_five), target).loss; },
        [&](const Tensors& in) { return reference(in[0], in[0], to_five, target, 1); },
        {irregular({5, 19})});
  }
}

TEST(EdgeLoss, HasNoSecondDerivative) {
  const CsrMatrix pairs = some_pairs(6);
  test::expect_no_second_derivative(
      [&](const Tensors& in) { return edge_loss(in[0], in[1], tensors(pairs), 1).loss; },
      {irregular({5, 4}), irregular({6, 4}, 1)});
}

TEST(EdgeLoss, TellsTheMeanOfSigma) {
  const CsrMatrix pairs = some_pairs(5);
  const at::Tensor h = irregular({5, 8});
  double sum = 0;
  for (std::int64_t a = 0; a < 5; ++a) {
    for (const std::int32_t y : pairs.row(a))
      sum += at::sigmoid((h[a] * h[y]).sum()).item<double>();
  }
  const at::Tensor there = test::on(h);
  EXPECT_NEAR(edge_loss(there, there, tensors(pairs), -1).sigma.item<double>(), sum / 11, 1e-6);
  EXPECT_NEAR(edge_loss(there, there, tensors(pairs), 1).sigma.item<double>(), sum / 11, 1e-6);
}

TEST(EdgeLoss, GoesBackOnce) {
  const at::Tensor h = test::on(irregular({5, 8})).requires_grad_();
  const at::Tensor loss = edge_loss(h, h, tensors(some_pairs(5)), 1).loss;
  const auto backward = [&] { loss.backward({}, /*retain_graph=*/true); };
  backward();
  EXPECT_ANY_THROW(backward());
}

TEST(EdgeLoss, TheNaiveFormAddsItsEpsilon) {
  const CsrTensors pairs = tensors(test::csr(1, {{0, 0}}));
  const at::Tensor h = at::full({1, 1}, 10.0F, test::options(at::kFloat));  // a score of 100
  EXPECT_NEAR(edge_loss(h, h, pairs, -1, 1, LogForm::naive).loss.item<double>(), 34.5388, 1e-3);
  EXPECT_NEAR(edge_loss(h, h, pairs, -1).loss.item<double>(), 100, 1e-3);
}

TEST(EdgeLoss, DoesNotDependOnThreads) {
  test::Edges many;
  for (int a = 0; a < 700; ++a) {
    for (int k = 0; k < a % 5; ++k) many.emplace_back(a, (a * 7 + k * 31) % 700);
  }
  const CsrTensors pairs = tensors(test::csr(700, many));
  const auto run = [&](int threads) {
    at::set_num_threads(threads);
    const at::Tensor h = test::on(irregular({700, 16})).requires_grad_();
    const at::Tensor loss = edge_loss(h, h, pairs, 1).loss;
    loss.backward();
    return at::cat({loss.detach().reshape({1}), h.grad().reshape({-1})});
  };
  EXPECT_TRUE(test::equal(run(1), run(2)));
}

TEST(EdgeLoss, ChecksItsArguments) {
  const auto rows = [](std::int64_t count, std::int64_t width) {
    return test::on(irregular({count, width}));
  };
  EXPECT_THROW(edge_loss(rows(5, 4), rows(5, 3), tensors(some_pairs(5)), 1), c10::Error);
  EXPECT_THROW(edge_loss(rows(4, 4), rows(5, 4), tensors(some_pairs(5)), 1), c10::Error);
  EXPECT_THROW(edge_loss(rows(5, 4), rows(5, 4), tensors(some_pairs(7)), 1), c10::Error);
  EXPECT_THROW(edge_loss(rows(1, 4), rows(1, 4), tensors(test::csr(1, {})), 1), c10::Error);
}

}  // namespace
}  // namespace creg::edge_loss_test
