#include "graph/centrality.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/attributed_graph.h"
#include "support/dense.h"
#include "support/graphs.h"

namespace creg::centrality_test {
namespace {

/// Two hubs that share leaves, one of them joined with a triangle; one-way edges too.
CsrMatrix uneven() {
  return test::csr(8, {{0, 1},
                       {1, 0},
                       {0, 2},
                       {2, 0},
                       {0, 3},
                       {3, 0},
                       {3, 4},
                       {4, 5},
                       {5, 3},
                       {6, 0},
                       {6, 3},
                       {3, 6},
                       {1, 7}});
}

TEST(DegreeCentrality, CountsNeighboursEitherWayOnce) {
  EXPECT_EQ(degree_centrality(Context(), uneven()), (std::vector<double>{4, 2, 1, 4, 2, 2, 2, 1}));
  // A loop, an edge stored twice, one-way edges, a lonely node.
  EXPECT_EQ(degree_centrality(Context(), test::two_triangles().adjacency),
            (std::vector<double>{3, 2, 2, 2, 2, 2, 0}));
}

TEST(DegreeCentrality, IsTheRowLengthOfASymmetricGraph) {
  const Graph graph = test::two_groups();
  const std::vector<double> degrees = degree_centrality(Context(), graph.adjacency);
  for (std::int64_t i = 0; i < graph.nodes(); ++i) {
    EXPECT_EQ(degrees[static_cast<std::size_t>(i)],
              static_cast<double>(graph.adjacency.row(i).size()));
  }
}

TEST(PagerankCentrality, IsTheFormulaIterated) {
  const test::Dense a = test::dense_of(uneven());
  std::vector<double> x(8, 1);
  for (int iterations = 0; iterations < 5; ++iterations) {
    const std::vector<double> found = pagerank_centrality(Context(), uneven(), iterations);
    for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(found[i], x[i], 1e-12) << iterations;
    std::vector<double> next(8, 0);
    for (std::int64_t i = 0; i < 8; ++i) {
      for (std::int64_t j = 0; j < 8; ++j) {
        double out = 0;
        for (std::int64_t k = 0; k < 8; ++k) out += a(j, k);
        if (a(j, i) > 0) {
          next[static_cast<std::size_t>(i)] += 0.85 * x[static_cast<std::size_t>(j)] / out;
        }
      }
      next[static_cast<std::size_t>(i)] += 0.15 * x[static_cast<std::size_t>(i)];
    }
    x = next;
  }
}

/// The definition: A^T x = factor * x, for the largest factor; and of length 1.
void expect_leading(const CsrMatrix& adjacency, double factor) {
  const std::vector<double> x = eigenvector_centrality(Context(), adjacency);
  const test::Dense a = test::dense_of(adjacency);
  double squares = 0;
  for (std::int64_t i = 0; i < adjacency.rows; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < adjacency.rows; ++j) {
      sum += a(j, i) * x[static_cast<std::size_t>(j)];
    }
    const double value = x[static_cast<std::size_t>(i)];
    EXPECT_NEAR(sum, factor * value, 1e-7) << "node " << i;
    EXPECT_GE(value, 0);
    squares += value * value;
  }
  EXPECT_NEAR(squares, 1, 1e-12);
}

TEST(EigenvectorCentrality, IsTheLeadingEigenvector) {
  expect_leading(test::path_graph(2).adjacency, 1);
  // A path of n nodes: 2 cos(pi / (n + 1)); bipartite, where plain powers would not settle.
  expect_leading(test::path_graph(7).adjacency, 2 * std::cos(std::acos(-1.0) / 8));
  // A star of 4 leaves: 2.
  const CsrMatrix star =
      test::csr(5, {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 0}, {2, 0}, {3, 0}, {4, 0}});
  expect_leading(star, 2);
  const std::vector<double> x = eigenvector_centrality(Context(), star);
  EXPECT_NEAR(x[0], std::sqrt(0.5), 1e-8);
  EXPECT_NEAR(x[1], std::sqrt(0.125), 1e-8);
}

TEST(EigenvectorCentrality, FollowsTheEdges) {
  // 0 <-> 1 -> 2: 2 hears of the others, nobody hears of 2.
  const std::vector<double> x =
      eigenvector_centrality(Context(), test::csr(3, {{0, 1}, {1, 0}, {1, 2}}));
  for (const double value : x) EXPECT_NEAR(value, std::sqrt(1.0 / 3), 1e-8);
}

TEST(EigenvectorCentrality, OfSeveralComponentsTheDenserOneCounts) {
  test::Edges edges;
  for (std::int32_t u = 0; u < 4; ++u) {
    for (std::int32_t v = 0; v < 4; ++v) {
      if (u != v) edges.emplace_back(u, v);
    }
  }
  edges.emplace_back(4, 5);
  edges.emplace_back(5, 4);
  const std::vector<double> x = eigenvector_centrality(Context(), test::csr(7, edges));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(x[i], 0.5, 1e-8);
  for (std::size_t i = 4; i < 7; ++i) EXPECT_NEAR(x[i], 0, 1e-8);
}

TEST(Centralities, TakeGraphsWithoutNodesOrEdges) {
  for (const std::int64_t nodes : {0, 1, 4}) {
    const CsrMatrix a = test::csr(nodes, {});
    const auto n = static_cast<std::size_t>(nodes);
    EXPECT_EQ(degree_centrality(Context(), a), std::vector<double>(n, 0));
    EXPECT_EQ(pagerank_centrality(Context(), a, 1), std::vector<double>(n, 0.15));
    for (const double value : eigenvector_centrality(Context(), a)) {
      EXPECT_NEAR(value * value * static_cast<double>(nodes), 1, 1e-12);
    }
  }
}

}  // namespace
}  // namespace creg::centrality_test
