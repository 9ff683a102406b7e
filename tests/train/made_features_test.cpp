#include "train/made_features.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <memory>

#include "creg/graph/splits.h"
#include "creg/train/trainer.h"
#include "learn/structure_features.h"
#include "support/attributed_graph.h"
#include "support/devices.h"
#include "support/expect_error.h"
#include "support/recording_log.h"
#include "support/temp_dir.h"
#include "train/embed_nodes.h"
#include "train/memory_estimate.h"
#include "train/parameters.h"
#include "train/training_step.h"

namespace creg::made_features_test {
namespace {

using test::expect_error;
using test::TempDir;

Graph bare_graph(std::int32_t nodes = 60) {
  Graph graph = test::two_groups(nodes);
  graph.features = {};
  return graph;
}

TrainConfig small_config(const std::string& method = "ml") {
  TrainConfig config;
  config.method = method;
  config.encoder.dim = 8;
  config.epochs = 6;
  config.patience = 0;
  config.structure_features = 10;
  return config;
}

Context context_of(std::uint64_t seed, int threads = 2) {
  return test::context({.threads = threads, .seed = seed});
}

bool same_bytes(const DenseMatrix& a, const DenseMatrix& b) {
  return a.rows == b.rows && a.cols == b.cols && test::same(a.values, b.values);
}

TEST(MadeFeatures, AreWhatTrainingSees) {
  Graph graph = bare_graph();
  const Context context = context_of(1);
  const TrainResult bare = train(context, graph, small_config());
  graph.features = structure_features(context, graph, 10, learn::symmetric_eigen);
  EXPECT_EQ(feature_cols(graph.features), 10);
  EXPECT_TRUE(same_bytes(train(context, graph, small_config()).embedding, bare.embedding));
}

TEST(MadeFeatures, ServeEveryMethodThatNeedsSome) {
  for (const char* method : {"lc", "dgi", "grace", "graphmae", "agc"}) {
    SCOPED_TRACE(method);
    TrainConfig config = small_config(method);
    config.clusters = 2;
    config.regulariser.contrast = method != std::string("agc");
    const TrainResult result = train(context_of(0), bare_graph(), config);
    EXPECT_EQ(result.embedding.rows, 60);
    for (const float value : result.embedding.values) ASSERT_TRUE(std::isfinite(value));
  }
}

TEST(MadeFeatures, InBatches) {
  TrainConfig config = small_config("lc");
  config.encoder.kind = EncoderKind::sage;
  config.encoder.layers = 2;
  config.batch = {.size = 16, .fanouts = {3, 3}};
  const TempDir dir;
  train(context_of(0), bare_graph(), config, {.directory = dir.path()});
  EXPECT_EQ(embed(context_of(0), bare_graph(), dir / "checkpoint.pt").rows, 60);
}

TEST(MadeFeatures, OfGraphsOfAnySize) {
  for (const std::int32_t nodes : {1, 2, 5}) {
    Graph graph;
    graph.name = "tiny";
    graph.adjacency = test::csr(nodes, nodes < 5 ? test::Edges{} : test::Edges{{0, 1}, {1, 0}});
    EXPECT_EQ(train(context_of(0), graph, small_config()).embedding.rows, nodes);
  }
}

TEST(MadeFeatures, AreNoneWhereNobodyNeedsThem) {
  TrainConfig config = small_config();
  EXPECT_TRUE(makes_features(0, config));
  EXPECT_FALSE(makes_features(3, config));
  config.structure_features = 0;
  EXPECT_FALSE(makes_features(0, config));
  config.structure_features = 10;
  config.encoder.kind = EncoderKind::table;
  EXPECT_FALSE(makes_features(0, config));
}

class StopAtEpoch final : public TrainObserver {
 public:
  explicit StopAtEpoch(std::shared_ptr<std::atomic<bool>> stop) : stop_(std::move(stop)) {}
  void epoch_done(const EpochStatistics& statistics) override {
    if (statistics.epoch == 2) stop_->store(true);
  }

