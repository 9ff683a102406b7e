#include "graph/neighbourhood.h"

#include <gtest/gtest.h>

#include "support/graphs.h"

namespace creg::neighbourhood_test {
namespace {

using Nodes = std::vector<std::int32_t>;

TEST(Neighbourhood, GrowsHopByHopAlongTheRows) {
  const CsrMatrix adjacency =
      test::csr(7, {{0, 1}, {1, 0}, {1, 2}, {2, 3}, {3, 3}, {3, 4}, {5, 0}, {6, 5}});
  EXPECT_EQ(nodes_within(adjacency, Nodes{1}, 0), Nodes{1});
  EXPECT_EQ(nodes_within(adjacency, Nodes{1}, 1), (Nodes{1, 0, 2}));
  EXPECT_EQ(nodes_within(adjacency, Nodes{1}, 2), (Nodes{1, 0, 2, 3}));
  EXPECT_EQ(nodes_within(adjacency, Nodes{1}, 9), (Nodes{1, 0, 2, 3, 4}));
  EXPECT_EQ(nodes_within(adjacency, Nodes{6, 1, 6}, 1), (Nodes{6, 1, 5, 0, 2}));
  EXPECT_EQ(nodes_within(adjacency, Nodes{}, 3), Nodes{});
}

}  // namespace
}  // namespace creg::neighbourhood_test
