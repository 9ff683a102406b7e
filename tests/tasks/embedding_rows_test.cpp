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

/// Six points at the ends of three axes of lengths 3, 2 and 1, off the origin.
DenseMatrix six_ends(double scale, double shift) {
  std::vector<float> values;
  for (int axis = 0; axis < 3; ++axis) {
    for (const int sign : {-1, 1}) {
      for (int k = 0; k < 3; ++k) {
        values.push_back(static_cast<float>(scale * (k == axis ? sign * (3 - axis) : 0) + shift));
      }
    }
  }
  return {.rows = 6, .cols = 3, .values = std::move(values)};
}

TEST(JudgedRows, AreSpreadByTheDirectionsTheyUse) {
  // Variances 9/3, 4/3 and 1/3 along the axes: 14² / (81 + 16 + 1) = 2 directions, and distances of
  // 2 (20 / 2)^1.5 from the mean.
  const double distance = 2 * std::pow(10, 1.5);
  const double unit = distance / std::sqrt(14.0 / 3);
  const DenseMatrix spread = tasks::spread_rows(Context(), six_ends(0.01, 5));
  for (std::int64_t i = 0; i < 6; ++i) {
    for (std::int64_t k = 0; k < 3; ++k) {
      const double wanted =
          k == i / 2 ? (i % 2 == 0 ? -1 : 1) * static_cast<double>(3 - k) * unit : 0;
      EXPECT_NEAR(spread.values[i * 3 + k], wanted, 1e-3 * distance) << i << ' ' << k;
    }
  }
  // Neither the size nor the place of an embedding matters.
  const DenseMatrix large = tasks::spread_rows(Context(), six_ends(100, 0));
  for (std::int64_t i = 0; i < 18; ++i) {
    EXPECT_NEAR(large.values[i], spread.values[i], 1e-3 * distance);
  }
  const Graph graph = test::two_groups(6);
  EXPECT_TRUE(test::same(
      tasks::judged_rows(Context(), graph, six_ends(100, 0), 0, Normalize::spread).values,
      large.values));
}

TEST(JudgedRows, ThatAreEqualAreSpreadToZeros) {
  const DenseMatrix equal{.rows = 3, .cols = 2, .values = std::vector<float>{1, 2, 1, 2, 1, 2}};
  for (const float value : tasks::spread_rows(Context(), equal).values) EXPECT_EQ(value, 0);
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
