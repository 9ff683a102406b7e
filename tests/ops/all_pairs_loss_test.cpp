#include "ops/all_pairs_loss.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <utility>

#include "support/gradients.h"
#include "support/precisions.h"

namespace creg::all_pairs_loss_test {
namespace {

at::Tensor formula(const test::Tensors& in) {
  const at::Tensor scores = at::mm(in[0], in[0].t());
  // log(1 + e^s) without overflow.
  return (scores.clamp_min(0) + at::log1p(at::exp(-scores.abs()))).mean();
}

TEST(AllPairsApart, IsTheMeanOverAllPairsWhateverTheBlocks) {
  const at::Tensor h = test::irregular({11, 4}) * 3;
  for (const std::int64_t block : {0, 1, 4, 11, 100}) {
    test::expect_matches(
        [&](const test::Tensors& in) { return all_pairs_apart(test::context(), in[0], block); },
        formula, {h});
  }
}

TEST(AllPairsApart, HasNoSecondDerivative) {
  test::expect_no_second_derivative(
      [](const test::Tensors& in) { return all_pairs_apart(test::context(), in[0]); },
      {test::irregular({7, 4})});
}

TEST(AllPairsApart, LongRowsStayFinite) {
  const at::Tensor h = test::on(test::irregular({5, 3}) * 100).set_requires_grad(true);
  const at::Tensor loss = all_pairs_apart(test::context(), h);
  loss.backward();
  EXPECT_NEAR(loss.item<double>(), formula({test::on_host(h).to(at::kDouble)}).item<double>(),
              1e-2);
  EXPECT_TRUE(h.grad().isfinite().all().item<bool>());
}

TEST(AllPairsApart, OneRowMeetsItself) {
  const at::Tensor h = at::full({1, 2}, 0.5F, test::options(at::kFloat));
  EXPECT_NEAR(all_pairs_apart(test::context(), h).item<double>(), std::log1p(std::exp(0.5)), 1e-6);
}

class AllPairsApartInLess : public test::OnTensorCores {};

TEST_P(AllPairsApartInLess, IsAsExactAsItsProducts) {
  constexpr std::int64_t nodes = 500;
  for (const std::int64_t width : {20, 150}) {
    const at::Tensor rows = test::irregular({nodes, width});
    const double square = rows.pow(2).sum(1).max().item<double>();
    const auto found = [&](const Context& context) {
      const at::Tensor h = test::on(rows).clone().set_requires_grad(true);
      const at::Tensor loss = all_pairs_apart(context, h);
      loss.backward();
      return std::pair{loss.detach(), h.grad()};
    };
    const auto [loss, gradient] = found(context_);
    const at::Tensor exact = rows.to(at::kDouble).set_requires_grad(true);
    const at::Tensor wanted = formula({exact});
    wanted.backward();
    EXPECT_NEAR(loss.item<double>(), wanted.item<double>(), rounding_ * square / 8) << width;
    // Of the slopes, at most 1/4 of the products' change, and of the rows they weigh.
    EXPECT_LT((test::on_host(gradient).to(at::kDouble) - exact.grad()).abs().max().item<double>(),
              1.0 / nodes * rounding_ * (square / 8 + 1))
        << width;
    EXPECT_FALSE(test::same_bytes(gradient, found(test::context({.threads = 1})).second))
        << "these are the products of fp32";
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions, AllPairsApartInLess, test::tensor_core_precisions,
                         test::precision_name);

}  // namespace
}  // namespace creg::all_pairs_loss_test
