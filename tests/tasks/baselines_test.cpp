#include "creg/tasks/baselines.h"

#include <gtest/gtest.h>

#include <array>

#include "creg/io/dataset.h"
#include "support/expect_error.h"
#include "support/graphs.h"
#include "support/test_data.h"

namespace creg::baselines_test {
namespace {

using test::expect_error;

/// Pairs of nodes 2i, 2i+1 of one class; the features of the second node say nothing.
Graph pairs_of_nodes(std::int64_t pairs) {
  test::Edges edges;
  std::vector<float> values;
  std::vector<std::int32_t> labels;
  for (std::int32_t i = 0; i < pairs; ++i) {
    edges.emplace_back(2 * i, 2 * i + 1);
    edges.emplace_back(2 * i + 1, 2 * i);
    const std::int32_t label = i % 2;
    labels.insert(labels.end(), {label, label});
    values.insert(values.end(), {label == 0 ? 2.0F : -2.0F, 0.0F});
  }
  Graph graph;
  graph.name = "pairs";
  graph.adjacency = test::csr(2 * pairs, edges);
  graph.features = DenseMatrix{.rows = 2 * pairs, .cols = 1, .values = std::move(values)};
  graph.labels = std::move(labels);
  return graph;
}

TEST(Baselines, SmoothedFeaturesSeeWhatAnEdgeAwayIs) {
  const Graph graph = pairs_of_nodes(40);
  Split split{.name = "mine"};
  split.train = std::vector<std::int32_t>{0, 2, 4, 6};
  split.test = std::vector<std::int32_t>{9, 11, 13, 15};  // nothing is known of them
  const std::vector<Baseline> found =
      classify_baselines(Context(), graph, {.given = split, .smooth = 3});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].rows, "X");
  EXPECT_EQ(found[1].rows, "ÂX");
  EXPECT_EQ(found[2].rows, "Â²X");
  EXPECT_EQ(found[0].result.accuracy, std::vector<double>{0.5});
  EXPECT_EQ(found[1].result.accuracy, std::vector<double>{1});
  EXPECT_EQ(found[2].result.accuracy, std::vector<double>{1});
  for (const Baseline& one : found) {
    EXPECT_EQ(one.result.protocol, "mine");
    EXPECT_EQ(one.result.classifier, "logistic-regression");
    EXPECT_EQ(one.result.smooth, 0);
  }
}

// Correct nodes of scikit-learn 1.2.1's LogisticRegression on X and Â²X, public splits.
TEST(Baselines, OfRealGraphsAreThoseOfScikitLearn) {
  CREG_REQUIRE_REAL_DATA(data);
  struct Expected {
    const char* name;
    std::array<double, 2> raw;    // test, val
    std::array<double, 2> twice;  // Â²X
  };
  for (const Expected& expected :
       {Expected{"cora", {575, 261}, {828, 394}}, Expected{"citeseer", {592, 280}, {715, 359}}}) {
    const Context context;
    const Graph graph = prepare_graph(context, open_dataset(context, expected.name, data));
    const std::vector<Baseline> found = classify_baselines(context, graph);
    const auto check = [&](const ClassifyResult& result, const std::array<double, 2>& counts) {
      ASSERT_EQ(result.accuracy.size(), 1U);
      EXPECT_NEAR(result.accuracy[0] * 1000, counts[0], 1.01) << expected.name;
      EXPECT_NEAR(result.val_accuracy[0] * 500, counts[1], 1.01) << expected.name;
    };
    ASSERT_EQ(found.size(), 3U);
    check(found[0].result, expected.raw);
    check(found[2].result, expected.twice);
  }
}

TEST(Baselines, NeedFeatures) {
  Graph graph = pairs_of_nodes(10);
  graph.features = {};
  expect_error([&] { classify_baselines(Context(), graph); }, {"features", "pairs"});
}

}  // namespace
}  // namespace creg::baselines_test
