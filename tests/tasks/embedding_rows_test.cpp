#include "tasks/embedding_rows.h"

#include <gtest/gtest.h>

#include <cmath>

#include "creg/core/random.h"
#include "creg/tasks/cluster.h"
#include "creg/tasks/link.h"
#include "support/attributed_graph.h"
#include "support/expect_error.h"
#include "tasks/handed_in.h"

namespace creg::embedding_rows_test {
namespace {

constexpr std::int64_t cols = 5;

DenseMatrix random_rows(std::int64_t rows) {
  RandomStream stream(4, Purpose::test);
  std::vector<float> values;
  for (std::int64_t i = 0; i < rows * cols; ++i) {
    values.push_back(static_cast<float>(1 + stream.normal()));
  }
  return {.rows = rows, .cols = cols, .values = std::move(values)};
}

// Neither principal components nor a hidden layer are asked for: nothing need be handed in.
ClusterResult clustered(const Graph& graph, const DenseMatrix& h, int smooth = 0) {
  return tasks::cluster_by({}, Context(), graph, h, {.smooth = smooth});
}
LinkResult linked(const EdgeSplit& split, const DenseMatrix& h, int smooth = 0) {
  return tasks::predict_links_by({}, Context(), split, 2, h, {.smooth = smooth});
}

/// H + (D^-1/2 (A+I) D^-1/2)^n H, entry by entry in double. Messages follow the edges u -> v.
std::vector<double> formula(const Graph& graph, const DenseMatrix& h, int power) {
  const std::int64_t nodes = graph.nodes();
  const auto at = [nodes](std::int64_t row, std::int64_t col) {
    return static_cast<std::size_t>(row * nodes + col);
  };
  std::vector<double> a(static_cast<std::size_t>(nodes * nodes));
  for (std::int64_t u = 0; u < nodes; ++u) {
    a[at(u, u)] = 1;
    for (const std::int32_t v : graph.adjacency.row(u)) a[at(v, u)] = 1;
  }
  std::vector<double> degrees(static_cast<std::size_t>(nodes));
  for (std::int64_t v = 0; v < nodes; ++v) {
    for (std::int64_t u = 0; u < nodes; ++u) degrees[static_cast<std::size_t>(v)] += a[at(v, u)];
  }
  std::vector<double> far(h.values.begin(), h.values.end());
  for (int step = 0; step < power; ++step) {
    std::vector<double> next(far.size());
    for (std::int64_t v = 0; v < nodes; ++v) {
      for (std::int64_t u = 0; u < nodes; ++u) {
        const double weight = a[at(v, u)] / std::sqrt(degrees[static_cast<std::size_t>(v)] *
                                                      degrees[static_cast<std::size_t>(u)]);
        for (std::int64_t k = 0; k < cols; ++k) {
          next[static_cast<std::size_t>(v * cols + k)] +=
              weight * far[static_cast<std::size_t>(u * cols + k)];
        }
      }
    }
    far = next;
  }
  for (std::size_t i = 0; i < far.size(); ++i) {
    far[i] += h.values[static_cast<std::int64_t>(i)];
  }
  return far;
}

void expect_near(const DenseMatrix& found, const std::vector<double>& wanted) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_NEAR(found.values[static_cast<std::int64_t>(i)], wanted[i], 1e-4) << i;
  }
}

TEST(JudgedRows, AreSmoothedByPowersOfTheGraphsMatrix) {
  Graph graph = test::two_groups();
  const DenseMatrix h = random_rows(graph.nodes());
  for (const bool directed : {false, true}) {
    if (directed) {
      test::Edges edges;
      for (const auto& [u, v] : test::entries(graph.adjacency)) {
        if (u < v) edges.emplace_back(u, v);
      }
      graph.adjacency = test::csr(graph.nodes(), edges);
      graph.directed = true;
    }
    for (const int power : {1, 2, 5}) {
      expect_near(tasks::judged_rows(Context(), graph, h, power, Normalize::none),
                  formula(graph, h, power));
    }
  }
}

TEST(JudgedRows, LengthsAreOfWhatWasSmoothed) {
  const Graph graph = test::two_groups();
  const DenseMatrix h = random_rows(graph.nodes());
  std::vector<double> wanted = formula(graph, h, 3);
  for (std::int64_t i = 0; i < graph.nodes(); ++i) {
    double* const row = wanted.data() + i * cols;
    double squares = 0;
    for (std::int64_t k = 0; k < cols; ++k) squares += row[k] * row[k];
    for (std::int64_t k = 0; k < cols; ++k) row[k] /= std::sqrt(squares);
  }
  expect_near(tasks::judged_rows(Context(), graph, h, 3, Normalize::l2), wanted);
}

TEST(JudgedRows, AreTheEmbeddingWhereNothingIsAsked) {
  const Graph graph = test::two_groups();
  const DenseMatrix h = random_rows(graph.nodes());
  EXPECT_TRUE(
      test::same(tasks::judged_rows(Context(), graph, h, 0, Normalize::none).values, h.values));
  test::expect_error([&] { tasks::judged_rows(Context(), graph, h, -1, Normalize::none); },
                     {"smooth", "-1", "0 or more"});
}

TEST(JudgedRows, AreWhatTasksLookAt) {
  const Graph graph = test::two_groups(80);
  const DenseMatrix h = random_rows(80);
  const DenseMatrix by_hand = tasks::judged_rows(Context(), graph, h, 2, Normalize::none);

  const ClassifyResult smooth = classify(Context(), graph, h, {.smooth = 2});
  const ClassifyResult rows = classify(Context(), graph, by_hand);
  EXPECT_EQ(smooth.smooth, 2);
  EXPECT_EQ(smooth.accuracy, rows.accuracy);
  EXPECT_EQ(rows.smooth, 0);
  test::expect_error([&] { pool_results(std::vector{smooth, rows}); }, {"smoothings", "2 and 0"});

  const ClusterResult clusters = clustered(graph, h, 2);
  EXPECT_EQ(clusters.smooth, 2);
  EXPECT_EQ(clusters.inertia, clustered(graph, by_hand).inertia);
  EXPECT_NE(clusters.inertia, clustered(graph, h).inertia);
  test::expect_error(
      [&] {
        pool_results(std::vector{clusters, clustered(graph, h)});
      },
      {"smoothings", "2 and 0"});
}

/// Held-out edges would tell the predictor what it is asked.
TEST(JudgedRows, OfLinkPredictionKnowTheTrainingEdgesAlone) {
  const Graph graph = test::two_groups(80);
  const EdgeSplit split = split_edges(Context(), graph, 2);
  const DenseMatrix h = random_rows(80);
  const LinkResult found = linked(split, h, 2);
  EXPECT_EQ(found.smooth, 2);
  const auto by_hand = [&](const Graph& known) {
    return linked(split, tasks::judged_rows(Context(), known, h, 2, Normalize::none))
        .average_precision;
  };
  EXPECT_EQ(found.average_precision, by_hand(split.train));
  EXPECT_NE(found.average_precision, by_hand(graph));
  test::expect_error(
      [&] {
        pool_links(std::vector{found, linked(split, h)});
      },
      {"smoothings", "2 and 0"});
}

}  // namespace
}  // namespace creg::embedding_rows_test
