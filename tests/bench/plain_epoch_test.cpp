// The plain epoch and the trainer's, two independent formulations: same losses, same steps.
#include "bench/plain/plain_epoch.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <string>

#include "bench/epoch.h"
#include "creg/io/dataset.h"
#include "graph/generators.h"
#include "ops/runtime.h"
#include "support/devices.h"
#include "support/expect_error.h"
#include "support/graphs.h"
#include "train/training_step.h"

namespace creg::plain_epoch_test {
namespace {

const Graph& small_graph() {
  static const Graph graph = [] {
    const Context context;
    return prepare_graph(context, open_dataset(context, "synthetic:cora@0.03", ""));
  }();
  return graph;
}

TrainConfig config_of(const std::string& method, Score score, bool contrast_reg) {
  TrainConfig config;
  config.method = method;
  config.encoder.dim = 24;
  config.contrast.score = score;
  if (config.method == "lc")
    config.own["k"] = "2";  // below many degrees: the scores of neighbours decide
  config.regulariser.contrast = contrast_reg;
  return config;
}

void expect_same_training(const Graph& graph, const TrainConfig& config, int epochs = 3) {
  const Context context({.threads = 1, .seed = 5});
  prepare_torch(context);
  const Graph prepared = with_prepared_features(context, graph, config);
  TrainingStep step(context, prepared, config);
  const GraphInputs inputs(context, prepared, config.encoder);
  PlainEpoch plain(context, prepared, config, step.model().parameters.all());
  for (int epoch = 0; epoch < epochs; ++epoch) {
    const double ours = on_host(step.run(inputs, epoch, static_cast<std::uint32_t>(epoch))).loss;
    const double theirs = plain.run(epoch);
    EXPECT_NEAR(ours, theirs, 1e-5 * std::max(1.0, theirs)) << "epoch " << epoch;
  }
  const std::vector<NamedTensor> reference = plain.parameters();
  const std::vector<NamedTensor>& trained = step.model().parameters.all();
  ASSERT_EQ(trained.size(), reference.size());
  for (std::size_t i = 0; i < trained.size(); ++i) {
    const double difference =
        (trained[i].value - reference[i].value).detach().abs().max().item<double>();
    EXPECT_LT(difference, 1e-4) << trained[i].name;
  }
}

struct Case {
  const char* method;
  Score score;
  bool contrast_reg;
};

class PlainEpochCases : public testing::TestWithParam<Case> {};

TEST_P(PlainEpochCases, TrainsAsTheTrainerDoes) {
  const Case& c = GetParam();
  expect_same_training(small_graph(), config_of(c.method, c.score, c.contrast_reg));
}

INSTANTIATE_TEST_SUITE_P(
    All, PlainEpochCases,
    testing::Values(Case{"ml", Score::dot, true}, Case{"ml", Score::dot, false},
                    Case{"ml", Score::bilinear, true}, Case{"ml", Score::bilinear, false},
                    Case{"lc", Score::dot, true}, Case{"lc", Score::dot, false},
                    Case{"lc", Score::bilinear, true}, Case{"lc", Score::bilinear, false}),
    [](const auto& chosen) {
      return std::string(chosen.param.method) + "_" + name_of(chosen.param.score) +
             (chosen.param.contrast_reg ? "_contrast" : "_none");
    });

TEST(PlainEpoch, KnowsTheOtherSettingsToo) {
  TrainConfig deep = config_of("ml", Score::dot, true);
  deep.encoder.layers = 2;
  deep.encoder.activation = ActivationKind::relu;
  deep.contrast.log = LogForm::naive;
  deep.contrast.temperature = 0.7;
  deep.contrast.negatives = 3;
  deep.regulariser.ratio = 0.3;
  deep.regulariser.r = Direction::summary;
  deep.weight_decay = 0.01;
  expect_same_training(small_graph(), deep);

  TrainConfig unit = config_of("lc", Score::dot, true);
  unit.encoder.activation = ActivationKind::prelu_shared;
  unit.contrast.negatives = 2;
  unit.regulariser.l2norm = true;
  unit.regulariser.r_scale = 0.5;
  unit.pre_norm = true;
  expect_same_training(small_graph(), unit);

  TrainConfig global = config_of("lc", Score::bilinear, false);
  global.own["positives"] = "global";
  global.own["k"] = "3";
  expect_same_training(small_graph(), global);
}

TEST(PlainEpoch, LeavesLonelyNodesOut) {
  // A star of five leaves, a pair, and a node without neighbours.
  test::Edges edges;
  for (const auto& [u, v] : test::Edges{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {6, 7}}) {
    edges.emplace_back(u, v);
    edges.emplace_back(v, u);
  }
  Graph graph;
  graph.name = "star, pair and a lonely node";
  graph.adjacency = test::csr(9, edges);
  std::vector<float> values;
  for (int i = 0; i < 9 * 4; ++i) values.push_back(static_cast<float>((i * 7) % 5) / 5.0F);
  graph.features = DenseMatrix{9, 4, Array<float>(std::move(values))};
  expect_same_training(graph, config_of("lc", Score::dot, true), 5);
}

TEST(PlainEpoch, RefusesWhatItDoesNotKnow) {
  const auto refused = [](const auto& change) {
    TrainConfig config = config_of("lc", Score::dot, true);
    change(config);
    EXPECT_THROW(check_plain_epoch(config), Error);
  };
  refused([](TrainConfig& c) { c.encoder.kind = EncoderKind::gat; });
  refused([](TrainConfig& c) { c.encoder.activation = ActivationKind::elu; });
  refused([](TrainConfig& c) { c.own["curriculum"] = "4"; });
  refused([](TrainConfig& c) { c.method = "another"; });
}

TEST(EpochBench, BothStartFromTheSameLossAndCountTheirBytes) {
  const Context context({.threads = 1});
  const TrainConfig config = config_of("ml", Score::dot, true);
  const EpochBench result =
      bench_epoch(context, small_graph(), config, {.warm_up = 1, .repetitions = 2}, true);
  ASSERT_TRUE(result.plain && result.plain_first_loss);
  EXPECT_NEAR(result.first_loss, *result.plain_first_loss, 1e-5);
  const std::int64_t nodes = small_graph().nodes();
  // At the least the hidden layer and what its activation keeps, and dense features twice.
  EXPECT_GT(result.ours.peak_bytes, 2 * 4 * 24 * nodes);
  EXPECT_GT(result.plain->peak_bytes, 2 * 4 * nodes * feature_cols(small_graph().features));
  const EpochBench alone =
      bench_epoch(context, small_graph(), config, {.warm_up = 0, .repetitions = 1}, false);
  EXPECT_FALSE(alone.plain || alone.plain_first_loss);
}

TEST(BenchEpoch, OnAGpuTheHostLooksAtSeveralEpochsTogether) {
  const Device gpu{.type = DeviceType::cuda};
  EXPECT_EQ(epochs_per_round(gpu, 300, {.warm_up = 12, .repetitions = 60}), 4);
  EXPECT_EQ(epochs_per_round(gpu, 300, {.warm_up = 2, .repetitions = 11}), 10);
  EXPECT_EQ(epochs_per_round(gpu, 10, {.warm_up = 2, .repetitions = 11}), 1);
  EXPECT_EQ(epochs_per_round({}, 300, {.warm_up = 2, .repetitions = 11}), 1);
}

/// Whatever the device: the first loss is that of the plain formulation, and times are of one
/// epoch.
TEST(BenchEpoch, MeasuresEpochsOnEveryDevice) {
  const Context context = test::context({.threads = 2});
  TrainConfig config;
  config.encoder.dim = 8;
  config.epochs = 40;
  const EpochBench result =
      bench_epoch(context, small_graph(), config, {.warm_up = 2, .repetitions = 6}, true);
  EXPECT_EQ(result.per_round,
            epochs_per_round(context.device(), 40, {.warm_up = 2, .repetitions = 6}));
  EXPECT_EQ(result.ours.ms.size(), 6U);
  EXPECT_NEAR(result.first_loss, result.plain_first_loss.value(), 1e-4);
  EXPECT_EQ(result.ours.device_peak_bytes.has_value(), context.device().type == DeviceType::cuda);
}

}  // namespace
}  // namespace creg::plain_epoch_test
