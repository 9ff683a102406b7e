#include "creg/run/run.h"

#include <gtest/gtest.h>

#include "io/creg_file.h"
#include "io/file.h"
#include "run/run_folder.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace creg::plan_test {
namespace {

using test::expect_error;
using test::TempDir;

RunSpec small_spec(Settings settings = {}) {
  return {.data = {.dataset = "synthetic:cora@0.03"}, .settings = std::move(settings)};
}

TEST(Plan, SettingsSayWhereTheyComeFrom) {
  const TempDir dir;
  write_file(dir.path() / "mine.toml", "method = \"lc\"\nlr = 0.02\ndim = 32\ncurriculum = 3\n");
  RunSpec spec = small_spec({{"dim", "16"}, {"batch_size", "20"}});
  spec.recipe = (dir.path() / "mine.toml").string();
  const RunPlan plan = plan_run(Context({.threads = 1}), spec);
  EXPECT_EQ(plan.config.method, "lc");
  EXPECT_EQ(plan.config.lr, 0.02);
  EXPECT_EQ(plan.config.encoder.dim, 16);
  EXPECT_EQ(plan.origins.at("lr"), Origin::recipe);
  EXPECT_EQ(plan.origins.at("dim"), Origin::asked);
  EXPECT_EQ(plan.origins.at("encoder"), Origin::batches);
  EXPECT_EQ(plan.origins.at("curriculum"), Origin::batches);
  EXPECT_FALSE(plan.origins.contains("epochs"));
  EXPECT_GT(plan.memory_bytes, 0);
}

TEST(Plan, SeedsSideBySideHaveAThreadEach) {
  RunSpec spec = small_spec();
  spec.seeds = 3;
  const RunPlan plan = plan_run(Context({.threads = 2}), spec);
  EXPECT_EQ(plan.seeds, (std::vector<std::uint64_t>{0, 1, 2}));
  EXPECT_EQ(plan.all_threads, 2);
  EXPECT_EQ(plan.threads, 1);
  const RunPlan alone = plan_run(Context({.threads = 2, .seed = 9}), small_spec());
  EXPECT_EQ(alone.seeds, (std::vector<std::uint64_t>{9}));
  EXPECT_EQ(alone.threads, 2);
}

TEST(Plan, AFolderGivesBackWhatItWasMadeFrom) {
  const TempDir dir;
  RunSpec spec = small_spec({{"method", "gca"}, {"centrality", "pagerank"}, {"reg", "l2norm"}});
  spec.out = dir.path() / "run";
  spec.edge_split = 5;
  spec.calibrate = 2;
  spec.data.transforms = {"row-normalise"};
  const Context context({.threads = 2, .seed = 18446744073709551615U});
  const RunPlan plan = plan_run(context, spec);
  write_records(context, plan);
  const RunPlan again = plan_resume(Context({.threads = 1}), dir.path() / "run", "", false);
  EXPECT_EQ(again.config.own.at("centrality"), "pagerank");
  EXPECT_EQ(again.config.method, "gca");
  EXPECT_TRUE(again.config.regulariser.l2norm);
  EXPECT_EQ(again.seeds, plan.seeds);
  EXPECT_EQ(again.all_threads, 2);
  EXPECT_EQ(again.calibrate, 2);
  EXPECT_EQ(again.recipe, plan.recipe);
  EXPECT_EQ(again.data.transforms, spec.data.transforms);
  ASSERT_TRUE(again.held_out);
  EXPECT_EQ(again.held_out->seed, 5U);
  EXPECT_EQ(again.graph.adjacency.nonzeros(), plan.graph.adjacency.nonzeros());
}

/// Both tell the same, and the first one has no graph.
void expect_same_look(const RunPlan& dry, const RunPlan& plan, double tolerance = 0) {
  const auto near = [&](std::int64_t found, std::int64_t wanted) {
    EXPECT_NEAR(static_cast<double>(found), static_cast<double>(wanted),
                tolerance * static_cast<double>(wanted));
  };
  EXPECT_EQ(dry.graph.nodes(), 0);
  EXPECT_EQ(dry.nodes, plan.nodes);
  near(dry.edges, plan.edges);
  EXPECT_EQ(dry.features, plan.features);
  EXPECT_EQ(dry.config.method, plan.config.method);
  EXPECT_EQ(dry.recipe, plan.recipe);
  EXPECT_EQ(dry.seeds, plan.seeds);
  EXPECT_EQ(dry.threads, plan.threads);
  EXPECT_EQ(default_run_folder(dry), default_run_folder(plan));
  near(dry.memory_bytes, plan.memory_bytes);
  EXPECT_EQ(dry.memory.size(), plan.memory.size());
}

TEST(Plan, ADryOneOfAMethodThatTrainsNothingKnowsItsMemory) {
  RunSpec spec = small_spec({{"method", "agc"}});
  // Of the generator's features the number of words is an average.
  expect_same_look(plan_dry_run(Context({.threads = 1}), spec),
                   plan_run(Context({.threads = 1}), spec), 0.02);
}

TEST(Plan, ADryOneOnTrainingEdgesCountsThem) {
  RunSpec spec = small_spec();
  spec.edge_split = 3;
  const Context context({.threads = 1});
  const RunPlan dry = plan_dry_run(context, spec);
  const RunPlan plan = plan_run(context, spec);
  EXPECT_EQ(dry.edges, plan.edges);
  EXPECT_FALSE(dry.estimated);
  expect_same_look(dry, plan, 0.02);
}

TEST(Plan, ADryOneCountsFeaturesThatWillBeMade) {
  const TempDir dir;
  Graph graph = plan_run(Context({.threads = 1}), {.data = {.dataset = "synthetic:cora"}}).graph;
  graph.features = {};
  write_creg(Context(), dir / "bare.creg", graph, {});
  RunSpec spec{.data = {.dataset = (dir / "bare.creg").string()},
               .settings = {{"structure_features", "20"}, {"dim", "16"}}};
  const Context context({.threads = 1});
  const RunPlan plan = plan_run(context, spec);
  EXPECT_EQ(plan.features, 20);
  // What training sees is made when it begins, of the edges that it sees.
  EXPECT_FALSE(has_features(plan.graph.features));
  EXPECT_GT(plan.gradient_numbers, 20 * 16);
  const RunPlan dry = plan_dry_run(context, spec);
  EXPECT_EQ(dry.features, 20);
  EXPECT_EQ(dry.gradient_numbers, plan.gradient_numbers);
  ASSERT_EQ(dry.memory.size(), plan.memory.size());
  EXPECT_EQ(dry.memory[1].name, "features");
  EXPECT_EQ(dry.memory[1].bytes, plan.memory[1].bytes);
  spec.edge_split = 3;
  const RunPlan split = plan_run(context, spec);
  EXPECT_FALSE(has_features(split.graph.features));
  EXPECT_EQ(split.features, 20);
}

TEST(Plan, ADryOneOfPretrainingKnowsItsNodes) {
  const TempDir dir;
  const Context context({.threads = 1});
  RunSpec spec{.data = {.dataset = "synthetic:cora"}};
  for (const PartsSpec& parts : {PartsSpec{}, PartsSpec{.share = 0.4}}) {
    spec.pretrain = parts;
    const RunPlan dry = plan_dry_run(context, spec);
    expect_same_look(dry, plan_run(context, spec), 0.1);
    EXPECT_TRUE(dry.estimated);
  }
  // By the file of a split, some nodes more or less.
  spec.out = dir / "run";
  const RunPlan kept = plan_run(context, spec);
  write_records(context, kept);
  spec.pretrain = PartsSpec{.parts = (dir / "run/parts.json").string()};
  EXPECT_NEAR(static_cast<double>(plan_dry_run(context, spec).nodes),
              static_cast<double>(kept.nodes), 5);
  spec.pretrain = PartsSpec{.parts = "halves"};
  expect_error([&] { plan_dry_run(context, spec); }, {"unknown parts", "halves"});
}

TEST(Plan, ADryOneOfAFolderTellsWhatWouldGoOn) {
  const TempDir dir;
  const Context context({.threads = 2});
  RunSpec spec = small_spec({{"method", "lc"}, {"dim", "8"}});
  spec.seeds = 3;
  spec.edge_split = 1;
  spec.out = dir / "run";
  write_records(context, plan_run(context, spec));
  const Context other({.threads = 1});
  const RunPlan dry = plan_dry_resume(other, dir / "run", "", false);
  const RunPlan plan = plan_resume(other, dir / "run", "", false);
  expect_same_look(dry, plan, 0.02);
  EXPECT_EQ(dry.edges, plan.edges);
  EXPECT_EQ(dry.config.encoder.dim, 8);
  EXPECT_EQ(dry.directory, dir / "run");
  EXPECT_EQ(dry.all_threads, 2);
  EXPECT_EQ(plan_dry_resume(other, dir / "run", "", true).all_threads, 1);

  spec.pretrain = PartsSpec{.share = 0.5};
  spec.edge_split.reset();
  spec.seeds = 0;
  spec.data.dataset = "synthetic:cora";
  spec.out = dir / "part";
  write_records(context, plan_run(context, spec));
  expect_same_look(plan_dry_resume(other, dir / "part", "", false),
                   plan_resume(other, dir / "part", "", false), 0.1);
}

TEST(Plan, WhatIsNoParameterIsRefused) {
  expect_error([] { plan_run(Context(), small_spec({{"epoch", "3"}})); }, {"'epoch'", "epochs"});
  expect_error(
      [] {
        plan_run(Context(), small_spec({{"walk_length", "30"}}));
      },
      {"walk_length", "ml", "--method node2vec"});
}

TEST(Plan, NumbersOfAFolderAreCheckedBeforeTheyAreTaken) {
  const TempDir dir;
  RunSpec spec = small_spec();
  spec.out = dir.path() / "run";
  const Context context({.threads = 1});
  write_records(context, plan_run(context, spec));
  const std::string good(map_file(dir.path() / "run/config.toml").text());
  for (const char* line :
       {"seeds = 4294967295", "seeds = 0", "calibrate = 4294967297", "threads = 4294967296"}) {
    const std::string key = std::string(line).substr(0, std::string(line).find(' '));
    std::string text;
    for (std::size_t begin = 0; begin < good.size();) {
      const std::size_t end = good.find('\n', begin) + 1;
      if (!good.substr(begin, end - begin).starts_with(key + " =")) {
        text += good.substr(begin, end - begin);
      }
      begin = end;
    }
    write_file(dir.path() / "run/config.toml", std::string(line) + "\n" + text);
    expect_error([&] { plan_resume(context, dir.path() / "run", "", false); },
                 {"config.toml", "line 1", key, "whole number"});
  }
}

TEST(Plan, WhatIsAskedOfBatchesNeedsThem) {
  for (const auto& [key, value] : Settings{{"fanouts", "10,10"}, {"batches", "3"}}) {
    expect_error(
        [&] {
          plan_run(Context({.threads = 1}), small_spec({{key, value}}));
        },
        {"--" + key, value, "--batch-size"});
    plan_run(Context({.threads = 1}), small_spec({{key, value},
                                                  {"batch_size", "20"},
                                                  {"encoder", "sage"},
                                                  {"layers", key == "fanouts" ? "2" : "3"}}));
  }
}

}  // namespace
}  // namespace creg::plan_test
