#include "creg/run/run.h"

#include <gtest/gtest.h>

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
