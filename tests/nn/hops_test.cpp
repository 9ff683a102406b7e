#include "creg/nn/inputs.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <stdexcept>

#include "creg/ops/aggregate.h"
#include "support/gradients.h"
#include "support/graphs.h"

namespace creg::hops_test {
namespace {

/// The matrix as numbers: its product with the identity.
at::Tensor cells(const SparseMatrix& matrix) {
  return aggregate(matrix, at::eye(matrix.cols(), test::options(at::kFloat)));
}

/// And of its transpose, through the backward pass.
at::Tensor transposed_cells(const SparseMatrix& matrix) {
  const at::Tensor x =
      at::zeros({matrix.cols(), matrix.rows()}, test::options(at::kFloat)).set_requires_grad(true);
  aggregate(matrix, x).backward(at::eye(matrix.rows(), test::options(at::kFloat)));
  return x.grad();
}

at::Tensor rows(std::initializer_list<double> values) {
  return at::tensor(std::vector<double>(values)).reshape({3, 3});
}

/// 0 -> 1 -> 2: row i gathers from what points at i.
class AggregationMatrix : public ::testing::Test {
 protected:
  AggregationMatrix() {
    graph_.adjacency = test::csr(3, {{0, 1}, {1, 2}});
    graph_.directed = true;
  }
  void expect(Aggregation kind, const at::Tensor& wanted) const {
    const SparseMatrix matrix = aggregation_matrix(test::context(), graph_, kind);
    EXPECT_LT(test::distance(cells(matrix), wanted), 1e-6);
    EXPECT_LT(test::distance(transposed_cells(matrix), wanted.t()), 1e-6);
  }
  Graph graph_;
};

TEST_F(AggregationMatrix, SumsTheInNeighboursAndTheNodeItself) {
  expect(Aggregation::sum, rows({1, 0, 0, 1, 1, 0, 0, 1, 1}));
}

TEST_F(AggregationMatrix, MeansHaveRowsOfSumOne) {
  expect(Aggregation::mean, rows({1, 0, 0, 0.5, 0.5, 0, 0, 0.5, 0.5}));
}

TEST_F(AggregationMatrix, AttentionSeesThePatternAlone) {
  graph_.adjacency = test::csr(3, {{0, 1}, {1, 2}}, {7, 9});
  expect(Aggregation::attention, rows({1, 0, 0, 1, 1, 0, 0, 1, 1}));
  const SparseMatrix matrix = aggregation_matrix(test::context(), graph_, Aggregation::attention);
  EXPECT_EQ(matrix.linked_entries().numel(), matrix.nonzeros());
}

TEST_F(AggregationMatrix, BothDirectionsMakeItItsOwnTranspose) {
  graph_.adjacency = test::csr(3, {{0, 1}, {1, 0}, {1, 2}, {2, 1}});
  graph_.directed = false;
  const double side = 1 / std::sqrt(6.0);
  expect(Aggregation::gcn, rows({0.5, side, 0, side, 1.0 / 3, side, 0, side, 0.5}));
  expect(Aggregation::sum, rows({1, 1, 0, 1, 1, 1, 0, 1, 1}));
  // Not the mean: rows are divided by their own length.
  expect(Aggregation::mean, rows({0.5, 0.5, 0, 1.0 / 3, 1.0 / 3, 1.0 / 3, 0, 0.5, 0.5}));
}

TEST(Hops, OneMatrixServesAllLayersAndSeveralOneEach) {
  const SparseMatrix first(test::context(), test::csr(2, {{0, 1}}));
  const SparseMatrix second(test::context(), test::csr(2, {{1, 0}, {1, 1}}));
  const Hops same(first);
  EXPECT_EQ(same.of_layer(0).nonzeros(), 1);
  EXPECT_EQ(same.of_layer(5).nonzeros(), 1);
  const Hops own(std::vector<SparseMatrix>{first, second});
  EXPECT_EQ(own.of_layer(0).nonzeros(), 1);
  EXPECT_EQ(own.of_layer(1).nonzeros(), 2);
  EXPECT_THROW(own.of_layer(2), std::out_of_range);
}

}  // namespace
}  // namespace creg::hops_test
