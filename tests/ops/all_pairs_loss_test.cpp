#include "ops/all_pairs_loss.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "support/gradients.h"

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

}  // namespace
}  // namespace creg::all_pairs_loss_test
