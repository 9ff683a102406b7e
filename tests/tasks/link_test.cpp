#include "creg/tasks/link.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "creg/core/random.h"
#include "support/attributed_graph.h"
#include "support/expect_error.h"
#include "tasks/tasks_here.h"

namespace creg::link_test {
namespace {

/// Embeddings that know the group of each node, and the graph of the groups.
struct Groups {
  Graph graph = test::two_groups(80);
  EdgeSplit split = split_edges(Context(), graph, 2);
  DenseMatrix embedding;

  Groups() {
    RandomStream stream(5, Purpose::test);
    std::vector<float> values;
    for (int i = 0; i < 80; ++i) {
      for (int k = 0; k < 5; ++k) {
        const double group = k == 0 ? (i % 2 == 0 ? 1 : -1) : 0;
        values.push_back(static_cast<float>(group + 0.3 * stream.normal()));
      }
    }
    embedding = {.rows = 80, .cols = 5, .values = std::move(values)};
  }
};

TEST(PredictLinks, RanksHeldOutEdgesAndSaysWhatItChecked) {
  const Groups groups;
  const LinkResult result = test::predict_links(Context(), groups.split, 2, groups.embedding);
  EXPECT_EQ(result.protocol, "edge-85-5-10");
  ASSERT_EQ(result.auc.size(), 1U);
  EXPECT_GT(result.auc.front(), 0.65);
  EXPECT_LT(result.auc.front(), 1);
  EXPECT_GT(result.average_precision.front(), 0.6);
  EXPECT_GT(result.val_auc.front(), 0.65);
  EXPECT_GE(result.best_epochs.front(), 1);
  EXPECT_EQ(result.split_seeds, std::vector<std::uint64_t>{2});
  EXPECT_EQ(result.test, static_cast<std::int64_t>(groups.split.test.size()));
  EXPECT_EQ(result.leak_check.held_out_edges, result.val + result.test);
  EXPECT_EQ(result.leak_check.training_edges, groups.split.train.adjacency.nonzeros() / 2);
  EXPECT_FALSE(result.encoder_checked);
}

TEST(PredictLinks, RefusesALeakAndAnEmptyPart) {
  Groups groups;
  groups.split.train.adjacency = groups.graph.adjacency;
  test::expect_error(
      [&] {
        test::predict_links(Context(), groups.split, 2, groups.embedding, {.source = "s.json"});
      },
      {"s.json", "in the training graph"});
  Groups empty;
  empty.split.test_non_edges.clear();
  test::expect_error([&] { test::predict_links(Context(), empty.split, 2, empty.embedding); },
                     {"empty", "test_non_edges"});
}

TEST(PredictLinks, RefusesAnEmbeddingThatDoesNotFit) {
  const Groups groups;
  DenseMatrix shorter{.rows = 79, .cols = 5, .values = groups.embedding.values};
  test::expect_error([&] { test::predict_links(Context(), groups.split, 2, shorter); },
                     {"does not fit the graph", "79 rows", "80"});
  std::vector<float> values(groups.embedding.values.begin(), groups.embedding.values.end());
  values[7] = std::numeric_limits<float>::quiet_NaN();
  const DenseMatrix damaged{.rows = 80, .cols = 5, .values = std::move(values)};
  test::expect_error([&] { test::predict_links(Context(), groups.split, 2, damaged); },
                     {"not finite", "row 1, column 3"});
}

TEST(PredictLinks, RowsOfLengthOneDoNotKnowTheirScale) {
  const Groups groups;
  std::vector<float> values;
  for (std::int64_t i = 0; i < 80; ++i) {
    for (const float value : groups.embedding.row(i)) {
      values.push_back(value * static_cast<float>(1 << (i % 4)));
    }
  }
  const DenseMatrix scaled{.rows = 80, .cols = 5, .values = std::move(values)};
  const LinkOptions unit{.normalize = Normalize::l2};
  EXPECT_EQ(test::predict_links(Context(), groups.split, 2, scaled, unit).auc,
            test::predict_links(Context(), groups.split, 2, groups.embedding, unit).auc);
  EXPECT_NE(test::predict_links(Context(), groups.split, 2, scaled).average_precision,
            test::predict_links(Context(), groups.split, 2, groups.embedding).average_precision);
}

#ifdef CREG_HAS_TORCH
TEST(PredictLinks, ByAHiddenLayer) {
  const Groups groups;
  const LinkOptions options{.predictor = {.kind = PredictorKind::mlp, .epochs = 60, .hidden = 8}};
  const LinkResult result = predict_links(Context(), groups.split, 2, groups.embedding, options);
  EXPECT_EQ(result.predictor, PredictorKind::mlp);
  EXPECT_GT(result.auc.front(), 0.65);
  EXPECT_NE(result.auc, predict_links(Context(), groups.split, 2, groups.embedding).auc);
}
#endif

TEST(PoolLinks, PutsValuesOneAfterTheOther) {
  LinkResult one{.protocol = "edge-85-5-10",
                 .encoder_checked = true,
                 .split_seeds = {0},
                 .auc = {0.5},
                 .average_precision = {0.4},
                 .val_auc = {0.6},
                 .best_epochs = {3}};
  LinkResult two = one;
  two.split_seeds = {1};
  two.auc = {0.75};
  two.encoder_checked = false;
  const LinkResult pooled = pool_links(std::vector{one, two});
  EXPECT_EQ(pooled.auc, (std::vector{0.5, 0.75}));
  EXPECT_EQ(pooled.split_seeds, (std::vector<std::uint64_t>{0, 1}));
  EXPECT_EQ(pooled.best_epochs, (std::vector{3, 3}));
  EXPECT_FALSE(pooled.encoder_checked);
  two.predictor = PredictorKind::mlp;
  test::expect_error([&] { pool_links(std::vector{one, two}); }, {"predictors", "linear and mlp"});
}

}  // namespace
}  // namespace creg::link_test
