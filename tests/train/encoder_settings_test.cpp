// Options of encoders as a run sees them: which go together, and what they cost.
#include <gtest/gtest.h>

#include <cmath>

#include <string>
#include <utility>
#include <vector>

#include "creg/train/trainer.h"
#include "ops/tensor_memory.h"
#include "support/attributed_graph.h"
#include "support/devices.h"
#include "support/expect_error.h"
#include "train/memory_estimate.h"
#include "train/parameters.h"

namespace creg::encoder_settings_test {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

TrainConfig with(const Settings& settings) {
  TrainConfig config;
  config.epochs = 2;
  config.encoder.dim = 8;
  config.method = "gcn-neg";
  for (const auto& [key, value] : settings) find_parameter(key).set(config, value);
  return config;
}

void expect_refused(const Settings& settings, std::initializer_list<std::string> parts) {
  test::expect_error([&] { check_config(with(settings)); }, parts);
}

TEST(EncoderSettings, WhatAnEncoderDoesNotHaveIsRefused) {
  expect_refused({{"encoder", "gin"}, {"layer_norm", "true"}},
                 {"layer_norm", "gin", "gcn, sage or gat"});
  expect_refused({{"encoder", "dual"}, {"channel_norm", "true"}},
                 {"channel_norm", "dual", "gcn, gat, gin or sage"});
  expect_refused({{"encoder", "gcn"}, {"attention_dropout", "0.1"}},
                 {"attention_dropout", "gcn", "--encoder gat"});
  expect_refused({{"encoder", "gin"}, {"gain", "2"}}, {"gain", "gin", "gcn, gat, sage"});
  expect_refused({{"encoder", "sage"}, {"propagation", "diffusion"}},
                 {"propagation", "sage", "--encoder gcn"});
  expect_refused({{"encoder", "dual"}, {"layers", "2"}}, {"layers", "dual", "gcn, gat"});
  expect_refused({{"sparse_diffusion", "true"}}, {"sparse_diffusion", "--propagation diffusion"});
  expect_refused({{"channel_norm", "true"}, {"layer_norm", "true"}}, {"two normalisations"});
  expect_refused({{"encoder", "gat"}, {"heads", "4"}, {"hidden", "6"}, {"layers", "2"}},
                 {"heads", "divisor of hidden", "6"});
}

TEST(EncoderSettings, HeadsMustDivideWidthsThatAreThere) {
  check_config(with({{"encoder", "gat"}, {"heads", "4"}, {"hidden", "6"}}));
}

const std::vector<Settings>& trained() {
  static const std::vector<Settings> all = {
      {{"layers", "2"}, {"hidden", "24"}, {"dropout", "0.5"}, {"last_activation", "false"}},
      {{"encoder", "gat"},
       {"layers", "2"},
       {"heads", "2"},
       {"dropout", "0.2"},
       {"attention_dropout", "0.1"},
       {"gain", "1.4"},
       {"layer_norm", "true"}},
      {{"encoder", "gin"}, {"layers", "2"}, {"hidden", "24"}, {"dropout", "0.2"}},
      {{"encoder", "gin"}, {"layers", "2"}, {"channel_norm", "true"}},
      {{"encoder", "gat"}, {"layers", "2"}, {"heads", "2"}, {"channel_norm", "true"}},
      {{"propagation", "directed-pagerank"}},
      {{"propagation", "diffusion"}, {"teleport", "0.2"}},
      {{"propagation", "diffusion"}, {"teleport", "0.2"}, {"sparse_diffusion", "true"}},
      {{"encoder", "dual"}, {"teleport", "0.2"}, {"activation", "prelu-shared"}},
      {{"encoder", "multiplex"}, {"layers", "2"}, {"hidden", "24"}},
  };
  return all;
}

std::string text_of(const Settings& settings) {
  std::string text;
  for (const auto& [key, value] : settings) text += key + "=" + value + " ";
  return text;
}

/// Two runs agree, and so does an evaluation of what the checkpoint keeps.
TEST(EncoderSettings, EverythingTrainsAndIsReproducible) {
  const Graph graph = test::two_groups();
  for (Settings settings : trained()) {
    const TrainConfig config = with(settings);
    check_config(config);
    const TrainResult once = train(test::context({.threads = 1}), graph, config);
    const TrainResult again = train(test::context({.threads = 2}), graph, config);
    ASSERT_EQ(once.embedding.cols, 8) << text_of(settings);
    for (std::int64_t i = 0; i < once.embedding.values.size(); ++i) {
      ASSERT_NEAR(once.embedding.values[i], again.embedding.values[i], 1e-5) << text_of(settings);
    }
    EXPECT_TRUE(std::isfinite(once.epochs.back().loss));
  }
}

/// Graph and features are left out, dense diffusions included: the counter sees what tensors
/// of the CPU own.
TEST(EncoderSettings, TheEstimateOfMemoryKnowsThem) {
  install_tensor_memory();
  const Graph graph = test::two_groups(800, 40);
  std::vector<Settings> all = trained();
  all.push_back({{"method", "graphmae"},
                 {"encoder", "gat"},
                 {"layers", "2"},
                 {"dropout", "0.2"},
                 {"drop_edges1", "0"}});
  all.push_back({{"method", "graphmae"}, {"layers", "2"}, {"drop_edges1", "0"}});
  for (Settings settings : all) {
    for (const char* reg : {"none", "contrast"}) {
      settings.emplace_back("method", "ml");  // whose pairs are few
      settings.emplace_back("dim", "96");
      settings.emplace_back("reg", reg);
      const TrainConfig config = with(settings);
      double wanted = 0;
      for (const MemoryPart& part : estimate_memory(graph, config).parts) {
        if (part.name != "graph" && part.name != "features") {
          wanted += static_cast<double>(part.bytes);
        }
      }
      const std::int64_t before = tensor_memory().live_bytes;
      reset_peak_tensor_memory();
      train(Context(), graph, config);
      const double measured = static_cast<double>(tensor_memory().peak_bytes - before) / wanted;
      EXPECT_GT(measured, 0.6) << text_of(settings);
      EXPECT_LT(measured, 1.3) << text_of(settings);
    }
  }
}

}  // namespace
}  // namespace creg::encoder_settings_test
