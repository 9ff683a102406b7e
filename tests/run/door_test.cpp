#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "creg/creg.h"
#include "creg/methods/method.h"
#include "io/file.h"
#include "run/embeddings.h"
#include "support/attributed_graph.h"
#include "support/devices.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace creg::door_test {
namespace {

using test::expect_error;
using test::TempDir;

const Settings small = {{"dim", "16"}, {"epochs", "6"}, {"patience", "0"}};

Settings with(Settings more) {
  more.insert(small.begin(), small.end());
  return more;
}

std::vector<float> values(const DenseMatrix& matrix) {
  return {matrix.values.begin(), matrix.values.end()};
}

Data small_data() {
  return load(Context(), "synthetic:cora@0.05");
}

TEST(Door, LoadsTrainsAndJudges) {
  const Context context({.threads = 2});
  const Data data = small_data();
  const RunResult run = train(context, data, small);
  EXPECT_EQ(run.embedding().rows, data.graph.nodes());
  EXPECT_EQ(run.embedding().cols, 16);
  EXPECT_EQ(run.plan.recipe, "recipes/ml/default.toml");
  const ClassifyResult classified = classify(context, data, run);
  ASSERT_FALSE(classified.accuracy.empty());
  EXPECT_EQ(classified.accuracy, run.seeds.front().classification->accuracy);
  // As its recipe says, of classifiers alone.
  EXPECT_EQ(classified.normalize, Normalize::spread);
  EXPECT_EQ(cluster(context, data, run, {.seeds = 1}).normalize, Normalize::none);
  EXPECT_EQ(cluster(context, data, run, {.seeds = 1}).nodes, data.graph.nodes());
  const CalibrationFigures figures = calibrate(context, data, run);
  ASSERT_TRUE(figures.ece && figures.ece_positive && figures.ece_negative);
  EXPECT_NEAR(*figures.ece, (*figures.ece_positive + *figures.ece_negative) / 2, 1e-12);
  expect_error([&] { predict_links(context, run); }, {"trained on all edges"});
}

TEST(Door, FindsNeighboursAndWhatLearnsNothing) {
  const Context context({.threads = 2});
  const Data data = small_data();
  const RunResult run = train(context, data, small);
  const std::vector<std::int32_t> nodes = {5, 0};
  const NeighbourLists found = neighbours(context, data, run, nodes, {.k = 3});
  EXPECT_EQ(found.nodes, nodes);
  ASSERT_EQ(found.neighbours.size(), 6U);
  EXPECT_EQ(found.edges.size(), 6U);
  EXPECT_GE(found.scores[0], found.scores[1]);
  for (const std::int32_t one : found.neighbours)
    EXPECT_TRUE(one >= 0 && one < run.embedding().rows);
  const ClassifyResult classified = classify(context, data, run);
  const std::vector<Baseline> baselines = classify_baselines(context, data);
  ASSERT_EQ(baselines.size(), 3U);
  EXPECT_EQ(baselines[2].result.protocol, classified.protocol);
  EXPECT_EQ(baselines[2].result.splits, classified.splits);
}

TEST(Door, SeveralSeedsArePooled) {
  const Context context({.threads = 2});
  const Data data = small_data();
  const RunResult run = train(context, data, RunSpec{.settings = small, .seeds = 2});
  ASSERT_EQ(run.seeds.size(), 2U);
  EXPECT_EQ(run.plan.threads, 1);
  EXPECT_NE(values(run.seeds[0].training.embedding), values(run.seeds[1].training.embedding));
  EXPECT_EQ(classify(context, data, run).runs, 2);
  const Context alone({.threads = 1, .seed = 1});
  EXPECT_EQ(values(train(alone, data, small).embedding()), values(run.seeds[1].training.embedding));
}

/// Whatever runs beside them, on every device.
TEST(Door, SeedsSideBySideAreWhatTheyAreAlone) {
  const Data data = small_data();
  for (const char* method : {"ml", "lc", "grace"}) {
    SCOPED_TRACE(method);
    const Settings settings = {
        {"method", method}, {"dim", "16"}, {"epochs", "30"}, {"patience", "0"}};
    const Context context = test::context({.threads = 4});
    const RunResult run = train(context, data, RunSpec{.settings = settings, .seeds = 5});
    EXPECT_EQ(run.plan.threads, 1);
    ASSERT_EQ(run.seeds.size(), 5U);
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const Context alone = test::context({.threads = 1, .seed = seed});
      const RunResult one = train(alone, data, settings);
      const SeedResult& beside = run.seeds[static_cast<std::size_t>(seed)];
      EXPECT_EQ(values(one.embedding()), values(beside.training.embedding)) << seed;
      EXPECT_EQ(one.seeds.front().training.best_epoch, beside.training.best_epoch);
    }
  }
}

TEST(Door, LinksAreThoseThatTheRunDidNotSee) {
  const Context context({.threads = 2});
  const Data data = small_data();
  const RunResult run = train(context, data, RunSpec{.settings = small, .edge_split = 3});
  LinkOptions options;
  options.predictor.epochs = 5;
  const LinkResult found = predict_links(context, run, options);
  EXPECT_TRUE(found.encoder_checked);
  EXPECT_EQ(found.split_seeds, (std::vector<std::uint64_t>{3}));
  EXPECT_GT(found.leak_check.held_out_edges, 0);
}

