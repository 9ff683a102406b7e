// Every method with every encoder and regulariser it goes with trains; what it does not go with is
// refused, and what works is listed. No step of any asks its device for a number.
#include <ATen/record_function.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "creg/methods/entry.h"
#include "creg/train/trainer.h"
#include "support/attributed_graph.h"
#include "support/devices.h"
#include "support/expect_error.h"
#include "train/epoch_steps.h"
#include "train/parameters.h"
#include "train/recipes.h"
#include "train/training_step.h"

namespace creg::method_combinations_test {
namespace {

constexpr int epochs = 4;

/// The method's own recipe on a small scale.
TrainConfig small_config(const MethodEntry& method, EncoderKind encoder, const std::string& reg) {
  TrainConfig config;
  config.method = method.name;
  const Recipe* const recipe = find_recipe(method.name, "");
  if (recipe != nullptr) apply_recipe(config, recipe->text, recipe->path);
  config.encoder.kind = encoder;
  config.encoder.dim = 8;
  config.encoder.hidden = 0;
  config.encoder.heads = 2;
  config.encoder.dropout = 0;  // so that no row loses all its values
  config.views.projection = 4;
  if (method.name == "gdcl") config.own["warmup"] = "2";
  config.batch.size = method.steps == StepsBy::start_nodes ? 16 : 0;
  config.lr = 1e-2;
  config.epochs = epochs;
  config.patience = 0;
  config.select = Select::last;
  find_parameter("reg").set(config, reg);
  return config;
}

bool goes_with(const MethodEntry& method, EncoderKind encoder) {
  return std::find(method.encoders.begin(), method.encoders.end(), encoder) !=
         method.encoders.end();
}

bool goes_with(const MethodEntry& method, const std::string& reg) {
  return method.regularised || reg.find("contrast") == std::string::npos;
}

TrainResult run(const Graph& graph, const MethodEntry& method, const TrainConfig& config,
                const Context& context = test::context({.threads = 2, .seed = 1})) {
  return train(context, graph, config, {}, nullptr,
               method.labels ? graph.splits.front().train.span() : std::span<const std::int32_t>());
}

class Combinations : public ::testing::TestWithParam<std::string> {};

TEST_P(Combinations, TrainOrAreRefused) {
  const Graph graph = test::two_groups();
  const MethodEntry& method = find_method(GetParam());
  for (const std::string& encoder_name : names_of<EncoderKind>()) {
    const EncoderKind encoder = *from_name<EncoderKind>(encoder_name);
    for (const std::string reg :
         {"none", "contrast", "l2norm", "weight-decay", "contrast+l2norm+weight-decay"}) {
      SCOPED_TRACE(method.name + " " + encoder_name + " " + reg);
      const TrainConfig config = small_config(method, encoder, reg);
      if (method.encoders.empty()) continue;
      if (!goes_with(method, encoder)) {
        test::expect_error([&] { check_config(config); },
                           {encoder_name, method.name, name_of(method.encoders.front())});
        continue;
      }
      if (!goes_with(method, reg)) {
        test::expect_error([&] { check_config(config); }, {"Contrast-Reg", method.name, "none"});
        continue;
      }
      const TrainResult result = run(graph, method, config);
      ASSERT_EQ(result.epochs.size(), epochs);
      for (const EpochStatistics& epoch : result.epochs) {
        EXPECT_TRUE(std::isfinite(epoch.loss));
        EXPECT_EQ(epoch.regulariser != 0, reg.starts_with("contrast"));
        if (reg.find("l2norm") != std::string::npos) {
          EXPECT_NEAR(epoch.norm_mean, 1, 1e-5);
        }
      }
      ASSERT_EQ(result.embedding.rows, graph.nodes());
      ASSERT_EQ(result.embedding.cols, 8);
      for (const float value : result.embedding.values) ASSERT_TRUE(std::isfinite(value));
      EXPECT_EQ(result.class_scores.rows, method.labels ? graph.nodes() : 0);
    }
  }
}

/// From the same draws: what differs is rounding, which Adam makes larger where a gradient is
/// nearly 0.
TEST_P(Combinations, AnotherDeviceFollowsTheCpu) {
  if (test::tensor_device().is_cpu()) GTEST_SKIP() << "this is the CPU";
  const Graph graph = test::two_groups();
  const MethodEntry& method = find_method(GetParam());
  const Context cpu(Context::Options{.threads = 2, .seed = 1});
  for (const EncoderKind encoder : method.encoders) {
    SCOPED_TRACE(name_of(encoder));
    const TrainConfig config =
        small_config(method, encoder, method.regularised ? "contrast" : "none");
    const TrainResult there = run(graph, method, config);
    const TrainResult here = run(graph, method, config, cpu);
    ASSERT_EQ(there.epochs.size(), here.epochs.size());
    for (std::size_t i = 0; i < here.epochs.size(); ++i) {
      const double size = std::max(1.0, std::abs(here.epochs[i].loss));
      EXPECT_NEAR(there.epochs[i].loss, here.epochs[i].loss, (i == 0 ? 1e-5 : 5e-3) * size);
      EXPECT_EQ(there.epochs[i].anchors, here.epochs[i].anchors);
    }
  }
}

/// Hears of every tensor operation of this thread whose result, or its size, the host must wait
/// for.
class HostNumbers {
 public:
  HostNumbers() : handle_(at::addThreadLocalCallback(at::RecordFunctionCallback(heard))) {
    seen().clear();
  }
  ~HostNumbers() { at::removeCallback(handle_); }
  HostNumbers(const HostNumbers&) = delete;
  HostNumbers& operator=(const HostNumbers&) = delete;

