#include "learn/structure_features.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "creg/core/random.h"
#include "learn/eigen_solvers.h"
#include "support/graphs.h"

namespace creg::structure_features_test {
namespace {

class StructureFeaturesBy : public test::WithEigenSolver {};
CREG_FOR_EACH_EIGEN_SOLVER(StructureFeaturesBy);

Graph graph_of(std::int32_t nodes, const test::Edges& edges,
               const std::vector<float>& weights = {}) {
  Graph graph;
  graph.name = "made";
  graph.adjacency = test::csr(nodes, edges, weights);
  return graph;
}

Graph both_ways(std::int32_t nodes, const test::Edges& edges) {
  test::Edges all;
  for (const auto& [u, v] : edges) {
    all.emplace_back(u, v);
    all.emplace_back(v, u);
  }
  return graph_of(nodes, all);
}

/// About `degree` neighbours each, none twice.
Graph random_graph(std::int32_t nodes, double degree) {
  RandomStream stream(5, Purpose::test);
  std::set<std::pair<std::int32_t, std::int32_t>> edges;
  const auto count = static_cast<std::size_t>(degree / 2 * nodes);
  while (edges.size() < count) {
    const auto u = static_cast<std::int32_t>(stream.below(static_cast<std::uint64_t>(nodes)));
    const auto v = static_cast<std::int32_t>(stream.below(static_cast<std::uint64_t>(nodes)));
    if (u != v) edges.emplace(std::min(u, v), std::max(u, v));
  }
  return both_ways(nodes, {edges.begin(), edges.end()});
}

/// Â by its formula: each direction of an edge gives both.
std::vector<double> dense_propagation(const Graph& graph) {
  const auto n = static_cast<std::size_t>(graph.nodes());
  std::vector<double> a(n * n, 0.0);
  for (std::size_t u = 0; u < n; ++u) {
    for (std::int64_t e = graph.adjacency.offsets[u]; e < graph.adjacency.offsets[u + 1]; ++e) {
      const auto v = static_cast<std::size_t>(graph.adjacency.columns[e]);
      const double weight = std::abs(graph.adjacency.value(e));
      a[u * n + v] = std::max(a[u * n + v], weight);
      a[v * n + u] = std::max(a[v * n + u], weight);
    }
  }
  std::vector<double> degree(n, 0.0);
  for (std::size_t u = 0; u < n; ++u) {
    if (a[u * n + u] == 0) a[u * n + u] = 1;
    for (std::size_t v = 0; v < n; ++v) degree[u] += a[u * n + v];
  }
  for (std::size_t u = 0; u < n; ++u) {
    for (std::size_t v = 0; v < n; ++v) a[u * n + v] /= std::sqrt(degree[u] * degree[v]);
  }
  return a;
}

/// Eigenvectors of the dense matrix, orthonormal, and with the largest of its values.
void expect_largest(const Graph& graph, const StructureEigen& found,
                    const learn::EigenSolver& solver, double tolerance) {
  const auto n = static_cast<std::size_t>(graph.nodes());
  const auto k = static_cast<std::size_t>(found.columns);
  const std::vector<double> a = dense_propagation(graph);
  const learn::SymmetricEigen all = solver(a, graph.nodes());
  ASSERT_EQ(found.values.size(), k);
  ASSERT_EQ(found.vectors.size(), n * k);
  for (std::size_t j = 0; j < k; ++j) {
    EXPECT_NEAR(found.values[j], all.values[n - 1 - j], tolerance) << j;
    for (std::size_t l = 0; l <= j; ++l) {
      double product = 0;
      for (std::size_t i = 0; i < n; ++i) {
        product += found.vectors[i * k + j] * found.vectors[i * k + l];
      }
      EXPECT_NEAR(product, j == l ? 1 : 0, 1e-10) << j << ", " << l;
    }
    double rest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      double sum = -found.values[j] * found.vectors[i * k + j];
      for (std::size_t l = 0; l < n; ++l) sum += a[i * n + l] * found.vectors[l * k + j];
      rest += sum * sum;
    }
    EXPECT_LT(std::sqrt(rest), tolerance) << j;
  }
}

TEST_P(StructureFeaturesBy, SmallGraphsHaveAllTheirEigenvectors) {
  const Context context;
  for (const Graph& graph : {test::path_graph(7), both_ways(5, {{0, 1}, {0, 2}, {0, 3}, {0, 4}}),
                             both_ways(6, {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}}),
                             graph_of(1, {}), graph_of(4, {}), graph_of(3, {{1, 1}})}) {
    for (std::int64_t k = 1; k <= graph.nodes(); ++k) {
      expect_largest(graph, structure_eigen(context, graph, k, solver()), solver(), 1e-9);
    }
  }
}

