#include "methods/agc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>

#include "creg/core/random.h"
#include "learn/kmeans.h"
#include "support/attributed_graph.h"
#include "support/expect_error.h"

namespace creg::agc_test {
namespace {

using Rows = std::vector<std::vector<double>>;

/// (I + D^-1/2 (A+I) D^-1/2) / 2 from its definition.
Rows filter_of(const Graph& graph) {
  const auto n = static_cast<std::size_t>(graph.nodes());
  Rows a(n, std::vector<double>(n, 0));
  std::vector<double> degrees(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (const std::int32_t j : graph.adjacency.row(static_cast<std::int64_t>(i))) {
      a[i][static_cast<std::size_t>(j)] += 1;
    }
    a[i][i] += 1;
    for (const double entry : a[i]) degrees[i] += entry;
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      a[i][j] = (a[i][j] / std::sqrt(degrees[i] * degrees[j]) + (i == j ? 1 : 0)) / 2;
    }
  }
  return a;
}

Rows product(const Rows& a, const Rows& b) {
  Rows out(a.size(), std::vector<double>(b.front().size(), 0));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < b.size(); ++k) {
      for (std::size_t j = 0; j < b[k].size(); ++j) out[i][j] += a[i][k] * b[k][j];
    }
  }
  return out;
}

Rows rows_of(const DenseMatrix& matrix) {
  Rows out;
  for (std::int64_t i = 0; i < matrix.rows; ++i) {
    out.emplace_back(matrix.row(i).begin(), matrix.row(i).end());
  }
  return out;
}

Rows smoothed(const Graph& graph, int power) {
  const Rows filter = filter_of(graph);
  Rows x = rows_of(to_dense(graph.features));
  for (int t = 0; t < power; ++t) x = product(filter, x);
  return x;
}

/// The mean squared distance over all pairs of rows of a cluster, a row with itself included: twice
/// their mean squared distance from their mean.
double intra_by_pairs(const Rows& x, const std::vector<std::int32_t>& labels,
                      std::int32_t clusters) {
  double sum = 0;
  for (std::int32_t c = 0; c < clusters; ++c) {
    double distances = 0;
    double pairs = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t j = 0; j < x.size(); ++j) {
        if (labels[i] != c || labels[j] != c) continue;
        for (std::size_t f = 0; f < x[i].size(); ++f) {
          distances += (x[i][f] - x[j][f]) * (x[i][f] - x[j][f]);
        }
        pairs += 1;
      }
    }
    if (pairs > 0) sum += distances / pairs;
  }
  return sum / clusters;
}

TEST(Agc, IntraClusterDistanceIsThatOfPairs) {
  const Graph graph = test::two_groups(20, 7);
  const DenseMatrix x = to_dense(graph.features);
  std::vector<std::int32_t> labels;
  for (std::int32_t i = 0; i < 20; ++i) labels.push_back(i * i % 3);
  EXPECT_NEAR(intra_cluster_distance(x, labels, 3), intra_by_pairs(rows_of(x), labels, 3), 1e-10);
  // A cluster without rows counts as one that is a single point.
  EXPECT_NEAR(intra_cluster_distance(x, labels, 4), intra_by_pairs(rows_of(x), labels, 4), 1e-10);
}

/// Every column of the embedding is a unit eigenvector of X transpose(X) for the smoothed X, and
/// together they hold its largest eigenvalues.
TEST(Agc, EmbedsByTheSingularVectorsOfSmoothedFeatures) {
  const Graph graph = test::two_groups();
  for (const int power : {1, 4}) {
    // The distance falls up to here, so that the last power is the result.
    const AgcResult result = agc(Context(), graph, {.clusters = 2, .max_power = power});
    ASSERT_EQ(result.power, power);
    ASSERT_EQ(result.embedding.rows, 40);
    ASSERT_EQ(result.embedding.cols, 2);
    const Rows x = smoothed(graph, power);
    Rows transposed(x.front().size(), std::vector<double>(x.size()));
    double total = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t f = 0; f < x[i].size(); ++f) {
        transposed[f][i] = x[i][f];
        total += x[i][f] * x[i][f];
      }
    }
    const Rows gram = product(x, transposed);
    const Rows u = rows_of(result.embedding);
    const Rows image = product(gram, u);
    double weakest = total;
    for (std::size_t k = 0; k < 2; ++k) {
      double length = 0;
      double eigenvalue = 0;
      for (std::size_t i = 0; i < u.size(); ++i) {
        length += u[i][k] * u[i][k];
        eigenvalue += u[i][k] * image[i][k];
      }
      EXPECT_NEAR(length, 1, 1e-5);
      for (std::size_t i = 0; i < u.size(); ++i) {
        EXPECT_NEAR(image[i][k], eigenvalue * u[i][k], 1e-5 * total);
      }
      weakest = std::min(weakest, eigenvalue);
    }
    // No other direction holds as much: power iteration after taking these two out.
    std::vector<double> other(x.size());
    for (std::size_t i = 0; i < other.size(); ++i)
      other[i] = std::sin(1.0 + static_cast<double>(i));
    double third = 0;
    for (int step = 0; step < 200; ++step) {
      for (std::size_t k = 0; k < 2; ++k) {
        double along = 0;
        for (std::size_t i = 0; i < other.size(); ++i) along += other[i] * u[i][k];
        for (std::size_t i = 0; i < other.size(); ++i) other[i] -= along * u[i][k];
      }
      Rows column(other.size());
      for (std::size_t i = 0; i < other.size(); ++i) column[i] = {other[i]};
      column = product(gram, column);
      third = 0;
      for (const auto& entry : column) third += entry[0] * entry[0];
      third = std::sqrt(third);
      for (std::size_t i = 0; i < other.size(); ++i) other[i] = column[i][0] / third;
    }
    EXPECT_LE(third, weakest + 1e-5 * total);
  }
}

