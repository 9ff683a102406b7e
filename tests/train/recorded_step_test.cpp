// Steps from a recording against the same steps started one operation after the other. On a device
// that records nothing both are the latter.
#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "contrast/teleport_schedule.h"
#include "creg/methods/entry.h"
#include "support/attributed_graph.h"
#include "support/devices.h"
#include "train/recipes.h"
#include "train/training_step.h"

namespace creg::recorded_step_test {
namespace {

constexpr int steps = 14;

struct Trained {
  std::vector<at::Tensor> statistics;
  std::vector<at::Tensor> parameters;
  std::int64_t from_recordings = 0;
};

Trained trained(const TrainConfig& config, bool record) {
  const Context context = test::context(3);
  const Graph graph = with_prepared_features(context, test::two_groups(), config);
  TrainingStep step(context, graph, config);
  step.record(record);
  GraphInputs inputs(context, graph, config.encoder);
  if (find_method(config.method).labels) {
    inputs.labelled = at::arange(0, 40, 4, test::options(at::kLong));
    inputs.labels = inputs.labelled.remainder(2);
  }
  Trained out;
  std::int64_t since_restart = 0;
  for (int epoch = 0; epoch < steps; ++epoch) {
    since_restart = step.starts_round(epoch) ? 1 : since_restart + 1;
    const StepStatistics statistics = step.run(inputs, epoch, static_cast<std::uint32_t>(epoch));
    EXPECT_EQ(step.optimiser().steps(), since_restart);
    out.statistics.push_back(test::on_host(statistics.values));
  }
  for (const NamedTensor& one : step.model().parameters.all()) {
    out.parameters.push_back(test::on_host(one.value));
  }
  for (const NamedTensor& one : step.model().method->state()) {
    out.parameters.push_back(test::on_host(one.value));
  }
  out.from_recordings = step.steps_from_recordings();
  return out;
}

/// `plainly`: how many steps of all are not started from a recording.
void expect_the_same(const TrainConfig& config, int plainly) {
  const Trained plain = trained(config, false);
  const Trained recorded = trained(config, true);
  for (int epoch = 0; epoch < steps; ++epoch) {
    const auto at = static_cast<std::size_t>(epoch);
    EXPECT_TRUE(test::same_bytes(plain.statistics[at], recorded.statistics[at]))
        << config.method << ", epoch " << epoch << "\n"
        << plain.statistics[at] << "\n"
        << recorded.statistics[at];
    EXPECT_TRUE(recorded.statistics[at].isfinite().all().item<bool>()) << config.method;
    // Draws and rates change from step to step.
    if (epoch == 0) continue;
    EXPECT_FALSE(at::equal(recorded.statistics[at], recorded.statistics[at - 1]));
  }
  ASSERT_EQ(plain.parameters.size(), recorded.parameters.size());
  for (std::size_t i = 0; i < plain.parameters.size(); ++i) {
    EXPECT_TRUE(test::same_bytes(plain.parameters[i], recorded.parameters[i]))
        << config.method << ' ' << i;
  }
  EXPECT_EQ(plain.from_recordings, 0);
  EXPECT_EQ(recorded.from_recordings, test::tensor_device().is_cpu() ? 0 : steps - plainly)
      << config.method;
}

/// Of a method whose steps are all alike: BGRL's are from the second on.
void expect_the_same(const TrainConfig& config) {
  expect_the_same(config, config.method == "bgrl" ? 4 : 3);
}

/// The method's own recipe on a small scale, without noise.
TrainConfig config_of(const std::string& method) {
  TrainConfig config;
  config.method = method;
  const Recipe* const recipe = find_recipe(method, "");
  if (recipe != nullptr) apply_recipe(config, recipe->text, recipe->path);
  config.encoder.kind = find_method(method).encoders.front();
  config.encoder.dim = 16;
  config.encoder.hidden = 0;
  config.encoder.heads = 2;
  config.encoder.dropout = 0;
  config.encoder.attention_dropout = 0;
  config.views.projection = 8;
  config.batch.size = 0;
  config.lr = 1e-2;
  config.epochs = 40;
  config.schedule = Schedule::cosine;
  // No look for clusters follows within these steps.
  if (method == "gdcl") config.own["warmup"] = "40";
  return config;
}

class RecordedMethod : public ::testing::TestWithParam<std::string> {};

TEST_P(RecordedMethod, IsThePlainStep) {
  const MethodEntry& method = find_method(GetParam());
  for (const EncoderKind kind : method.encoders) {
    for (const bool contrast : {false, true}) {
      if (contrast && !method.regularised) continue;
      SCOPED_TRACE(name_of(kind));
      TrainConfig config = config_of(method.name);
      config.encoder.kind = kind;
      config.regulariser.contrast = contrast;
      config.regulariser.auto_ratio = contrast;
      // With Contrast-Reg and the longest way at once: two layers where there may be.
      if (contrast && kind != EncoderKind::dual) config.encoder.layers = 2;
      expect_the_same(config);
    }
  }
}

TEST_P(RecordedMethod, DrawsItsNoiseAnew) {
  const MethodEntry& method = find_method(GetParam());
  for (const EncoderKind kind : method.encoders) {
    if (kind == EncoderKind::table) continue;
    SCOPED_TRACE(name_of(kind));
    TrainConfig config = config_of(method.name);
    config.encoder.kind = kind;
    config.encoder.dropout = 0.3;
    if (kind == EncoderKind::gat) config.encoder.attention_dropout = 0.3;
    config.encoder.activation = ActivationKind::rrelu;
    config.encoder.last_activation = true;
    expect_the_same(config);
  }
}

/// The host may have started further steps when a loss turns out not to be finite.
TEST(RecordedStep, NothingChangesOnceItIsHalted) {
  for (const char* method : {"ml", "grace"}) {
    TrainConfig config = config_of(method);
    config.regulariser.contrast = true;
    config.regulariser.auto_ratio = true;
    const Context context = test::context(3);
    const Graph graph = test::two_groups();
    TrainingStep step(context, graph, config);
    const GraphInputs inputs(context, graph, config.encoder);
    const auto run = [&](int from, int to) {
      for (int i = from; i < to; ++i) step.run(inputs, i, static_cast<std::uint32_t>(i));
      std::vector<at::Tensor> kept = {at::tensor(step.ratio())};
      const Adam& adam = step.optimiser();
      for (const auto& list : {step.model().parameters.all(), adam.moments1(), adam.moments2()}) {
        for (const NamedTensor& one : list) kept.push_back(test::on_host(one.value).clone());
      }
      return kept;
    };
    const auto same = [](const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
      return std::equal(a.begin(), a.end(), b.begin(), b.end(), test::same_bytes);
    };
    const std::vector<at::Tensor> before = run(0, 6);
    step.halt().fill_(std::numeric_limits<float>::quiet_NaN());
    EXPECT_TRUE(same(before, run(6, 9))) << method;
    step.halt().fill_(0);
    EXPECT_FALSE(same(before, run(9, 10))) << method;
  }
}

std::vector<std::string> trained_methods() {
  std::vector<std::string> out;
  for (const MethodEntry& method : shipped_methods()) {
    if (!method.encoders.empty()) out.push_back(method.name);
  }
  return out;
}

INSTANTIATE_TEST_SUITE_P(Methods, RecordedMethod, ::testing::ValuesIn(trained_methods()),
                         [](const auto& given) {
                           std::string name = given.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(RecordedStep, OfViewsThatLoseNothing) {
  for (const char* method : {"grace", "bgrl", "ggd"}) {
    TrainConfig config = config_of(method);
    config.views = {.drop_edges1 = 0,
                    .drop_edges2 = 0,
                    .drop_features1 = 0,
                    .drop_features2 = 0,
                    .projection = 64};
    expect_the_same(config);
  }
}

TEST(RecordedStep, OfEveryTeleportSchedule) {
  for (const std::string& schedule : names_of<TeleportSchedule>()) {
    TrainConfig config = config_of("digcl");
    config.own["teleport_schedule"] = schedule;
    expect_the_same(config);
  }
}

TEST(RecordedStep, OfPositivesAmongAllNodes) {
  TrainConfig config = config_of("lc");
  config.own["positives"] = "global";
  expect_the_same(config);
}

TEST(RecordedStep, RoundsAreNotTakenFromAnOldRecording) {
  TrainConfig rounds = config_of("lc");
  rounds.epochs = 14;
  rounds.own["curriculum"] = "3";
  // Rounds start at 0, 5 and 10; the step after a start is of another kind than all before.
  // Steps 0 to 3 run as they are, then 5 and 6, 10 and 11.
  expect_the_same(rounds, 8);
}

TEST(RecordedStep, LooksForClustersAreNotTakenFromAnOldRecording) {
  TrainConfig looks = config_of("gdcl");
  looks.own["warmup"] = "5";
  looks.own["cluster_interval"] = "4";
  // Steps 0 to 2 run as they are, then the looks at 5, 9 and 13 and the steps after them.
  expect_the_same(looks, 8);
  looks.own["cluster_interval"] = "2";
  // Between two looks is one step, which is not worth a recording.
  expect_the_same(looks, 12);
}

TEST(RecordedStep, StartNodesAreNotTakenFromAnOldRecording) {
  const Context context = test::context(3);
  const TrainConfig config = config_of("node2vec");
  const Graph graph = with_prepared_features(context, test::two_groups(), config);
  TrainingStep step(context, graph, config);
  GraphInputs inputs(context, graph, config.encoder);
  for (int epoch = 0; epoch < 6; ++epoch) {
    inputs.seeds = at::arange(epoch, epoch + 9, test::options(at::kInt));
    EXPECT_EQ(step.run(inputs, epoch, static_cast<std::uint32_t>(epoch)).anchors, 9);
  }
  EXPECT_EQ(step.steps_from_recordings(), 0);
}

/// What a step says of itself, wherever it runs.
TEST(RecordedStep, MethodsSayWhichStepsRepeat) {
  const Context context = test::context(3);
  const auto repeats = [&](const TrainConfig& config) {
    const Graph graph = with_prepared_features(context, test::two_groups(), config);
    const TrainingStep step(context, graph, config);
    std::string out;
    for (int epoch = 0; epoch < 7; ++epoch) {
      out += step.model().method->repeats(epoch) ? '1' : '0';
    }
    return out;
  };
  for (const std::string& method : trained_methods()) {
    EXPECT_EQ(repeats(config_of(method)), method == "bgrl" ? "0111111" : "1111111") << method;
  }
  TrainConfig rounds = config_of("lc");
  rounds.own["curriculum"] = "10";
  EXPECT_EQ(repeats(rounds), "0111011");
}

}  // namespace
}  // namespace creg::recorded_step_test