TEST_P(StructureFeaturesBy, AreTheLargestOfLargerGraphs) {
  const Graph graph = random_graph(400, 6);
  expect_largest(graph, structure_eigen(Context(), graph, 20, solver()), solver(), 2e-5);
  // Values below those of the block are wanted too where it is nearly the whole space.
  expect_largest(graph, structure_eigen(Context(), graph, 390, solver()), solver(), 1e-9);
}

TEST_P(StructureFeaturesBy, EqualEigenvaluesHaveABasis) {
  // Of a complete graph all values but one are 0; of loose nodes and pairs of them many are 1.
  test::Edges edges;
  for (std::int32_t u = 0; u < 200; ++u) {
    for (std::int32_t v = 0; v < u; ++v) edges.emplace_back(u, v);
  }
  const Graph complete = both_ways(200, edges);
  expect_largest(complete, structure_eigen(Context(), complete, 10, solver()), solver(), 2e-5);
  edges.clear();
  for (std::int32_t u = 0; u < 100; ++u) edges.emplace_back(2 * u, 2 * u + 1);
  const Graph pairs = both_ways(300, edges);
  expect_largest(pairs, structure_eigen(Context(), pairs, 30, solver()), solver(), 2e-5);
}

TEST_P(StructureFeaturesBy, DirectionsAndWeightsOfEdges) {
  const test::Edges edges = {{0, 1}, {1, 0}, {1, 2}, {3, 2}, {3, 4}, {4, 0}, {4, 4}};
  Graph graph = graph_of(5, edges, {1, 3, 0.5F, -2, 1, 4, 2});
  graph.directed = true;
  const StructureEigen found = structure_eigen(Context(), graph, 5, solver());
  expect_largest(graph, found, solver(), 1e-9);
  graph.directed = false;
  EXPECT_EQ(structure_eigen(Context(), graph, 5, solver()).vectors, found.vectors);
}

TEST_P(StructureFeaturesBy, DoNotDependOnThreads) {
  const Graph graph = random_graph(3000, 5);
  const DenseMatrix one = structure_features(Context({.threads = 1}), graph, 16, solver());
  const DenseMatrix four = structure_features(Context({.threads = 4}), graph, 16, solver());
  const DenseMatrix seeded =
      structure_features(Context({.threads = 3, .seed = 7}), graph, 16, solver());
  EXPECT_TRUE(test::same(one.values, four.values));
  EXPECT_TRUE(test::same(one.values, seeded.values));
}

/// Rounding changes with the order of nodes, and the bases of equal eigenvalues do not.
TEST_P(StructureFeaturesBy, RoundingChoosesNoBasis) {
  // A ring and two loose nodes: nearly all values are double.
  test::Edges edges;
  for (std::int32_t u = 0; u < 40; ++u) edges.emplace_back(u, (u + 1) % 40);
  const Graph ring = both_ways(42, edges);
  const StructureEigen whole = structure_eigen(Context(), ring, 12, solver());
  const auto perturbed = [&](std::vector<double> matrix, std::int64_t n) {
    for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] *= 1 + 1e-14 * std::cos(i);
    learn::SymmetricEigen eigen = solver()(std::move(matrix), n);
    for (std::size_t i = 0; i < eigen.vectors.size(); ++i) {
      if (i % static_cast<std::size_t>(n) % 3 == 0) eigen.vectors[i] = -eigen.vectors[i];
    }
    return eigen;
  };
  const StructureEigen other = structure_eigen(Context(), ring, 12, perturbed);
  // Of the last double value a vector alone may be among the 12.
  for (std::size_t i = 0; i < 42; ++i) {
    for (std::size_t j = 0; j < 11; ++j) {
      EXPECT_NEAR(whole.vectors[i * 12 + j], other.vectors[i * 12 + j], 1e-6) << i << ", " << j;
    }
  }
}

