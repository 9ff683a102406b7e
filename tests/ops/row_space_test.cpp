#include "ops/row_space.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "support/gradients.h"

namespace creg::row_space_test {
namespace {

at::Tensor independent(std::int64_t rows, std::int64_t columns) {
  return at::sin(at::arange(rows * columns, at::kFloat).square() * 0.7F).reshape({rows, columns});
}

TEST(OrthonormalRows, AreOrthonormalAndSpanTheSame) {
  for (const std::int64_t count : {1, 3, 7, 8}) {
    const at::Tensor rows = independent(count, 8);
    const at::Tensor found = orthonormal_rows(test::on(rows));
    ASSERT_TRUE(found.defined());
    EXPECT_EQ(found.scalar_type(), at::kFloat);
    EXPECT_EQ(found.device(), test::tensor_device());
    const at::Tensor basis = test::on_host(found);
    EXPECT_LT(test::distance(basis.mm(basis.t()), at::eye(count)), 1e-6);
    EXPECT_LT(test::distance(rows.mm(basis.t()).mm(basis), rows), 1e-5);
  }
}

TEST(OrthonormalRows, DependentRowsHaveNoneOrZeros) {
  at::Tensor rows = independent(4, 8);
  rows[2] = rows[0] + 2 * rows[1];
  for (const bool nothing : {false, true}) {
    const at::Tensor dependent = nothing ? at::zeros({2, 3}) : rows;
    const at::Tensor found = nothing ? at::zeros({2}) : at::tensor({1.0F, 1.0F, 0.0F, 1.0F});
    const at::Tensor basis = test::on_host(orthonormal_rows(test::on(dependent)));
    if (test::tensor_device().is_cpu()) {
      EXPECT_FALSE(basis.defined());
      continue;
    }
    EXPECT_LT(test::distance(basis.mm(basis.t()), at::diag(found)), 1e-6);
    EXPECT_LT(test::distance(dependent.mm(basis.t()).mm(basis), dependent), 1e-5);
  }
  rows[2][5] += 1;
  EXPECT_TRUE(orthonormal_rows(test::on(rows)).defined());
}

/// Rows of which each differs little from the one before.
TEST(OrthonormalRows, NearlyDependentRowsAreToldApart) {
  for (const std::int64_t count : {40, 129}) {
    at::Tensor rows = independent(count, 200);
    for (std::int64_t i = 1; i < count; ++i) rows[i] = rows[i - 1] + 3e-3 * rows[i];
    const at::Tensor basis = test::on_host(orthonormal_rows(test::on(rows)));
    ASSERT_TRUE(basis.defined());
    EXPECT_LT(test::distance(basis.mm(basis.t()), at::eye(count)), 2e-6);
    EXPECT_LT(test::distance(rows.mm(basis.t()).mm(basis), rows), 2e-5);
  }
}

TEST(OrthonormalRows, AreAConstant) {
  const at::Tensor rows = test::on(independent(2, 4)).requires_grad_();
  EXPECT_FALSE(orthonormal_rows(rows).requires_grad());
}

}  // namespace
}  // namespace creg::row_space_test
