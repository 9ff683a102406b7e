#include "train/feature_scale.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <variant>

#include "creg/train/trainer.h"
#include "ops/tensors.h"
#include "support/attributed_graph.h"
#include "support/devices.h"
#include "support/gradients.h"
#include "support/recording_log.h"
#include "support/temp_dir.h"
#include "train/checkpoint.h"
#include "train/embed_nodes.h"
#include "train/loaded_encoder.h"
#include "train/parameters.h"

namespace creg::feature_scale_test {
namespace {

using test::TempDir;

TrainConfig small_config(EncoderKind encoder = EncoderKind::gcn, int layers = 1) {
  TrainConfig config;
  config.encoder.kind = encoder;
  config.encoder.dim = 8;
  config.encoder.heads = 2;
  config.encoder.layers = layers;
  config.lr = 1e-2;
  config.epochs = 6;
  config.patience = 0;
  config.select = Select::last;
  config.auto_feature_scale = true;
  return config;
}

Context context_of(std::uint64_t seed = 1) {
  return test::context({.threads = 2, .seed = seed});
}

Graph with_features_times(double factor, bool dense = false) {
  Graph graph = test::two_groups();
  DenseMatrix rows = to_dense(graph.features);
  Buffer<float> values(rows.values.size());
  for (std::int64_t i = 0; i < rows.values.size(); ++i) {
    values[i] = static_cast<float>(factor * rows.values[i]);
  }
  if (dense) {
    graph.features = DenseMatrix{rows.rows, rows.cols, std::move(values)};
    return graph;
  }
  CsrMatrix& csr = std::get<CsrMatrix>(graph.features);
  Buffer<float> kept(csr.nonzeros());
  for (std::int64_t i = 0; i < csr.nonzeros(); ++i) kept[i] = static_cast<float>(factor);
  csr.values = std::move(kept);
  return graph;
}

double mean_length(const DenseMatrix& rows) {
  double sum = 0;
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    double squares = 0;
    for (const float value : rows.row(i)) squares += static_cast<double>(value) * value;
    sum += std::sqrt(squares);
  }
  return sum / static_cast<double>(rows.rows);
}

/// As an encoder begins: the steps are too small to matter.
DenseMatrix untrained(const Graph& graph, TrainConfig config) {
  config.lr = 1e-8;
  config.epochs = 1;
  return train(context_of(), graph, config).embedding;
}

TEST(FeatureScale, EmbeddingsBeginWithAMeanLengthOfOne) {
  const Graph graph = with_features_times(7);
  for (const EncoderKind encoder :
       {EncoderKind::gcn, EncoderKind::gat, EncoderKind::gin, EncoderKind::sage}) {
    for (const int layers : {1, 2}) {
      SCOPED_TRACE(name_of(encoder) + " " + std::to_string(layers));
      TrainConfig config = small_config(encoder, layers);
      // Found to three digits.
      EXPECT_NEAR(mean_length(untrained(graph, config)), 1, 0.02);
      config.auto_feature_scale = false;
      EXPECT_GT(std::abs(mean_length(untrained(graph, config)) - 1), 0.1);
    }
  }
}

TEST(FeatureScale, MakesTrainingTheSameForFeaturesOfAnySize) {
  const DenseMatrix once = train(context_of(), with_features_times(1), small_config()).embedding;
  for (const double factor : {0.01, 100.0}) {
    const DenseMatrix other =
        train(context_of(), with_features_times(factor), small_config()).embedding;
    EXPECT_LT(test::distance(as_tensor(once), as_tensor(other)), 1e-3) << factor;
  }
}

TEST(FeatureScale, OfDenseAndSparseFeaturesIsTheSame) {
  const TrainConfig config = small_config();
  const double sparse =
      with_feature_scale(context_of(), with_features_times(3), config).encoder.feature_scale;
  const double dense =
      with_feature_scale(context_of(), with_features_times(3, true), config).encoder.feature_scale;
  EXPECT_NEAR(dense, sparse, 0.01 * sparse);
  EXPECT_NE(dense, 1);
}

TEST(FeatureScale, StaysOneWhereLengthsDoNotFollowIt) {
  TrainConfig config = small_config();
  config.encoder.channel_norm = true;
  const TrainConfig found = with_feature_scale(context_of(), with_features_times(50), config);
  EXPECT_FALSE(found.auto_feature_scale);
  EXPECT_EQ(found.encoder.feature_scale, 1);
  EXPECT_EQ(with_feature_scale(context_of(), with_features_times(0), small_config())
                .encoder.feature_scale,
            1);
  TrainConfig table = small_config(EncoderKind::table);
  EXPECT_EQ(with_feature_scale(context_of(), with_features_times(50), table).encoder.feature_scale,
            1);
}

TEST(FeatureScale, IsAskedForByNameOrNumber) {
  TrainConfig config;
  const Parameter& parameter = find_parameter("feature_scale");
  EXPECT_EQ(parameter.get(config), "1");
  parameter.set(config, "auto");
  EXPECT_TRUE(config.auto_feature_scale);
  EXPECT_EQ(parameter.get(config), "auto");
  parameter.set(config, "0.25");
  EXPECT_FALSE(config.auto_feature_scale);
  EXPECT_EQ(config.encoder.feature_scale, 0.25);
  EXPECT_EQ(parameter.get(config), "0.25");
  // What was not asked for is left alone.
  EXPECT_EQ(with_feature_scale(context_of(), with_features_times(5), config).encoder.feature_scale,
            0.25);
}

TEST(FeatureScale, IsKeptWithTheEncoder) {
  const TempDir dir;
  const Graph graph = with_features_times(20);
  const TrainResult result = train(context_of(), graph, small_config(), {.directory = dir.path()});
  const TrainConfig kept = config_of(read_checkpoint(dir / "checkpoint.pt"));
  EXPECT_FALSE(kept.auto_feature_scale);
  EXPECT_LT(kept.encoder.feature_scale, 0.5);
  const DenseMatrix again = embed(context_of(), graph, dir / "checkpoint.pt");
  EXPECT_TRUE(test::same(again.values, result.embedding.values));
}

TEST(FeatureScale, OfARunThatGoesOnIsTheOneItBeganWith) {
  const Graph graph = with_features_times(20);
  const TempDir whole;
  const TempDir parts;
  TrainConfig config = small_config();
  const TrainResult wanted = train(context_of(), graph, config, {.directory = whole.path()});
  config.epochs = 3;
  train(context_of(), graph, config, {.directory = parts.path()});
  // The number of epochs is part of what a checkpoint is of; here it alone is changed.
  Checkpoint kept = read_checkpoint(parts / "checkpoint.pt");
  for (auto& [key, value] : kept.config) {
    if (key == "epochs") value = "6";
  }
  write_checkpoint(parts / "checkpoint.pt", kept);
  config.epochs = 6;
  const TrainResult gone_on =
      train(context_of(), graph, config, {.directory = parts.path(), .resume = true});
  EXPECT_TRUE(test::same(gone_on.embedding.values, wanted.embedding.values));
  // It is not measured again, which on another device might come to another number.
  kept = read_checkpoint(parts / "checkpoint.pt");
  for (auto& [key, value] : kept.config) {
    if (key == "feature_scale") value = "0.125";
  }
  write_checkpoint(parts / "checkpoint.pt", kept);
  train(context_of(), graph, config, {.directory = parts.path(), .resume = true});
  EXPECT_EQ(config_of(read_checkpoint(parts / "checkpoint.pt")).encoder.feature_scale, 0.125);
}

TEST(FeatureScale, InBatches) {
  for (const bool dense : {false, true}) {
    const Graph graph = with_features_times(20, dense);
    TrainConfig config = small_config(EncoderKind::sage, 2);
    config.batch = {.size = 16, .fanouts = {3, 3}};
    const TempDir dir;
    const TrainResult result = train(context_of(), graph, config, {.directory = dir.path()});
    const double scale = config_of(read_checkpoint(dir / "checkpoint.pt")).encoder.feature_scale;
    EXPECT_LT(scale, 0.5);
    // The same as of features that are that small.
    TrainConfig plain = config;
    plain.auto_feature_scale = false;
    const TrainResult smaller = train(context_of(), with_features_times(20 * scale, dense), plain);
    EXPECT_LT(test::distance(as_tensor(result.embedding), as_tensor(smaller.embedding)), 1e-3);
    EXPECT_TRUE(test::same(embed(context_of(), graph, dir / "checkpoint.pt").values,
                           result.embedding.values));
  }
}

TEST(FeatureScale, IsToldInTheLog) {
  const auto log = std::make_shared<test::RecordingLog>();
  const Context context = test::context({.threads = 1, .log = log});
  with_feature_scale(context, with_features_times(5), small_config());
  const std::vector<std::string> said = log->messages(LogLevel::info);
  ASSERT_EQ(said.size(), 1U);
  EXPECT_TRUE(said.front().starts_with("features are multiplied by 0.")) << said.front();
}

}  // namespace
}  // namespace creg::feature_scale_test
