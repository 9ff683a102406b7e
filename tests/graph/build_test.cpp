#include "graph/build.h"

#include <gtest/gtest.h>

#include "creg/core/error.h"
#include "support/graphs.h"

namespace creg::build_test {
namespace {

using test::Edges;

TEST(CsrFromEntries, SortsColumnsAndKeepsRepeats) {
  const CsrMatrix m = test::csr(4, {{2, 3}, {0, 1}, {2, 0}, {0, 1}, {3, 3}});
  EXPECT_EQ(test::entries(m), (Edges{{0, 1}, {0, 1}, {2, 0}, {2, 3}, {3, 3}}));
  EXPECT_TRUE(m.values.empty());
  EXPECT_EQ(m.offsets.size(), 5);
}

TEST(CsrFromEntries, EqualColumnsKeepTheInputOrderOfTheirValues) {
  const CsrMatrix m = test::csr(2, {{0, 1}, {0, 0}, {0, 1}, {0, 1}}, {1, 2, 3, 4});
  const std::vector<float> values(m.values.begin(), m.values.end());
  EXPECT_EQ(values, (std::vector<float>{2, 1, 3, 4}));
}

TEST(CsrFromEntries, RefusesEntriesOutside) {
  EXPECT_THROW(test::csr(2, {{0, 2}}), Bug);
  EXPECT_THROW(test::csr(2, {{-1, 0}}), Bug);
}

TEST(CsrFromEntries, EmptyMatrixHasOneOffset) {
  const CsrMatrix m = test::csr(0, {});
  EXPECT_EQ(m.offsets.size(), 1);
  EXPECT_EQ(m.nonzeros(), 0);
}

TEST(Transpose, SwapsRowsAndColumnsWithTheirValues) {
  const std::vector<std::int32_t> rows = {0, 0, 1};
  const std::vector<std::int32_t> cols = {2, 0, 2};
  const std::vector<float> values = {5, 6, 7};
  const CsrMatrix m = csr_from_entries(Context(), 2, 3, rows, cols, values);
  const CsrMatrix t = transpose(Context(), m);
  EXPECT_EQ(t.rows, 3);
  EXPECT_EQ(t.cols, 2);
  EXPECT_EQ(test::entries(t), (Edges{{0, 0}, {2, 0}, {2, 1}}));
  EXPECT_EQ(t.values[0], 6);
  EXPECT_EQ(t.values[1], 5);
  EXPECT_EQ(t.values[2], 7);
}

TEST(SortRows, SortsAndLeavesSortedOnesAlone) {
  CsrMatrix m = test::csr(3, {{0, 1}, {0, 2}, {1, 0}});
  EXPECT_EQ(sort_rows(Context(), m).columns.data(), m.columns.data());
  m.columns = std::vector<std::int32_t>{2, 1, 0};
  m.values = std::vector<float>{20, 10, 30};
  const CsrMatrix sorted = sort_rows(Context(), m);
  EXPECT_EQ(test::entries(sorted), (Edges{{0, 1}, {0, 2}, {1, 0}}));
  EXPECT_EQ(sorted.values[0], 10);
}

TEST(SortRows, KeepsTheOrderOfEqualColumnsHoweverWideTheMatrix) {
  for (const std::int64_t cols : {std::int64_t{4}, std::int64_t{1000}}) {
    CsrMatrix m = test::csr(2, {{0, 0}, {0, 0}, {0, 0}, {1, 0}, {1, 0}});
    m.cols = cols;
    m.columns = std::vector<std::int32_t>{3, 1, 3, 2, 0};
    m.values = std::vector<float>{1, 2, 3, 4, 5};
    const CsrMatrix sorted = sort_rows(Context(), m);
    EXPECT_EQ(sorted.rows, 2);
    EXPECT_EQ(sorted.cols, cols);
    EXPECT_EQ(test::entries(sorted), (Edges{{0, 1}, {0, 3}, {0, 3}, {1, 0}, {1, 2}}));
    EXPECT_EQ(std::vector<float>(sorted.values.begin(), sorted.values.end()),
              (std::vector<float>{2, 1, 3, 5, 4}));
  }
}

}  // namespace
}  // namespace creg::build_test
