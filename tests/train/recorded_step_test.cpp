// Steps from a recording against the same steps started one operation after the other. On a device
// that records nothing both are the latter.
#include <gtest/gtest.h>
#include <torch/types.h>

#include "creg/methods/entry.h"
#include "support/attributed_graph.h"
#include "support/devices.h"
#include "support/graphs.h"
#include "train/training_step.h"

namespace creg::recorded_step_test {
namespace {

struct Trained {
  std::vector<at::Tensor> statistics;
  std::vector<at::Tensor> parameters;
};

Trained trained(const TrainConfig& config, int steps, bool record) {
  const Context context = test::context(3);
  const Graph graph = test::two_groups();
  TrainingStep step(context, graph, config);
  step.record(record);
  const GraphInputs inputs(context, graph, config.encoder);
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
  return out;
}

void expect_the_same(const TrainConfig& config) {
  constexpr int steps = 12;
  const Trained plain = trained(config, steps, false);
  const Trained recorded = trained(config, steps, true);
  for (int epoch = 0; epoch < steps; ++epoch) {
    const auto at = static_cast<std::size_t>(epoch);
    EXPECT_TRUE(at::equal(plain.statistics[at], recorded.statistics[at]))
        << config.method << ", epoch " << epoch << "\n"
        << plain.statistics[at] << "\n"
        << recorded.statistics[at];
    // Draws and rates change from step to step.
    if (epoch == 0) continue;
    EXPECT_FALSE(at::equal(recorded.statistics[at], recorded.statistics[at - 1]));
  }
  ASSERT_EQ(plain.parameters.size(), recorded.parameters.size());
  for (std::size_t i = 0; i < plain.parameters.size(); ++i) {
    EXPECT_TRUE(at::equal(plain.parameters[i], recorded.parameters[i]))
        << config.method << ' ' << i;
  }
}

TrainConfig config_of(const std::string& method) {
  TrainConfig config;
  config.method = method;
  config.encoder.dim = 16;
  config.epochs = 40;
  config.schedule = Schedule::cosine;
  return config;
}

TEST(RecordedStep, IsThePlainStepForEveryMethodWithContrastReg) {
  for (const char* method : {"ml", "lc", "dgi", "ggd", "cca-ssg"}) {
    TrainConfig config = config_of(method);
    config.regulariser.contrast = true;
    config.regulariser.auto_ratio = true;
    expect_the_same(config);
    config.regulariser.contrast = false;
    expect_the_same(config);
  }
}

TEST(RecordedStep, EncodersWithoutNoise) {
  for (const EncoderKind kind : {EncoderKind::gat, EncoderKind::gin, EncoderKind::sage}) {
    TrainConfig config = config_of("ml");
    config.encoder.kind = kind;
    config.encoder.layers = 2;
    expect_the_same(config);
  }
}

TEST(RecordedStep, NoiseAndRoundsAreNotTakenFromAnOldRecording) {
  TrainConfig noisy = config_of("ml");
  noisy.encoder.dropout = 0.3;
  expect_the_same(noisy);
  TrainConfig rounds = config_of("lc");
  rounds.epochs = 12;
  rounds.own["curriculum"] = "3";
  expect_the_same(rounds);
}

}  // namespace
}  // namespace creg::recorded_step_test