/// Everything that the configuration promises holds without the command.
TEST(Door, HonoursSelectionBatchesCountsAndNorms) {
  const Context context({.threads = 1});
  const Data data = small_data();
  const RunResult selected = train(context, data, with({{"select", "val"}}));
  EXPECT_TRUE(selected.seeds.front().training.epochs.back().val_accuracy.has_value());
  for (const char* by : {"val-ece", "calibration"}) {
    const RunResult run = train(context, data, with({{"select", by}}));
    EXPECT_TRUE(run.seeds.front().training.epochs.back().calibration_score.has_value()) << by;
  }
  const RunPlan batches = plan(context, data, with({{"method", "lc"}, {"batch_size", "64"}}));
  EXPECT_EQ(batches.config.encoder.kind, EncoderKind::sage);
  EXPECT_EQ(batches.config.encoder.layers, 3);
  EXPECT_EQ(batches.origins.at("encoder"), Origin::batches);

  Data twice = data;
  twice.dataset.raw.directed = true;
  const RunPlan counted =
      plan(context, twice, Settings{{"method", "agc"}, {"link_counts", "true"}, {"reg", "none"}});
  EXPECT_FALSE(counted.graph.adjacency.values.empty());
  const RunPlan once = plan(context, twice, Settings{{"method", "agc"}, {"reg", "none"}});
  EXPECT_TRUE(once.graph.adjacency.values.empty());

  const RunResult normed = train(context, data, with({{"final_norm", "true"}}));
  EXPECT_EQ(classify(context, data, normed).normalize, Normalize::l2);
  EXPECT_NE(normed.embedding().row(0)[0], 0);
  double length = 0;
  for (const float value : normed.embedding().row(0)) length += value * value;
  EXPECT_GT(std::abs(length - 1), 1e-3);  // the embedding itself stays raw
}

TEST(Door, SavesWhatAKeptRunHas) {
  const Context context({.threads = 1, .seed = 4});
  const Data data = small_data();
  const TempDir dir;
  const RunResult run = train(context, data, small);
  save(run, dir.path() / "saved");
  train(context, data, RunSpec{.settings = small, .out = dir.path() / "kept"});
  for (const char* file : {"config.toml", "embedding.npy"}) {
    EXPECT_EQ(map_file(dir.path() / "saved" / file).text(),
              map_file(dir.path() / "kept" / file).text())
        << file;
  }
  for (const char* file : {"checkpoint.pt", "metrics.jsonl", "result.json"}) {
    EXPECT_TRUE(is_there(dir.path() / "saved" / file)) << file;
  }
  EXPECT_EQ(values(embed(context, data.graph, dir.path() / "saved" / "checkpoint.pt")),
            values(run.embedding()));
  EXPECT_EQ(find_embeddings(dir.path() / "saved").dataset, "synthetic:cora@0.05");
}

TEST(Door, ASavedRunGoesOnAsAKeptOne) {
  const Context context({.threads = 1});
  const Data data = small_data();
  const TempDir dir;
  save(train(context, data, small), dir.path() / "run");
  RunPlan longer = plan_resume(context, dir.path() / "run", "", true);
  EXPECT_TRUE(longer.resume);
  EXPECT_EQ(values(execute(context, longer).embedding()),
            values(train(context, data, small).embedding()));
}

TEST(Door, TakesAGraphOfTheProgramsOwn) {
  const Context context({.threads = 1});
  const Data data = load(context, test::two_groups());
  const RunResult run = train(context, data, with({{"encoder", "gin"}}));
  EXPECT_EQ(run.embedding().rows, 40);
}

/// Nodes towards the mean of all: nobody would train by it, but it is a method.
class Gathering final : public Method {
 public:
  Gathering(const MethodOptions& options, ParameterList& parameters)
      : pull_(options.own.real("pull")), centre_(parameters.constant("centre", {options.dim}, 0)) {}

  EpochLoss loss(EpochPass& pass) override {
    const at::Tensor& h = pass.embedding();
    return {.loss = (h - centre_).pow(2).mean() * pull_, .anchors = pass.inputs().nodes};
  }

 private:
  double pull_;
  at::Tensor centre_;
};

TEST(Door, AProgramCanHaveAMethodOfItsOwn) {
  const Context context({.threads = 1});
  const Data data = small_data();
  const auto own = std::make_shared<const MethodEntry>(
      MethodEntry{.name = "gathering",
                  .about = "nodes towards a centre",
                  .parameters = {own_real("pull", 1, 0, 10, "how strongly")},
                  .make = made_by<Gathering>});
  const auto with_pull = [&](const std::string& pull) {
    return RunSpec{.settings = with({{"method", "gathering"}, {"pull", pull}, {"reg", "none"}}),
                   .added = own};
  };
  const RunResult run = train(context, data, with_pull("2"));
  const auto& epochs = run.seeds.front().training.epochs;
  EXPECT_LT(epochs.back().loss, epochs.front().loss);
  EXPECT_NEAR(train(context, data, with_pull("1")).seeds.front().training.epochs.front().loss * 2,
              epochs.front().loss, 1e-6);
  expect_error([&] { plan(context, data, with_pull("11")); }, {"--pull", "'11'", "0 to 10"});
  expect_error(
      [&] {
        plan(context, data, Settings{{"method", "gathering"}});
      },
      {"unknown method", "gathering"});
  expect_error(
      [&] {
        plan(context, data, Settings{{"pull", "2"}});
      },
      {"unknown parameter", "pull"});
  const TempDir dir;
  save(run, dir.path() / "run");
  EXPECT_NE(map_file(dir.path() / "run" / "config.toml").text().find("pull = 2  # asked"),
            std::string_view::npos);
}

}  // namespace
}  // namespace creg::door_test