TEST_P(StructureFeaturesBy, ProductsOfRowsAreWalks) {
  // All eigenvectors: F Fᵀ = 16 N / k · mean of Â^t, where no eigenvalue's mean is negative.
  const Graph graph = both_ways(5, {{0, 1}, {1, 2}, {2, 0}, {2, 3}});
  const DenseMatrix f = structure_features(Context(), graph, 128, solver());
  ASSERT_EQ(f.cols, 5);
  const std::vector<double> a = dense_propagation(graph);
  std::vector<double> power(25, 0.0);
  std::vector<double> mean(25, 0.0);
  for (std::size_t i = 0; i < 5; ++i) power[i * 5 + i] = 1;
  for (int t = 0; t < 10; ++t) {
    std::vector<double> next(25, 0.0);
    for (std::size_t i = 0; i < 25; ++i) {
      for (std::size_t l = 0; l < 5; ++l) next[i] += power[i / 5 * 5 + l] * a[l * 5 + i % 5];
    }
    power = next;
    for (std::size_t i = 0; i < 25; ++i) mean[i] += power[i] / 10;
  }
  for (std::int64_t i = 0; i < 5; ++i) {
    for (std::int64_t j = 0; j < 5; ++j) {
      double product = 0;
      for (std::size_t c = 0; c < 5; ++c) product += f.row(i)[c] * f.row(j)[c];
      EXPECT_NEAR(product / 16, mean[static_cast<std::size_t>(i * 5 + j)], 0.02);
    }
  }
}

/// A ring of 60 nodes, 90 pairs and 30 loose nodes: the eigenvalue 1 has 121 vectors.
Graph crowd() {
  test::Edges edges;
  for (std::int32_t u = 0; u < 60; ++u) edges.emplace_back(u, (u + 1) % 60);
  for (std::int32_t u = 0; u < 90; ++u) edges.emplace_back(60 + 2 * u, 61 + 2 * u);
  return both_ways(270, edges);
}

TEST_P(StructureFeaturesBy, ManyComponentsShareAQuarterOfTheColumns) {
  const Graph graph = crowd();
  const DenseMatrix f = structure_features(Context({.threads = 1}), graph, 16, solver());
  EXPECT_TRUE(test::same(f.values,
                         structure_features(Context({.threads = 4}), graph, 16, solver()).values));
  // Of a ring the values below 1 are (1 + 2 cos 2πj/60) / 3, each twice.
  for (std::int64_t c = 4; c < 16; ++c) {
    const double value =
        (1 + 2 * std::cos(2 * 3.14159265358979 * static_cast<double>((c - 4) / 2 + 1) / 60)) / 3;
    double sum = 0;
    for (std::int64_t i = 0; i < 60; ++i) {
      const auto at = [&](std::int64_t node) { return f.values[node % 60 * 16 + c]; };
      EXPECT_NEAR((at(i + 59) + at(i) + at(i + 1)) / 3, value * at(i), 1e-3);
      sum += at(i) * at(i);
    }
    EXPECT_GT(sum, 16.0 * 270 / 16 / 4);
    for (std::int64_t i = 60; i < 270; ++i) EXPECT_NEAR(f.values[i * 16 + c], 0, 1e-3);
  }
  // The two nodes of a pair are alike, and no two pairs are.
  for (std::int64_t c = 0; c < 4; ++c) {
    EXPECT_FLOAT_EQ(f.values[60 * 16 + c], f.values[61 * 16 + c]);
    EXPECT_NE(f.values[60 * 16 + c], f.values[62 * 16 + c]);
  }
}

TEST_P(StructureFeaturesBy, WithoutEdgesNodesAreToldApart) {
  const DenseMatrix f = structure_features(Context(), graph_of(30, {}), 8, solver());
  for (std::int64_t i = 1; i < 30; ++i) EXPECT_NE(f.row(i)[0], f.row(i - 1)[0]);
  for (const float value : f.values) EXPECT_TRUE(std::isfinite(value));
}

TEST_P(StructureFeaturesBy, RowsAreFourLongAtMost) {
  const DenseMatrix f = structure_features(Context(), random_graph(600, 4), 32, solver());
  double sum = 0;
  for (const float value : f.values) sum += static_cast<double>(value) * value;
  EXPECT_GT(sum / 600, 4);
  EXPECT_LE(sum / 600, 16.001);
}

}  // namespace
}  // namespace creg::structure_features_test
