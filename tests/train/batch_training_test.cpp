#include <gtest/gtest.h>
#include <torch/types.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <optional>

#include "creg/contrast/epoch_pass.h"
#include "creg/train/trainer.h"
#include "graph/generators.h"
#include "ops/tensors.h"
#include "support/attributed_graph.h"
#include "support/devices.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"
#include "train/checkpoint.h"
#include "train/layerwise.h"
#include "train/memory_estimate.h"
#include "train/parameters.h"

namespace creg::batch_training_test {
namespace {

using test::expect_error;
using test::TempDir;

TrainConfig batch_config(const std::string& method = "ml") {
  TrainConfig config;
  config.method = method;
  config.encoder = {.kind = EncoderKind::sage, .dim = 8, .layers = 2};
  config.batch.size = 16;  // three batches of two_groups, the last one shorter
  config.batch.fanouts = {3, 2};
  config.lr = 1e-2;
  config.epochs = 4;
  config.patience = 0;
  return config;
}

Context context_of(std::uint64_t seed, int threads = 2) {
  return test::context({.threads = threads, .seed = seed});
}

bool same_bytes(const DenseMatrix& a, const DenseMatrix& b) {
  return a.rows == b.rows && a.cols == b.cols && test::same(a.values, b.values);
}

TEST(BatchTraining, TheLossFallsAndEveryNodeIsSeenOnceAnEpoch) {
  TrainConfig config = batch_config();
  config.epochs = 60;
  const TrainResult result = train(context_of(0), test::two_groups(), config);
  ASSERT_EQ(result.epochs.size(), 60);
  EXPECT_LT(result.epochs.back().loss, 0.9 * result.epochs.front().loss);
  for (const EpochStatistics& epoch : result.epochs) {
    EXPECT_EQ(epoch.anchors, 40);
    EXPECT_NEAR(epoch.loss, epoch.contrast + epoch.regulariser, 1e-5);
  }
  EXPECT_EQ(result.embedding.rows, 40);
}

TEST(BatchTraining, EveryMethodPositivesRegulariserAndKindOfNeighbours) {
  for (const char* method : {"ml", "lc"}) {
    for (const std::string& positives : std::vector<std::string>{"neighbours", "global"}) {
      for (const char* reg : {"none", "contrast", "l2norm"}) {
        for (const std::string& neighbours : names_of<BatchNeighbours>()) {
          TrainConfig config = batch_config(method);
          config.epochs = 2;
          config.batch.replace = true;
          if (config.method == "lc") find_parameter("positives").set(config, positives);
          find_parameter("reg").set(config, reg);
          find_parameter("batch_neighbours").set(config, neighbours);
          const TrainResult result = train(context_of(1), test::two_groups(), config);
          for (const EpochStatistics& epoch : result.epochs) {
            EXPECT_TRUE(std::isfinite(epoch.loss)) << method << positives << reg << neighbours;
            EXPECT_GT(epoch.contrast, 0);
          }
          for (const float value : result.embedding.values) ASSERT_TRUE(std::isfinite(value));
        }
      }
    }
  }
}

TEST(BatchTraining, GroupsLoseFeaturesButNoEdges) {
  for (const char* reg : {"none", "contrast", "l2norm"}) {
    for (const char* features : {"0", "0.3"}) {
      TrainConfig config = batch_config("ggd");
      config.epochs = 40;
      find_parameter("reg").set(config, reg);
      find_parameter("drop_edges1").set(config, "0.1");
      expect_error([&] { check_config(config); }, {"ggd", "drop_edges1", "--batch-size 0"});
      find_parameter("drop_edges1").set(config, "0");
      find_parameter("drop_features1").set(config, features);
      const TrainResult result = train(context_of(1), test::two_groups(), config);
      EXPECT_EQ(result.epochs.front().anchors, 40);
      double early = 0;
      double late = 0;
      for (std::size_t i = 0; i < 10; ++i) {
        early += result.epochs[i].contrast;
        late += result.epochs[30 + i].contrast;
      }
      EXPECT_LT(late, early) << reg << features;
      for (const float value : result.embedding.values) ASSERT_TRUE(std::isfinite(value));
    }
  }
}

TEST(BatchTraining, TheSameSeedGivesTheSameBytes) {
  const Graph graph = test::two_groups();
  const TrainConfig config = batch_config("lc");
  const TrainResult once = train(context_of(3), graph, config);
  EXPECT_TRUE(same_bytes(once.embedding, train(context_of(3), graph, config).embedding));
  EXPECT_FALSE(same_bytes(once.embedding, train(context_of(4), graph, config).embedding));
}

/// From the same draws: what differs is rounding, which Adam makes larger where a gradient is
/// nearly 0.
TEST(BatchTraining, AnotherDeviceFollowsTheCpu) {
  if (test::tensor_device().is_cpu()) GTEST_SKIP() << "this is the CPU";
  const Context cpu(Context::Options{.threads = 2, .seed = 5});
  for (const bool dense : {false, true}) {
    Graph graph = test::two_groups();
    if (dense) graph.features = to_dense(graph.features);
    for (const char* method : {"ml", "dgi", "ggd"}) {
      for (const std::string& neighbours : names_of<BatchNeighbours>()) {
        TrainConfig config = batch_config(method);
        find_parameter("reg").set(config, "contrast");
        find_parameter("batch_neighbours").set(config, neighbours);
        if (config.method == "ggd") find_parameter("drop_edges1").set(config, "0");
        const TrainResult there = train(context_of(5), graph, config);
        const TrainResult here = train(cpu, graph, config);
        ASSERT_EQ(there.epochs.size(), here.epochs.size());
        for (std::size_t i = 0; i < here.epochs.size(); ++i) {
          const double size = std::max(1.0, std::abs(here.epochs[i].loss));
          EXPECT_NEAR(there.epochs[i].loss, here.epochs[i].loss, (i == 0 ? 1e-4 : 5e-3) * size)
              << method << ' ' << neighbours << dense << " epoch " << i;
          EXPECT_EQ(there.epochs[i].anchors, here.epochs[i].anchors);
        }
      }
    }
  }
}

TEST(BatchTraining, AnExtraHopMayFindNobodyNew) {
  Graph graph = test::two_groups();
  graph.features = to_dense(graph.features);
  TrainConfig config = batch_config();
  config.batch.fanouts = {40, 40};
  config.epochs = 30;
  find_parameter("batch_neighbours").set(config, "extra-hop");
  const TrainResult result = train(context_of(0), graph, config);
  EXPECT_LT(result.epochs.back().loss, 0.95 * result.epochs.front().loss);
}

TEST(BatchTraining, AnEpochMayBeSomeBatchesOnly) {
  TrainConfig config = batch_config();
  config.batch.per_epoch = 2;
  for (const EpochStatistics& epoch : train(context_of(0), test::two_groups(), config).epochs) {
    EXPECT_EQ(epoch.anchors, 32);
  }
  config.batch.per_epoch = 100;  // more than there are
  EXPECT_EQ(train(context_of(0), test::two_groups(), config).epochs.front().anchors, 40);
}

/// Stopped after every single batch, and resumed each time.
TEST(BatchTraining, ARunResumedInTheMiddleOfEpochsEqualsTheUninterruptedOne) {
  const Graph graph = test::two_groups();
  const TrainConfig config = batch_config();
  const TempDir whole_dir;
  const TrainResult whole = train(context_of(2), graph, config, {.directory = whole_dir.path()});
  const TempDir dir;
  const auto stop = std::make_shared<std::atomic<bool>>(true);
  const Context stopped = test::context({.threads = 2, .seed = 2, .stop = stop});
  int stops = 0;
  for (; stops < 11; ++stops) {
    EXPECT_THROW(train(stopped, graph, config, {.directory = dir.path(), .resume = stops > 0}),
                 Interrupted);
  }
  const TrainResult rest =
      train(context_of(2), graph, config, {.directory = dir.path(), .resume = true});
  EXPECT_TRUE(same_bytes(rest.embedding, whole.embedding));
  EXPECT_EQ(rest.epochs_run, 4);
  EXPECT_EQ(rest.best_epoch, whole.best_epoch);
  EXPECT_EQ(rest.epochs.back().loss, whole.epochs.back().loss);
}

/// Adam's first moments after an epoch of `batches` that hardly moves the parameters.
std::vector<at::Tensor> moments_after(int batches, int per_update) {
  TrainConfig config = batch_config();
  config.epochs = 1;
  config.lr = 1e-8;
  config.batch.per_epoch = batches;
  config.batch.per_update = per_update;
  const TrainResult result = train(context_of(2), test::two_groups(), config);
  EXPECT_EQ(result.checkpoint->optimizer_steps, batches / per_update);
  std::vector<at::Tensor> moments;
  for (const NamedTensor& moment : result.checkpoint->moments1)
    moments.push_back(moment.value.cpu());
  return moments;
}

TEST(BatchTraining, AnUpdateOfSeveralBatchesGoesByTheirMeanGradient) {
  // With one batch a step each moment is 0.9 of the one before and 0.1 of the batch's gradient:
  // which gives the gradients of the three batches.
  const std::vector<at::Tensor> one = moments_after(1, 1);
  const std::vector<at::Tensor> two = moments_after(2, 1);
  const std::vector<at::Tensor> three = moments_after(3, 1);
  const std::vector<at::Tensor> together = moments_after(3, 3);
  ASSERT_EQ(together.size(), one.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    const at::Tensor sum = one[i] + (two[i] - 0.9 * one[i]) + (three[i] - 0.9 * two[i]);
    EXPECT_TRUE(at::allclose(together[i], sum / 3, 1e-3, 1e-7)) << i;
  }
}

TEST(BatchTraining, WhatDoesNotGoTogetherIsAnInputError) {
  const Graph graph = test::two_groups();
  const auto refused = [&](auto change, std::initializer_list<std::string> parts) {
    TrainConfig config = batch_config("lc");
    change(config);
    expect_error([&] { train(context_of(0), graph, config); }, parts);
  };
  refused([](TrainConfig& c) { c.batch.size = 41; }, {"41", "40"});
  refused(
      [](TrainConfig& c) {
        c.batch.fanouts = {10, 10, 25};
      },
      {"one fanout per layer", "10,10,25", "2 numbers"});
  refused([](TrainConfig& c) { c.encoder.kind = EncoderKind::gcn; }, {"gcn", "--encoder sage"});
  refused([](TrainConfig& c) { c.own["curriculum"] = "2"; }, {"curriculum", "--batch-size 0"});
}

TEST(BatchTraining, AGraphWithoutEdgesHasNodesAlone) {
  Graph graph = test::two_groups();
  graph.adjacency = test::csr(40, {});
  const TrainResult result = train(context_of(0), graph, batch_config("ml"));
  for (const EpochStatistics& epoch : result.epochs) EXPECT_TRUE(std::isfinite(epoch.loss));
  expect_error([&] { train(context_of(0), graph, batch_config("lc")); },
               {"no edges", "--positives global"});
}

/// Nodes of a batch that all have no neighbours: LC has nothing to say about them.
TEST(BatchTraining, BatchesWithoutPairsAreLeftOut) {
  Graph graph = test::two_groups();
  graph.adjacency = test::csr(40, {{4, 5}, {5, 4}});
  TrainConfig config = batch_config("lc");
  config.batch.size = 4;
  for (const EpochStatistics& epoch : train(context_of(0), graph, config).epochs) {
    EXPECT_TRUE(std::isfinite(epoch.loss));
    EXPECT_EQ(epoch.anchors, 2);
  }
}

TEST(Fanouts, AreReadAndWritten) {
  TrainConfig config;
  find_parameter("fanouts").set(config, "5,-1");
  EXPECT_EQ(config.batch.fanouts, (std::vector<int>{5, -1}));
  EXPECT_EQ(find_parameter("fanouts").get(config), "5,-1");
  find_parameter("fanouts").set(config, "1,1000000");
  for (const char* wrong : {"", "5,,5", "0", "5,x", "-2", "5,", "1000001"}) {
    expect_error([&] { find_parameter("fanouts").set(config, wrong); }, {"fanouts", "commas"});
  }
}

struct LayerwiseCase {
  bool dense;
  bool directed;
  int layers;
  std::int64_t memory;
  std::optional<std::int64_t> device_memory;
};

class LayerByLayer : public ::testing::TestWithParam<LayerwiseCase> {};

TEST_P(LayerByLayer, GivesTheEmbeddingOfOnePass) {
  Graph graph = test::two_groups();
  if (GetParam().directed) {
    graph.directed = true;
    graph.adjacency = test::csr(40, {{0, 3}, {3, 5}, {5, 0}, {7, 3}, {8, 9}, {9, 8}, {39, 1}});
  }
  if (GetParam().dense) graph.features = to_dense(graph.features);
  const Context context = context_of(0);
  ParameterList parameters(3, test::tensor_device());
  const EncoderOptions options{.kind = EncoderKind::sage, .dim = 6, .layers = GetParam().layers};
  const std::unique_ptr<Encoder> encoder = make_encoder(options, 12, parameters);
  const TempDir scratch;
  for (const bool unit_rows : {false, true}) {
    const GraphInputs inputs(context, graph, {.kind = EncoderKind::sage});
    EpochPass pass(context, inputs, *encoder, {.unit_rows = unit_rows, .training = false});
    const DenseMatrix found = embed_layerwise(context, graph, *encoder,
                                              {.encoder = options,
                                               .unit_rows = unit_rows,
                                               .memory = GetParam().memory,
                                               .scratch = scratch.path(),
                                               .rows_at_once = 7,
                                               .device_memory = GetParam().device_memory});
    EXPECT_EQ(found.rows, 40);
    EXPECT_EQ(found.values.size(), 40 * 6);
    EXPECT_LT((as_tensor(found) - test::on_host(pass.embedding())).abs().max().item<float>(), 1e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, LayerByLayer,
                         ::testing::Values(LayerwiseCase{false, false, 2, 1 << 20},
                                           LayerwiseCase{true, false, 3, 1 << 20},
                                           LayerwiseCase{true, true, 2, 0},
                                           LayerwiseCase{false, true, 1, 0},
                                           // Less than the rows before a layer need.
                                           LayerwiseCase{false, false, 2, 1 << 20, 1 << 20},
                                           LayerwiseCase{true, false, 3, 0, 1 << 20},
                                           LayerwiseCase{true, true, 2, 1 << 20, 0}));

/// The whole graph at once would take many times as much as its batches.
TEST(BatchMemory, IsThatOfTheBatchesNotOfTheGraph) {
  const Graph graph = generate(Context(), parse_synthetic("synthetic:arxiv@0.05"));
  TrainConfig config = batch_config();
  config.encoder.dim = 256;
  const std::int64_t batches = estimate_memory(graph, config).total;
  config.batch.size = 0;
  EXPECT_LT(3 * batches, estimate_memory(graph, config).total);
  config.batch.size = 16;
  config.batch.fanouts = {25, 25};
  EXPECT_GT(estimate_memory(graph, config).total, batches);
}

}  // namespace
}  // namespace creg::batch_training_test
