#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "creg/core/random.h"
#include "graph/build.h"
#include "support/arbitrary_graph.h"

namespace creg::build_properties_test {
namespace {

RC_GTEST_PROP(BuildProperties, TransposeTwiceIsTheSortedMatrix, ()) {
  const CsrMatrix m = test::arbitrary_graph().adjacency;
  const Context context;
  RC_ASSERT(test::same(transpose(context, transpose(context, m)), sort_rows(context, m)));
}

RC_GTEST_PROP(BuildProperties, TransposeHasTheSwappedEntries, ()) {
  const CsrMatrix m = test::arbitrary_graph().adjacency;
  test::Edges swapped;
  for (const auto& [u, v] : test::entries(m)) swapped.emplace_back(v, u);
  std::sort(swapped.begin(), swapped.end());
  RC_ASSERT(test::entries(transpose(Context(), m)) == swapped);
}

TEST(BuildProperties, TransposeIsTheSameForAnyNumberOfThreads) {
  constexpr std::int32_t nodes = 1000;
  constexpr int entries = 150'000;
  RandomStream random(7, Purpose::test);
  std::vector<std::int32_t> rows;
  std::vector<std::int32_t> cols;
  std::vector<float> values;
  for (int e = 0; e < entries; ++e) {
    rows.push_back(static_cast<std::int32_t>(random.below(nodes)));
    cols.push_back(static_cast<std::int32_t>(random.below(nodes)));
    values.push_back(static_cast<float>(e));
  }
  const Context one({.threads = 1});
  const Context many({.threads = 5});
  const CsrMatrix m = csr_from_entries(one, nodes, nodes, rows, cols, values);
  const CsrMatrix expected = csr_from_entries(one, nodes, nodes, cols, rows, values);
  EXPECT_TRUE(test::same(transpose(one, m), transpose(many, m)));
  EXPECT_TRUE(test::same(transpose(many, m), expected));
}

}  // namespace
}  // namespace creg::build_properties_test
