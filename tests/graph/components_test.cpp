#include "graph/components.h"

#include <gtest/gtest.h>

#include "creg/core/random.h"
#include "support/graphs.h"

namespace creg::components_test {
namespace {

std::vector<std::int32_t> ids(const Components& components) {
  return {components.of_node.begin(), components.of_node.end()};
}

TEST(Components, AreNumberedByTheirSmallestNode) {
  const Components c = connected_components(Context(), test::two_triangles().adjacency);
  EXPECT_EQ(ids(c), (std::vector<std::int32_t>{0, 0, 0, 1, 1, 1, 2}));
  EXPECT_EQ(c.sizes, (std::vector<std::int64_t>{3, 3, 1}));
  EXPECT_EQ(c.largest(), 0);
}

TEST(Components, DirectionDoesNotMatter) {
  const Components c = connected_components(Context(), test::csr(5, {{4, 0}, {2, 4}, {3, 1}}));
  EXPECT_EQ(ids(c), (std::vector<std::int32_t>{0, 1, 0, 1, 0}));
  EXPECT_EQ(c.largest(), 0);
}

TEST(Components, OfNothing) {
  const Components c = connected_components(Context(), test::csr(0, {}));
  EXPECT_EQ(c.count(), 0);
  EXPECT_EQ(c.largest(), -1);
  EXPECT_EQ(connected_components(Context(), test::csr(1, {})).count(), 1);
}

TEST(Components, ManyThreadsAgreeWithASearch) {
  constexpr std::int32_t nodes = 30000;
  RandomStream random(3, Purpose::test);
  test::Edges edges;
  std::vector<std::vector<std::int32_t>> neighbours(nodes);
  for (int e = 0; e < nodes; ++e) {
    const auto u = static_cast<std::int32_t>(random.below(nodes));
    const auto v = static_cast<std::int32_t>(random.below(nodes));
    edges.emplace_back(u, v);
    neighbours[static_cast<std::size_t>(u)].push_back(v);
    neighbours[static_cast<std::size_t>(v)].push_back(u);
  }
  std::vector<std::int32_t> expected(nodes, -1);
  std::int32_t next = 0;
  for (std::int32_t start = 0; start < nodes; ++start) {
    if (expected[static_cast<std::size_t>(start)] >= 0) continue;
    std::vector<std::int32_t> open = {start};
    expected[static_cast<std::size_t>(start)] = next;
    while (!open.empty()) {
      const std::int32_t u = open.back();
      open.pop_back();
      for (const std::int32_t v : neighbours[static_cast<std::size_t>(u)]) {
        if (expected[static_cast<std::size_t>(v)] >= 0) continue;
        expected[static_cast<std::size_t>(v)] = next;
        open.push_back(v);
      }
    }
    ++next;
  }
  const Context context({.threads = 4});
  EXPECT_EQ(ids(connected_components(context, test::csr(nodes, edges))), expected);
}

}  // namespace
}  // namespace creg::components_test
