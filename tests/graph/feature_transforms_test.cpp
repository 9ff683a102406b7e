#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "creg/core/random.h"
#include "graph/transforms.h"
#include "support/expect_error.h"
#include "support/graphs.h"

namespace creg::feature_transforms_test {
namespace {

Graph with_features(std::int32_t rows, std::int64_t cols, std::vector<float> values, bool sparse) {
  Graph graph = test::path_graph(rows);
  const DenseMatrix dense{.rows = rows, .cols = cols, .values = std::move(values)};
  if (sparse) {
    graph.features = to_sparse(dense);
  } else {
    graph.features = dense;
  }
  return graph;
}

std::vector<float> dense_values(const Graph& graph) {
  const DenseMatrix dense = to_dense(graph.features);
  return {dense.values.begin(), dense.values.end()};
}

TEST(RowNormalise, DividesByTheSumButNotByLessThanOne) {
  for (const bool sparse : {false, true}) {
    const Graph graph = with_features(4, 2, {1, 3, 0.25F, 0.25F, 0, 0, -1, 0}, sparse);
    EXPECT_EQ(dense_values(row_normalise_features(Context(), graph)),
              (std::vector<float>{0.25F, 0.75F, 0.25F, 0.25F, 0, 0, -1, 0}));
    EXPECT_EQ(dense_values(row_normalise_features(Context(), graph, RowSum::plain)),
              (std::vector<float>{0.25F, 0.75F, 0.5F, 0.5F, 0, 0, 1, 0}));
  }
}

TEST(RowNormalise, CountsEntriesWithoutValuesAsOnes) {
  const Graph graph = with_features(2, 4, {1, 1, 1, 1, 0, 1, 0, 0}, true);
  ASSERT_TRUE(std::get<CsrMatrix>(graph.features).values.empty());
  EXPECT_EQ(dense_values(row_normalise_features(Context(), graph)),
            (std::vector<float>{0.25F, 0.25F, 0.25F, 0.25F, 0, 1, 0, 0}));
}

TEST(RowNormalise, RefusesToOverflow) {
  const float huge = std::numeric_limits<float>::max();
  const Graph graph = with_features(2, 3, {1, 1, 1, huge, -huge, 1e-3F}, false);
  test::expect_error([&] { row_normalise_features(Context(), graph, RowSum::plain); },
                     {"row-normalising", "too large", "node 1"});
}

TEST(ColumnMax, DividesColumnsThatHaveAPositiveValue) {
  for (const bool sparse : {false, true}) {
    const Graph graph = with_features(3, 3, {1, 0, -2, 4, 0, -4, -8, 0, 0}, sparse);
    EXPECT_EQ(dense_values(column_max_scale(Context(), graph)),
              (std::vector<float>{0.25F, 0, -2, 1, 0, -4, -2, 0, 0}));
  }
}

TEST(ColumnMax, SumsRepeatedEntriesFirst) {
  Graph graph = test::path_graph(2);
  graph.features = CsrMatrix{.rows = 2,
                             .cols = 2,
                             .offsets = std::vector<std::int64_t>{0, 3, 4},
                             .columns = std::vector<std::int32_t>{1, 0, 1, 1}};
  EXPECT_EQ(dense_values(column_max_scale(Context(), graph)), (std::vector<float>{1, 1, 0, 0.5F}));
}

TEST(Binarise, KeepsPositiveOnesWithoutValues) {
  for (const bool sparse : {false, true}) {
    std::vector<float> values(60);
    values[3] = 0.5F;
    values[20] = -2;
    values[41] = 7;
    const Graph result = binarise(Context(), with_features(2, 30, values, sparse));
    const auto& csr = std::get<CsrMatrix>(result.features);
    EXPECT_TRUE(csr.values.empty());
    EXPECT_EQ(csr.cols, 30);
    EXPECT_EQ(test::entries(csr), (test::Edges{{0, 3}, {1, 11}}));
  }
}

TEST(Standardise, GivesMeanZeroAndVarianceOne) {
  for (const bool sparse : {false, true}) {
    const Graph result = standardise(
        Context(), with_features(4, 3, {1, 0.1F, 0, 3, 0.1F, 0, 5, 0.1F, 0, 7, 0.1F, 4}, sparse));
    ASSERT_TRUE(std::holds_alternative<DenseMatrix>(result.features));
    const std::vector<float> v = dense_values(result);
    const auto a = static_cast<float>(3 / std::sqrt(5.0));
    const auto b = static_cast<float>(1 / std::sqrt(5.0));
    const auto c = static_cast<float>(1 / std::sqrt(3.0));
    const auto d = static_cast<float>(std::sqrt(3.0));
    const std::vector<float> expected = {-a, 0, -c, -b, 0, -c, b, 0, -c, a, 0, d};
    for (std::size_t i = 0; i < v.size(); ++i) EXPECT_FLOAT_EQ(v[i], expected[i]) << i;
  }
}

TEST(Standardise, DoesNotDependOnThreadsAndSurvivesALargeOffset) {
  constexpr std::int32_t rows = 40000;
  RandomStream random(5, Purpose::test);
  std::vector<float> values;
  for (int i = 0; i < rows * 2; ++i) values.push_back(1e4F + random.uniform());
  const Graph graph = with_features(rows, 2, values, false);
  const std::vector<float> one = dense_values(standardise(Context({.threads = 1}), graph));
  EXPECT_EQ(one, dense_values(standardise(Context({.threads = 4}), graph)));
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < one.size(); i += 2) {
    sum += one[i];
    squares += static_cast<double>(one[i]) * one[i];
  }
  EXPECT_NEAR(sum / rows, 0, 1e-6);
  EXPECT_NEAR(squares / rows, 1, 1e-5);
}

TEST(Standardise, RefusesWhatCannotFit) {
  Graph graph = test::path_graph(2);
  graph.features = CsrMatrix{
      .rows = 2, .cols = std::int64_t{1} << 40, .offsets = std::vector<std::int64_t>{0, 0, 0}};
  test::expect_error([&] { standardise(Context(), graph); }, {"do not fit into memory", "2 x"});
}

}  // namespace
}  // namespace creg::feature_transforms_test
