#include "creg/ops/sparse_matrix.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "creg/ops/aggregate.h"
#include "ops/tensors.h"
#include "support/gradients.h"
#include "support/graphs.h"

namespace creg::sparse_matrix_test {
namespace {

using test::expect_matches;
using test::irregular;
using test::Tensors;

at::Tensor cells(const CsrMatrix& matrix) {
  return as_tensor(to_dense(matrix)).to(at::kDouble);
}

CsrMatrix full_matrix() {
  test::Edges edges;
  std::vector<float> values;
  for (std::int32_t r = 0; r < 4; ++r) {
    for (std::int32_t c = 0; c < 4; ++c) {
      if (r == 2 && c == 1) continue;
      edges.emplace_back(r, c);
      values.push_back(0.3F * static_cast<float>(r + 1) - 0.2F * static_cast<float>(c * c));
    }
  }
  return test::csr(4, edges, values);
}

TEST(SparseMatrix, AFullOneIsStoredDenseAndGivesTheSameProducts) {
  const CsrMatrix matrix = full_matrix();
  const SparseMatrix dense = SparseMatrix::compact(test::context(), matrix);
  ASSERT_TRUE(dense.dense().defined());
  EXPECT_TRUE(dense.reversible());
  EXPECT_EQ(dense.rows(), 4);
  EXPECT_EQ(dense.cols(), 4);
  EXPECT_EQ(dense.bytes(), 4 * 4 * 4);
  const at::Tensor m = cells(matrix);
  const at::Tensor order = index_tensor({2, 0, 3, 1});
  expect_matches([&](const Tensors& in) { return aggregate(dense, in[0]); },
                 [&](const Tensors& in) { return m.mm(in[0]); }, {irregular({4, 3})});
  expect_matches(
      [&](const Tensors& in) {
        return aggregate(dense, in[0], {in[1], in[2]}, test::on(order));
      },
      [&](const Tensors& in) {
        const at::Tensor sums = m.mm(in[0].index_select(0, order)) + in[1];
        return at::where(sums > 0, sums, sums * in[2]);
      },
      {irregular({4, 3}), irregular({3}, 1), irregular({3}, 2)});
  expect_matches(
      [&](const Tensors& in) {
        return aggregate(dense, in[0], {in[1], {}});
      },
      [&](const Tensors& in) { return m.mm(in[0]) + in[1]; },
      {irregular({4, 3}), irregular({3}, 1)});
}

TEST(SparseMatrix, AnEmptierOneStaysSparse) {
  const SparseMatrix matrix =
      SparseMatrix::compact(test::context(), test::csr(4, {{0, 1}, {2, 3}}));
  EXPECT_FALSE(matrix.dense().defined());
  EXPECT_EQ(matrix.nonzeros(), 2);
  // 38 % of a hundred cells are not yet more than 38 %.
  for (const std::int32_t filled : {38, 39}) {
    test::Edges edges;
    for (std::int32_t i = 0; i < filled; ++i) edges.emplace_back(i / 10, i % 10);
    const SparseMatrix made = SparseMatrix::compact(Context(), test::csr(10, edges));
    EXPECT_EQ(made.dense().defined(), filled == 39);
  }
}

/// Both directions get the new values, whatever the matrix was before.
TEST(SparseMatrix, TheSamePatternWithOtherValues) {
  const CsrMatrix pattern = test::csr(4, {{0, 1}, {1, 0}, {1, 3}, {2, 2}, {3, 1}});
  const at::Tensor values = irregular({5});
  CsrMatrix wanted = pattern;
  wanted.values = std::vector<float>(values.data_ptr<float>(), values.data_ptr<float>() + 5);
  const at::Tensor m = cells(wanted);
  for (const auto shape : {SparseMatrix::Shape::general, SparseMatrix::Shape::symmetric}) {
    const SparseMatrix matrix =
        SparseMatrix(test::context(), pattern, shape).with_values(test::on(values));
    expect_matches([&](const Tensors& in) { return aggregate(matrix, in[0]); },
                   [&](const Tensors& in) { return m.mm(in[0]); }, {irregular({4, 3})});
  }
  const SparseMatrix turned =
      SparseMatrix(test::context(), pattern).with_values(test::on(values)).transposed_matrix();
  expect_matches([&](const Tensors& in) { return aggregate(turned, in[0]); },
                 [&](const Tensors& in) { return m.t().mm(in[0]); }, {irregular({4, 3})});
  const SparseMatrix forward = SparseMatrix(test::context(), pattern, SparseMatrix::Shape::forward)
                                   .with_values(test::on(values));
  EXPECT_FALSE(forward.reversible());
  EXPECT_LT(test::distance(aggregate(forward, test::on(at::eye(4))), m), 1e-7);
}

}  // namespace
}  // namespace creg::sparse_matrix_test
