#include "creg/tasks/cluster.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <set>

#include "creg/core/random.h"
#include "creg/learn/metrics.h"
#include "learn/cluster_metrics.h"
#include "learn/kmeans.h"
#include "learn/pca.h"
#include "support/expect_error.h"
#include "support/graphs.h"
#include "tasks/tasks_here.h"

namespace creg::cluster_test {
namespace {

using Nodes = std::vector<std::int32_t>;

struct Example {
  Graph graph;
  DenseMatrix embedding;
};

// Classes take turns along a path; every seventh node has no label. Lengths of rows vary by far
// more than classes do, so that clusters are found on rows of length 1 only.
Example example(std::int32_t nodes, double noise, double lengths = 0) {
  Example made;
  made.graph = test::path_graph(nodes);
  made.graph.name = "example";
  RandomStream stream(5, Purpose::test);
  Nodes labels;
  std::vector<float> values;
  for (std::int32_t i = 0; i < nodes; ++i) {
    labels.push_back(i % 7 == 6 ? unlabelled : i % 3);
    const double length = std::exp(lengths * stream.normal());
    for (std::int64_t k = 0; k < 5; ++k) {
      values.push_back(
          static_cast<float>(length * ((k == i % 3 ? 2.0 : 0.0) + noise * stream.normal())));
    }
  }
  made.graph.labels = labels;
  made.embedding = {.rows = nodes, .cols = 5, .values = std::move(values)};
  return made;
}

TEST(Cluster, IsKMeansOfAllNodesJudgedOnTheLabelledOnes) {
  const Example made = example(210, 0.8);
  const ClusterResult found = test::cluster(Context(), made.graph, made.embedding, {.seed = 2});
  EXPECT_EQ(found.k, 3) << "as many as there are classes";
  EXPECT_EQ(found.classes, 3);
  EXPECT_EQ(found.nodes, 210);
  EXPECT_EQ(found.labelled, 180);
  EXPECT_EQ(found.seeds, 5);
  EXPECT_EQ(found.runs, 1);
  ASSERT_EQ(found.accuracy.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    const KMeansResult one = kmeans(Context(), made.embedding, 3, {.seed = 2 + i});
    const ClusterAgreement agreement = cluster_agreement(one.labels, made.graph.labels);
    EXPECT_EQ(found.accuracy[i], agreement.accuracy);
    EXPECT_EQ(found.nmi[i], agreement.nmi);
    EXPECT_EQ(found.f1[i], agreement.f1);
    EXPECT_EQ(found.ari[i], agreement.ari);
    EXPECT_EQ(found.inertia[i], one.inertia);
    EXPECT_GT(agreement.accuracy, 0.7);
    EXPECT_LT(agreement.accuracy, 1);
  }
}

TEST(Cluster, EverySeedIsOneMoreThanTheLast) {
  const Example made = example(210, 1.5);
  const ClusterResult found =
      test::cluster(Context(), made.graph, made.embedding, {.seed = 2, .restarts = 1});
  std::set<double> inertias;
  for (std::size_t i = 0; i < 5; ++i) {
    const KMeansResult one = kmeans(Context(), made.embedding, 3, {.restarts = 1, .seed = 2 + i});
    EXPECT_EQ(found.inertia[i], one.inertia);
    inertias.insert(one.inertia);
  }
  EXPECT_GT(inertias.size(), 2) << "seeds that cannot be told apart";
}

TEST(Cluster, ReducesRowsAfterNormalisingThem) {
  const Example made = example(210, 0.3, 2);
  const ClusterResult raw = test::cluster(Context(), made.graph, made.embedding);
  const ClusterResult unit =
      test::cluster(Context(), made.graph, made.embedding, {.normalize = Normalize::l2, .pca = 2});
  EXPECT_EQ(unit.normalize, Normalize::l2);
  EXPECT_EQ(unit.pca, 2);
  EXPECT_GT(summarise(unit.accuracy).mean, 0.9);
  EXPECT_LT(summarise(raw.accuracy).mean, 0.7);
  // All axes only turn the rows.
  const ClusterResult turned = test::cluster(Context(), made.graph, made.embedding, {.pca = 5});
  EXPECT_NEAR(turned.inertia[0], raw.inertia[0], 1e-4 * raw.inertia[0]);
}

TEST(Cluster, TakesAnyNumberOfClusters) {
  const Example made = example(210, 0.3);
  const ClusterResult one =
      test::cluster(Context(), made.graph, made.embedding, {.k = 1, .seeds = 1});
  EXPECT_NEAR(one.accuracy[0], 1.0 / 3, 0.02);
  EXPECT_EQ(one.nmi[0], 0);
  EXPECT_EQ(one.ari[0], 0);
  const ClusterResult ten =
      test::cluster(Context(), made.graph, made.embedding, {.k = 10, .seeds = 1});
  EXPECT_EQ(ten.k, 10);
  EXPECT_EQ(ten.classes, 3);
  EXPECT_GT(ten.accuracy[0], 0.2);
  EXPECT_LT(ten.accuracy[0], 0.9);
}

TEST(Cluster, PoolsWhatWasMadeInTheSameWay) {
  const Example made = example(90, 0.8);
  const ClusterResult a = test::cluster(Context(), made.graph, made.embedding, {.seeds = 2});
  const ClusterResult b =
      test::cluster(Context(), made.graph, example(90, 0.6).embedding, {.seeds = 2});
  const ClusterResult both = pool_results(std::vector<ClusterResult>{a, b});
  EXPECT_EQ(both.runs, 2);
  EXPECT_EQ(both.seeds, 2);
  EXPECT_EQ(both.nmi, (std::vector<double>{a.nmi[0], a.nmi[1], b.nmi[0], b.nmi[1]}));
  EXPECT_EQ(both.inertia.size(), 4U);
  const ClusterResult reduced =
      test::cluster(Context(), made.graph, made.embedding, {.seeds = 2, .pca = 2});
  test::expect_error(
      [&] {
        pool_results(std::vector<ClusterResult>{a, reduced});
      },
      {"principal components", "0 and 2"});
}

TEST(Cluster, RefusesWhatCannotBeJudged) {
  Example made = example(30, 0.3);
  const auto refuse = [&](const ClusterOptions& options, std::initializer_list<std::string> parts) {
    test::expect_error([&] { test::cluster(Context(), made.graph, made.embedding, options); },
                       parts);
  };
  refuse({.k = 31}, {"more clusters than distinct points", "k = 31", "30 distinct"});
  refuse({.k = -1}, {"--k", "-1"});
  refuse({.seeds = 0}, {"--seeds", "0"});
  refuse({.restarts = 0}, {"restarts", "0"});
  EXPECT_EQ(
      test::cluster(Context(), made.graph, made.embedding, {.k = 1, .seeds = 1, .restarts = 1}).k,
      1);
  refuse({.pca = 6}, {"components", "6", "1 to 5"});
  const DenseMatrix embedding = made.embedding;
  made.embedding = {.rows = 2, .cols = 1, .values = std::vector<float>{1, 2}};
  refuse({}, {"example", "2 rows", "30, one per node"});
  std::vector<float> broken(embedding.values.begin(), embedding.values.end());
  broken[7] = std::numeric_limits<float>::quiet_NaN();
  made.embedding = {.rows = 30, .cols = 5, .values = std::move(broken)};
  refuse({}, {"not finite", "row 1, column 3"});
  made.embedding = embedding;
  made.graph.labels = Nodes(30, unlabelled);
  refuse({}, {"no node has a label", "example"});
  made.graph.labels = {};
  refuse({}, {"judging clusters needs labels", "example"});
}

TEST(Cluster, StopsOnCtrlC) {
  const Example made = example(60, 0.3);
  const auto stop = std::make_shared<std::atomic<bool>>(true);
  EXPECT_THROW(test::cluster(Context({.stop = stop}), made.graph, made.embedding), Interrupted);
}

}  // namespace
}  // namespace creg::cluster_test