TEST(Agc, StopsBeforeTheFirstPowerThatSpreadsClusters) {
  const Graph graph = test::two_groups();
  const AgcOptions options{.clusters = 4, .repeats = 3, .restarts = 4, .seed = 6};
  const AgcResult result = agc(Context(), graph, options);
  ASSERT_GE(result.power, 1);
  ASSERT_LT(result.power, 60);
  ASSERT_EQ(result.intra.size(), static_cast<std::size_t>(result.power) + 1);
  for (std::size_t t = 1; t + 1 < result.intra.size(); ++t) {
    EXPECT_LE(result.intra[t], result.intra[t - 1]);
  }
  EXPECT_GT(result.intra.back(), result.intra[result.intra.size() - 2]);

  // The same distance from the definition, by the clusters that the embedding gives again.
  double sum = 0;
  for (std::uint64_t seed = 6; seed < 9; ++seed) {
    const KMeansResult clusters =
        kmeans(Context(), result.embedding, 4, {.restarts = 4, .seed = seed});
    sum += intra_by_pairs(smoothed(graph, result.power), clusters.labels, 4);
  }
  EXPECT_NEAR(result.intra[result.intra.size() - 2], sum / 3, 1e-5 * sum);
}

TEST(Agc, NeverGoesBeyondTheLargestPower) {
  const Graph graph = test::two_groups();
  const AgcResult all = agc(Context(), graph, {.clusters = 4, .repeats = 2});
  ASSERT_GE(all.power, 2);
  const AgcResult cut = agc(Context(), graph, {.clusters = 4, .max_power = 1, .repeats = 2});
  EXPECT_EQ(cut.power, 1);
  EXPECT_EQ(cut.intra, std::vector<double>{all.intra.front()});
}

TEST(Agc, DoesNotDependOnTheThreads) {
  const Graph graph = test::two_groups(200, 50);
  const AgcOptions options{.clusters = 3, .max_power = 4, .repeats = 2, .restarts = 2};
  const AgcResult one = agc(Context({.threads = 1}), graph, options);
  const AgcResult four = agc(Context({.threads = 4}), graph, options);
  EXPECT_TRUE(test::same(one.embedding.values, four.embedding.values));
  EXPECT_EQ(one.intra, four.intra);
}

TEST(Agc, MakesOneClusterToAsManyAsThereAreFeaturesOrNodes) {
  const AgcOptions once{.max_power = 1, .repeats = 1, .restarts = 1};
  const auto embedded = [&](const Graph& graph, std::int64_t clusters) {
    AgcOptions options = once;
    options.clusters = clusters;
    return agc(Context(), graph, options);
  };
  const Graph wide = test::two_groups(6, 10);
  EXPECT_EQ(embedded(wide, 1).embedding.cols, 1);
  EXPECT_EQ(embedded(wide, 6).embedding.cols, 6);
  test::expect_error([&] { embedded(wide, 7); }, {"1 to 6"});
  const Graph narrow = test::two_groups();
  EXPECT_EQ(embedded(narrow, 12).embedding.cols, 12);
  // All rows of a cluster of their own: nothing is apart.
  EXPECT_NEAR(embedded(wide, 6).intra.at(0), 0, 1e-10);
}

/// Without edges the filter is the identity: every power spreads clusters as much as the first, and
/// only one that spreads them more ends the search.
TEST(Agc, GoesOnWhereClustersStayAsTheyAre) {
  Graph graph = test::two_groups();
  graph.adjacency = test::csr(graph.nodes(), {});
  const AgcResult result =
      agc(Context(), graph, {.clusters = 2, .max_power = 3, .repeats = 1, .restarts = 1});
  EXPECT_EQ(result.intra, std::vector<double>(3, result.intra.front()));
  EXPECT_EQ(result.power, 3);
}

TEST(Agc, SaysWhatItNeeds) {
  Graph graph = test::two_groups();
  for (const std::int64_t wrong : {0, 13}) {
    test::expect_error([&] { agc(Context(), graph, {.clusters = wrong}); },
                       {std::to_string(wrong), "1 to 12", "40 nodes"});
  }
  test::expect_error([&] { agc(Context(), graph, {.clusters = 2, .max_power = 0}); },
                     {"at least once", "0 powers"});
  test::expect_error([&] { agc(Context(), graph, {.clusters = 2, .repeats = 0}); },
                     {"at least once", "0 repeats"});
  graph.features = {};
  test::expect_error([&] { agc(Context(), graph, {.clusters = 2}); }, {"no features"});
}

TEST(Agc, CanBeStopped) {
  Context::Options options;
  options.stop = std::make_shared<const std::atomic<bool>>(true);
  const Context context(options);
  EXPECT_THROW(agc(context, test::two_groups(), {.clusters = 2}), Interrupted);
}

}  // namespace
}  // namespace creg::agc_test
