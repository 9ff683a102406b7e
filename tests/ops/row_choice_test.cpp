#include "ops/row_choice.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "ops/tensors.h"
#include "support/gradients.h"

namespace creg::row_choice_test {
namespace {

TEST(ChoiceMatrix, TakesRowsAndPutsThemBack) {
  const SparseMatrix matrix = choice_matrix(test::on(index_tensor({3, 0, 3, 5})), 6);
  const CsrTensors& take = matrix.forward();
  EXPECT_TRUE(test::equal(take.offsets, at::arange(5, at::kLong)));
  EXPECT_TRUE(test::equal(take.columns, index_tensor({3, 0, 3, 5})));
  const CsrTensors& put = matrix.transposed();
  EXPECT_TRUE(test::equal(put.offsets, at::tensor({0, 1, 1, 1, 3, 3, 4}, at::kLong)));
  EXPECT_TRUE(test::equal(put.columns, index_tensor({1, 0, 2, 3})));
  EXPECT_EQ(choice_matrix(test::on(index_tensor({})), 2).transposed().offsets.numel(), 3);
}

TEST(ChosenRows, GradientsAddUpWhereARowIsChosenAgain) {
  const at::Tensor chosen = at::tensor({3, 0, 3, 5, 3}, at::kLong);
  test::expect_matches(
      [&](const test::Tensors& in) { return chosen_rows(in[0], test::on(chosen)); },
      [&](const test::Tensors& in) {
        std::vector<at::Tensor> rows;
        for (const std::int64_t i : {3, 0, 3, 5, 3}) rows.push_back(in[0][i]);
        return at::stack(rows);
      },
      {test::irregular({6, 3})});
}

TEST(ChosenRows, GradientsAreTheSameBytesEveryTime) {
  const at::Tensor chosen = test::on((at::arange(20'000, at::kLong) * 7919).remainder(50));
  const at::Tensor weights = test::on(test::irregular({20'000, 5}, 1));
  const auto gradient = [&] {
    const at::Tensor rows = test::on(test::irregular({50, 5})).clone().set_requires_grad(true);
    (chosen_rows(rows, chosen) * weights).sum().backward();
    return rows.grad();
  };
  const at::Tensor first = gradient();
  for (int again = 0; again < 3; ++again) EXPECT_TRUE(test::same_bytes(gradient(), first));
}

TEST(ChosenRows, ChecksItsArguments) {
  const at::Tensor rows = test::on(test::irregular({6, 3}));
  EXPECT_THROW(chosen_rows(rows, test::on(index_tensor({1}))), c10::Error);
  EXPECT_THROW(chosen_rows(rows[0], test::on(at::tensor({1}, at::kLong))), c10::Error);
}

}  // namespace
}  // namespace creg::row_choice_test
