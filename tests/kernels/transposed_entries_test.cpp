#include "kernels/transposed_entries.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/made_up.h"

namespace creg::transposed_entries_test {
namespace {

TEST(TransposedEntries, LinkEachEntryWithItsOwn) {
  const test::Pattern m(17, 9);
  std::vector<std::pair<std::int32_t, std::int64_t>> by_column;
  for (std::int64_t e = 0; e < m.entries(); ++e) by_column.emplace_back(m.columns[e], e);
  std::stable_sort(by_column.begin(), by_column.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::int64_t> offsets(10, 0);
  for (const auto& [column, e] : by_column) ++offsets[column + 1];
  for (std::size_t c = 1; c < offsets.size(); ++c) offsets[c] += offsets[c - 1];
  const kernels::TransposedEntries entries{
      17, 9, m.entries(), m.offsets.data(), m.columns.data(), offsets.data()};
  const OneWorker worker;
  std::vector<std::int64_t> linked(by_column.size(), -1);
  cpu::link_entries({.workers = &worker}, entries, linked.data());
  const test::Floats values = test::random_floats(m.entries());
  test::Floats turned(values.size());
  cpu::transpose_values({.workers = &worker}, entries, values.data(), turned.data());
  for (std::size_t t = 0; t < linked.size(); ++t) {
    EXPECT_EQ(linked[t], by_column[t].second);
    EXPECT_EQ(turned[t], values[static_cast<std::size_t>(by_column[t].second)]);
  }
}

}  // namespace
}  // namespace creg::transposed_entries_test