 private:
  std::shared_ptr<std::atomic<bool>> stop_;
};

TEST(MadeFeatures, AResumedRunHasTheSame) {
  const Graph graph = bare_graph();
  const TrainResult whole = train(context_of(2), graph, small_config());
  const TempDir dir;
  const auto stop = std::make_shared<std::atomic<bool>>(false);
  const Context stopping = test::context({.threads = 2, .seed = 2, .stop = stop});
  StopAtEpoch observer(stop);
  EXPECT_THROW(train(stopping, graph, small_config(), {.directory = dir.path()}, &observer),
               Interrupted);
  const auto resume = [&](const Graph& on, const TrainConfig& config) {
    return train(context_of(2), on, config, {.directory = dir.path(), .resume = true});
  };
  TrainConfig other = small_config();
  other.structure_features = 9;
  expect_error([&] { resume(graph, other); }, {"another graph", "feature_width: 10 there, 9 here"});
  Graph own = graph;
  own.features = structure_features(context_of(0), graph, 10, learn::symmetric_eigen);
  expect_error([&] { resume(own, small_config()); }, {"another graph", "features_checksum"});
  const TrainResult rest = resume(graph, small_config());
  EXPECT_EQ(rest.epochs_run, 6);
  EXPECT_TRUE(same_bytes(rest.embedding, whole.embedding));
}

class Kept : public ::testing::Test {
 protected:
  Kept() { result_ = train(context_of(2), graph_, small_config(), {.directory = dir_.path()}); }
  std::filesystem::path checkpoint() const { return dir_ / "checkpoint.pt"; }

  TempDir dir_;
  Graph graph_ = bare_graph();
  TrainResult result_;
};

TEST_F(Kept, EmbedMakesTheSameOnTheirGraph) {
  EXPECT_TRUE(same_bytes(embed(context_of(0, 1), graph_, checkpoint()), result_.embedding));
  const std::vector<std::int32_t> some = {7, 3};
  const DenseMatrix rows = embed_nodes(context_of(0), graph_, checkpoint(), some);
  ASSERT_EQ(rows.rows, 2);
  for (std::size_t c = 0; c < 8; ++c) EXPECT_EQ(rows.row(0)[c], result_.embedding.row(7)[c]);
}

TEST_F(Kept, AnotherGraphIsRefusedWithTheReason) {
  const auto refused = [&](const Graph& graph, std::initializer_list<std::string> parts) {
    expect_error([&] { embed(context_of(0), graph, checkpoint()); }, parts);
    expect_error([&] { embed_nodes(context_of(0), graph, checkpoint(), {{1}}); }, parts);
  };
  refused(bare_graph(61), {"structure", "something else", "nodes: 60 there, 61 here"});
  Graph own = graph_;
  own.features = structure_features(context_of(0), graph_, 10, learn::symmetric_eigen);
  refused(own, {"structure", "10 features", "two-groups"});
}

TEST(MadeFeatures, AnEncoderOfOthersTakesNone) {
  const Graph graph = test::two_groups(60, 10);
  const TempDir dir;
  train(context_of(0), graph, small_config(), {.directory = dir.path()});
  expect_error([&] { embed(context_of(0), bare_graph(), dir / "checkpoint.pt"); }, {"no features"});
}

TEST(MadeFeatures, AreOfTheEdgesThatTrainingSees) {
  const Context context = context_of(3);
  const Graph whole = bare_graph();
  const Graph seen = split_edges(context, whole, 1).train;
  const Graph made = with_prepared_features(context, seen, small_config());
  EXPECT_TRUE(test::same(made.features,
                         Features(structure_features(context, seen, 10, learn::symmetric_eigen))));
  EXPECT_FALSE(test::same(
      made.features, Features(structure_features(context, whole, 10, learn::symmetric_eigen))));
}

TEST(MadeFeatures, AreCounted) {
  const Graph graph = bare_graph();
  const GraphSize size = with_made_features(size_of(graph), small_config());
  EXPECT_EQ(size.features, 10);
  EXPECT_EQ(size.feature_bytes, 4 * 10 * 60);
  const Graph made = with_made_features(context_of(0), graph, small_config());
  const GraphSize there = size_of(made);
  EXPECT_EQ(size.feature_bytes, there.feature_bytes);
  EXPECT_EQ(size.feature_entries, there.nodes * there.features);
  EXPECT_EQ(trained_numbers(size_of(graph), small_config()),
            trained_numbers(there, small_config()));
  EXPECT_GE(estimate_memory(graph, small_config()).total,
            estimate_memory(made, small_config()).total);
  // Making takes more than training in small batches does.
  const auto parts = estimate_memory(graph, small_config()).parts;
  EXPECT_EQ(parts.back().name, "making the features");
}

TEST(MadeFeatures, AreSaidInALine) {
  const auto log = std::make_shared<test::RecordingLog>();
  const Context context = test::context({.threads = 1, .log = log});
  tell_made_features(context, size_of(bare_graph()), small_config());
  tell_made_features(context, size_of(test::two_groups()), small_config());
  EXPECT_EQ(
      log->messages(LogLevel::info),
      (std::vector<std::string>{"the graph has no features: 10 columns made of its structure"}));
}

}  // namespace
}  // namespace creg::made_features_test
