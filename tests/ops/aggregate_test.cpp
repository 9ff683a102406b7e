#include "creg/ops/aggregate.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "graph/build.h"
#include "support/gradients.h"
#include "support/graphs.h"

namespace creg::aggregate_test {
namespace {

using test::expect_matches;
using test::irregular;
using test::Tensors;

/// Rows of 0, 1, 3, 4, 5 and 9 entries, so that every remainder of four occurs.
CsrMatrix uneven_matrix() {
  std::vector<std::int32_t> rows;
  std::vector<std::int32_t> cols;
  std::vector<float> values;
  const std::vector<int> counts = {0, 1, 3, 4, 5, 9, 2};
  for (std::size_t r = 0; r < counts.size(); ++r) {
    for (int e = 0; e < counts[r]; ++e) {
      rows.push_back(static_cast<std::int32_t>(r));
      cols.push_back(static_cast<std::int32_t>((3 * e + static_cast<int>(r)) % 11));
      values.push_back(0.1F * static_cast<float>(e + 1) - 0.3F);
    }
  }
  return csr_from_entries(Context(), 7, 11, rows, cols, values);
}

at::Tensor dense(const CsrMatrix& matrix) {
  at::Tensor out = at::zeros({matrix.rows, matrix.cols}, at::kDouble);
  for (std::int64_t r = 0; r < matrix.rows; ++r) {
    for (std::int64_t e = matrix.offsets[r]; e < matrix.offsets[r + 1]; ++e) {
      out[r][matrix.columns[e]] += matrix.value(e);
    }
  }
  return out;
}

at::Tensor leaky(const at::Tensor& x, const at::Tensor& slope) {
  return at::where(x > 0, x, x * slope);
}

class AggregateWidths : public ::testing::TestWithParam<int> {};  // the number of columns

TEST_P(AggregateWidths, ProductMatchesTheDenseOne) {
  const CsrMatrix matrix = uneven_matrix();
  const SparseMatrix sparse(test::context(), matrix);
  const at::Tensor reference = dense(matrix);
  expect_matches([&](const Tensors& in) { return aggregate(sparse, in[0]); },
                 [&](const Tensors& in) { return at::mm(reference, in[0]); },
                 {irregular({11, GetParam()})});
}

TEST_P(AggregateWidths, BiasAndSlopePerChannel) {
  const CsrMatrix matrix = uneven_matrix();
  const SparseMatrix sparse(test::context(), matrix);
  const at::Tensor reference = dense(matrix);
  const int width = GetParam();
  expect_matches(
      [&](const Tensors& in) {
        return aggregate(sparse, in[0], {in[1], in[2]});
      },
      [&](const Tensors& in) { return leaky(at::mm(reference, in[0]) + in[1], in[2]); },
      {irregular({11, width}), irregular({width}, 1), irregular({width}, 2)});
}

INSTANTIATE_TEST_SUITE_P(Widths, AggregateWidths, ::testing::Values(1, 3, 16, 37));

TEST(Aggregate, HasNoSecondDerivative) {
  const SparseMatrix sparse(test::context(), uneven_matrix());
  test::expect_no_second_derivative([&](const Tensors& in) { return aggregate(sparse, in[0]); },
                                    {irregular({11, 3})});
}

TEST(Aggregate, SharedSlope) {
  const CsrMatrix matrix = uneven_matrix();
  const SparseMatrix sparse(test::context(), matrix);
  const at::Tensor reference = dense(matrix);
  expect_matches(
      [&](const Tensors& in) {
        return aggregate(sparse, in[0], {{}, in[1]});
      },
      [&](const Tensors& in) { return leaky(at::mm(reference, in[0]), in[1]); },
      {irregular({11, 5}), at::full({1}, 0.25F)});
}

TEST(Aggregate, BiasAlone) {
  const CsrMatrix matrix = uneven_matrix();
  const SparseMatrix sparse(test::context(), matrix);
  const at::Tensor reference = dense(matrix);
  expect_matches(
      [&](const Tensors& in) {
        return aggregate(sparse, in[0], {in[1], {}});
      },
      [&](const Tensors& in) { return at::mm(reference, in[0]) + in[1]; },
      {irregular({11, 5}), irregular({5}, 1)});
}

TEST(Aggregate, ReluIsAConstantSlopeOfZero) {
  const CsrMatrix matrix = uneven_matrix();
  const SparseMatrix sparse(test::context(), matrix);
  const at::Tensor reference = dense(matrix);
  const at::Tensor zero = at::zeros({1}, test::options(at::kFloat));
  expect_matches(
      [&](const Tensors& in) {
        return aggregate(sparse, in[0], {{}, zero});
      },
      [&](const Tensors& in) { return at::relu(at::mm(reference, in[0])); }, {irregular({11, 5})});
}

TEST(Aggregate, OrderPermutesTheRowsFirst) {
  const CsrMatrix matrix = uneven_matrix();
  const SparseMatrix sparse(test::context(), matrix);
  const at::Tensor reference = dense(matrix);
  const at::Tensor order = at::tensor({3, 0, 7, 1, 10, 2, 9, 4, 8, 6, 5}, at::kInt);
  expect_matches(
      [&](const Tensors& in) {
        return aggregate(sparse, in[0], {in[1], in[2]}, test::on(order));
      },
      [&](const Tensors& in) {
        return leaky(at::mm(reference, in[0].index_select(0, order)) + in[1], in[2]);
      },
      {irregular({11, 6}), irregular({6}, 1), irregular({6}, 2)});
}

TEST(Aggregate, MissingValuesAreOnes) {
  const CsrMatrix matrix = test::csr(4, {{0, 1}, {0, 2}, {2, 3}, {3, 0}});
  const SparseMatrix sparse(test::context(), matrix);
  expect_matches([&](const Tensors& in) { return aggregate(sparse, in[0]); },
                 [&](const Tensors& in) { return at::mm(dense(matrix), in[0]); },
                 {irregular({4, 3})});
}

TEST(Aggregate, ASymmetricMatrixIsItsOwnTranspose) {
  const CsrMatrix matrix = test::csr(3, {{0, 1}, {1, 0}, {1, 2}, {2, 1}}, {2, 2, 5, 5});
  const SparseMatrix sparse(test::context(), matrix, SparseMatrix::Shape::symmetric);
  expect_matches([&](const Tensors& in) { return aggregate(sparse, in[0]); },
                 [&](const Tensors& in) { return at::mm(dense(matrix), in[0]); },
                 {irregular({3, 4})});
}

/// Rows so long, in both directions, that the product is made in panels, over more rows of X than
/// one panel holds; widths below, at and beyond a panel's.
class LongRows : public ::testing::TestWithParam<int> {};

TEST_P(LongRows, MatchTheDenseProductWhateverTheThreads) {
  const int width = GetParam();
  std::vector<std::int32_t> rows;
  std::vector<std::int32_t> cols;
  std::vector<float> values;
  for (int r = 0; r < 120; ++r) {
    // Row 7 is empty, row 8 lies in the last panel alone.
    const int count = r == 7 ? 0 : r == 8 ? 5 : 500 + r;
    for (int e = 0; e < count; ++e) {
      rows.push_back(r);
      cols.push_back(r == 8 ? 3990 + e : (e * 13 + r) % 4000);
      values.push_back(static_cast<float>(e % 7) * 0.1F - 0.3F);
    }
  }
  for (const bool weighted : {true, false}) {
    const CsrMatrix matrix = csr_from_entries(Context(), 120, 4000, rows, cols,
                                              weighted ? values : std::vector<float>());
    const SparseMatrix sparse(test::context(), matrix);
    const at::Tensor reference = dense(matrix);
    const at::Tensor x = irregular({4000, width});
    const at::Tensor weights = irregular({120, width}, 1);
    const auto run = [&](int threads) {
      at::set_num_threads(threads);
      const at::Tensor leaf = test::on(x).clone().set_requires_grad(true);
      const at::Tensor out = aggregate(sparse, leaf);
      (out * test::on(weights)).sum().backward();
      return std::pair(out.detach(), leaf.grad());
    };
    const int threads = at::get_num_threads();
    const auto [alone, gradient_alone] = run(1);
    const auto [together, gradient_together] = run(5);
    at::set_num_threads(threads);
    EXPECT_LT(test::distance(alone, reference.mm(x.to(at::kDouble))), 2e-6);
    EXPECT_LT(test::distance(gradient_alone, reference.t().mm(weights.to(at::kDouble))), 2e-6);
    EXPECT_TRUE(test::equal(alone, together));
    EXPECT_TRUE(test::equal(gradient_alone, gradient_together));
  }
}

INSTANTIATE_TEST_SUITE_P(Widths, LongRows, ::testing::Values(1, 63, 64, 130));

/// As a transposed table of features is: few rows, most of them long, of many columns.
CsrMatrix few_long_rows() {
  std::vector<std::int32_t> rows;
  std::vector<std::int32_t> cols;
  std::vector<float> values;
  constexpr std::int32_t columns = 3000;
  for (std::int32_t r = 0; r < 21; ++r) {
    // One is empty, one ends early, one begins late.
    for (std::int32_t c = r == 7 ? 2500 : 0; c < (r == 3   ? 0
                                                  : r == 5 ? 40
                                                           : columns);
         c += 1 + r % 4) {
      rows.push_back(r);
      cols.push_back(c);
      values.push_back(static_cast<float>((c * 7 + r) % 13) / 13.0F - 0.4F);
    }
  }
  return csr_from_entries(Context(), 21, columns, rows, cols, values);
}

TEST(Aggregate, FewLongRowsMatchTheDenseProduct) {
  const CsrMatrix matrix = few_long_rows();
  const SparseMatrix sparse(test::context(), matrix);
  at::Tensor reference = at::zeros({matrix.rows, matrix.cols}, at::kDouble);
  auto cells = reference.accessor<double, 2>();
  for (std::int64_t r = 0; r < matrix.rows; ++r) {
    for (std::int64_t e = matrix.offsets[r]; e < matrix.offsets[r + 1]; ++e) {
      cells[r][matrix.columns[e]] += matrix.value(e);
    }
  }
  for (const std::int64_t width : {4, 68, 130}) {
    const at::Tensor x = irregular({matrix.cols, width});
    const at::Tensor bias = irregular({width}, 1);
    const at::Tensor slope = at::full({1}, 0.2F);
    const at::Tensor exact = at::mm(reference, x.to(at::kDouble));
    const at::Tensor plain = test::on_host(aggregate(sparse, test::on(x))).to(at::kDouble);
    EXPECT_TRUE(plain.allclose(exact, 1e-5, 1e-4)) << width;
    const at::Tensor active =
        test::on_host(aggregate(sparse, test::on(x), {test::on(bias), test::on(slope)}))
            .to(at::kDouble);
    EXPECT_TRUE(
        active.allclose(leaky(exact + bias.to(at::kDouble), slope.to(at::kDouble)), 1e-5, 1e-4))
        << width;
  }
}

TEST(Aggregate, ShapesThatDoNotFitAreNamed) {
  const SparseMatrix sparse(test::context(), uneven_matrix());
  const auto zeros = [](at::IntArrayRef shape, at::ScalarType type = at::kFloat) {
    return at::zeros(shape, test::options(type));
  };
  EXPECT_THROW(aggregate(sparse, zeros({10, 2})), c10::Error);
  EXPECT_THROW(aggregate(sparse, zeros({11, 2}), {zeros({3}), {}}), c10::Error);
  EXPECT_THROW(aggregate(sparse, zeros({11, 2}), {{}, zeros({3})}), c10::Error);
  EXPECT_THROW(aggregate(sparse, zeros({11, 2}), {}, zeros({10}, at::kInt)), c10::Error);
}

TEST(Activate, HasNoSecondDerivative) {
  test::expect_no_second_derivative(
      [](const Tensors& in) {
        return activate(in[0], {in[1], in[2]});
      },
      {irregular({6, 3}), irregular({3}, 1), irregular({3}, 2)});
}

TEST(Activate, BiasAndSlope) {
  expect_matches(
      [](const Tensors& in) {
        return activate(in[0], {in[1], in[2]});
      },
      [](const Tensors& in) { return leaky(in[0] + in[1], in[2]); },
      {irregular({300, 3}), irregular({3}, 1), irregular({3}, 2)});
  expect_matches(
      [](const Tensors& in) {
        return activate(in[0], {{}, in[1]});
      },
      [](const Tensors& in) { return leaky(in[0], in[1]); },
      {irregular({6, 3}), at::full({1}, 0.25F)});
}

TEST(LinkedEntries, LeadBackToTheForwardEntry) {
  const CsrMatrix matrix = uneven_matrix();
  const SparseMatrix sparse(test::context(), matrix, SparseMatrix::Shape::general,
                            SparseMatrix::Entries::linked);
  const at::Tensor values = sparse.forward().values.index_select(0, sparse.linked_entries());
  EXPECT_TRUE(test::equal(values, sparse.transposed().values));
}

}  // namespace
}  // namespace creg::aggregate_test
