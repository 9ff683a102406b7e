#include "learn/sparse_product.h"

#include <gtest/gtest.h>

#include "creg/core/random.h"
#include "support/graphs.h"

namespace creg::sparse_product_test {
namespace {

DenseMatrix random_rows(std::int64_t rows, std::int64_t cols) {
  RandomStream stream(3, Purpose::test);
  std::vector<float> values;
  for (std::int64_t i = 0; i < rows * cols; ++i) {
    values.push_back(static_cast<float>(stream.normal()));
  }
  return {.rows = rows, .cols = cols, .values = std::move(values)};
}

TEST(SparseProduct, IsTheSumOverEntries) {
  const test::Edges edges = {{0, 1}, {0, 3}, {2, 0}, {2, 1}, {2, 2}, {3, 3}};
  for (const bool weighted : {false, true}) {
    const CsrMatrix matrix = test::csr(
        4, edges, weighted ? std::vector<float>{2, -1, 3, 0.5F, 4, 7} : std::vector<float>{});
    for (const std::int64_t cols : {1, 5, 37}) {
      const DenseMatrix x = random_rows(4, cols);
      const DenseMatrix found = sparse_product(Context(), matrix, x);
      ASSERT_EQ(found.rows, 4);
      ASSERT_EQ(found.cols, cols);
      for (std::int64_t r = 0; r < 4; ++r) {
        for (std::int64_t k = 0; k < cols; ++k) {
          double sum = 0;
          for (std::int64_t e = matrix.offsets[r]; e < matrix.offsets[r + 1]; ++e) {
            sum += static_cast<double>(matrix.value(e)) * x.values[matrix.columns[e] * cols + k];
          }
          EXPECT_NEAR(found.values[r * cols + k], sum, 1e-5) << r << ' ' << k;
        }
      }
    }
  }
}

TEST(SparseProduct, DoesNotDependOnThreads) {
  const Graph graph = test::path_graph(500);
  const DenseMatrix x = random_rows(500, 9);
  EXPECT_TRUE(test::same(sparse_product(Context({.threads = 1}), graph.adjacency, x).values,
                         sparse_product(Context({.threads = 4}), graph.adjacency, x).values));
}

}  // namespace
}  // namespace creg::sparse_product_test