  static std::set<std::string>& seen() {
    thread_local std::set<std::string> names;
    return names;
  }

 private:
  static std::unique_ptr<at::ObserverContext> heard(const at::RecordFunction& function) {
    static const std::set<std::string> waiting = {
        "aten::item",          "aten::_local_scalar_dense",
        "aten::nonzero",       "aten::is_nonzero",
        "aten::masked_select", "aten::equal",
        "aten::unique",        "aten::_unique2",
        "aten::bincount"};
    if (waiting.contains(function.name())) seen().insert(function.name());
    return nullptr;
  }

  at::CallbackHandle handle_;
};

TEST(HostNumbers, AreHeard) {
  const HostNumbers listener;
  EXPECT_EQ(at::ones({3}).sum().item<float>(), 3);
  EXPECT_EQ(at::ones({3}).nonzero().size(0), 3);
  EXPECT_TRUE(HostNumbers::seen().contains("aten::item"));
  EXPECT_TRUE(HostNumbers::seen().contains("aten::nonzero"));
}

// A GPU runs ahead of the host only as long as nobody asks it for a number.
TEST_P(Combinations, AStepBringsNoNumberToTheHost) {
  const Graph graph = test::two_groups();
  const MethodEntry& method = find_method(GetParam());
  const Context context = test::context({.threads = 1, .seed = 1});
  for (const EncoderKind encoder : method.encoders) {
    for (const std::string reg : {"none", "contrast", "l2norm"}) {
      if (!goes_with(method, reg)) continue;
      TrainConfig config = small_config(method, encoder, reg);
      if (method.name == "gdcl") config.own["cluster_interval"] = "100";
      if (method.name == "lc") config.own["curriculum"] = "2";
      if (encoder != EncoderKind::table) config.encoder.activation = ActivationKind::rrelu;
      const Graph prepared = with_prepared_features(context, graph, config);
      TrainingStep step(context, prepared, config);
      GraphInputs inputs(context, prepared, config.encoder);
      if (method.labels) {
        inputs.labelled = at::arange(0, 40, 4, test::options(at::kLong));
        inputs.labels = inputs.labelled.remainder(2);
      }
      // What is found once per graph, round or look for clusters is found by now.
      for (int epoch = 0; epoch < 3; ++epoch) {
        step.run(inputs, epoch, static_cast<std::uint32_t>(epoch));
      }
      const HostNumbers listener;
      step.run(inputs, 3, 3);
      EXPECT_EQ(HostNumbers::seen(), std::set<std::string>())
          << method.name << " " << name_of(encoder) << " " << reg;
    }
  }
}

class SampledBatches : public ::testing::TestWithParam<std::string> {};  // the method

TEST_P(SampledBatches, AStepBringsNoNumberToTheHost) {
  const MethodEntry& method = find_method(GetParam());
  const Graph graph = test::two_groups();
  const Context context = test::context({.threads = 1, .seed = 1});
  TrainConfig config = small_config(method, EncoderKind::sage, "contrast");
  config.encoder.layers = 2;
  config.views.drop_edges1 = 0;
  config.batch.size = 16;
  config.batch.fanouts = {3, 2};
  for (const auto& [key, value] : method.in_batches) find_parameter(key).set(config, value);
  check_config(config);
  const Graph prepared = with_prepared_features(context, graph, config);
  TrainingStep step(context, prepared, config);
  EpochSteps steps(context, prepared, config, step.model());
  steps.start(0, 0);
  step.run(steps.next(), 0, 0);
  const GraphInputs& inputs = steps.next();
  const HostNumbers listener;
  step.run(inputs, 0, 1);
  EXPECT_EQ(HostNumbers::seen(), std::set<std::string>());
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const MethodEntry& method : shipped_methods()) out.push_back(method.name);
  return out;
}

std::vector<std::string> names_of_those_in_batches() {
  std::vector<std::string> out;
  for (const MethodEntry& method : shipped_methods()) {
    if (method.steps == StepsBy::neighbourhoods && goes_with(method, EncoderKind::sage)) {
      out.push_back(method.name);
    }
  }
  return out;
}

std::string test_name(const ::testing::TestParamInfo<std::string>& given) {
  std::string name = given.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Methods, Combinations, ::testing::ValuesIn(names()), test_name);
INSTANTIATE_TEST_SUITE_P(Methods, SampledBatches, ::testing::ValuesIn(names_of_those_in_batches()),
                         test_name);

}  // namespace
}  // namespace creg::method_combinations_test
