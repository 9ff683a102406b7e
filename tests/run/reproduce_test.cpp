#include "run/reproduce.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "core/build_info.h"
#include "creg/creg.h"
#include "io/file.h"
#include "run/run_times.h"
#include "support/devices.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace creg::reproduce_test {
namespace {

using test::expect_error;
using test::TempDir;

#define CREG_REQUIRE_SQLITE() \
  if (!build_info().sqlite) GTEST_SKIP() << "built without SQLite"

PaperCell cell_of(const std::string& table, const std::string& row, const std::string& column) {
  for (const PaperCell& cell : paper_cells({table})) {
    if (cell.row() == row && cell.column == column) return cell;
  }
  ADD_FAILURE() << "no cell " << row << ", " << column;
  return {};
}

/// The tables on a tiny graph in the place of Cora.
ReproduceSpec tiny(const std::vector<std::string>& tables) {
  return {.tables = tables,
          .datasets = {"cora=synthetic:cora@0.05"},
          .methods = {"ml"},
          .seeds = 2,
          .settings = {{"dim", "8"}, {"epochs", "5"}, {"patience", "0"}}};
}

TEST(PaperRuns, HaveTheProtocolsOfTheirRows) {
  const auto question = [](const std::string& row, const std::string& column) {
    return paper_runs(cell_of("node_classification", row, column)).shown.front();
  };
  EXPECT_EQ(question("ML + Contrast-Reg", "Cora").name("public"), "classify public");
  EXPECT_EQ(question("GCA", "Citeseer").name("public"), "classify random-10-10-80");
  EXPECT_EQ(question("GCA", "Wiki").name("public"), "classify public");
  EXPECT_EQ(question("GraphMAE", "Cora").name("public"), "classify public-probe decay 1e-04");
  const PaperRuns digcl = paper_runs(cell_of("digcl_gdcl", "DiGCL + Contrast-Reg", "Cora-ml"));
  EXPECT_EQ(digcl.shown.front().name(""), "classify per-class-20-500-ovr splits 10");
  EXPECT_EQ(digcl.settings.at("ratio"), "1");

  const PaperRuns links = paper_runs(cell_of("link_prediction", "GRACE", "Cora"));
  EXPECT_EQ(links.edge_splits * links.seeds, 25);
  EXPECT_EQ(links.settings.at("reg"), "none");
  const PaperRuns clusters = paper_runs(cell_of("graph_clustering", "LC + Contrast-Reg", "Wiki"));
  EXPECT_EQ(clusters.shown.size(), 2U) << "with and without PCA";
  const PaperRuns gin = paper_runs(cell_of("gat_gin_backbone", "LC, GIN", "Citeseer"));
  EXPECT_EQ(gin.settings.at("encoder"), "gin");
  EXPECT_EQ(gin.settings.at("lr"), "3e-5");
  EXPECT_EQ(paper_runs(cell_of("ece", "ML", "Cora")).settings.at("score"), "bilinear");
  EXPECT_FALSE(paper_runs(cell_of("graph_clustering", "AGC", "Cora")).draws);
  EXPECT_EQ(paper_runs(cell_of("regularization_ablation", "ML + weight decay", "Cora"))
                .settings.at("reg"),
            "weight-decay");
}

TEST(PaperPlan, CellsOfOneSettingShareTheirRuns) {
  const ReproduceSpec spec =
      tiny({"node_classification", "regularization_ablation", "graph_clustering"});
  const PaperPlan plan = plan_paper(test::context(), spec, {});
  // ML with Contrast-Reg is in all three tables; none, l2 and decay in one.
  EXPECT_EQ(plan.runs.size(), 4U * 2);
  EXPECT_EQ(plan.chosen.size(), plan.runs.size());
  std::size_t shared = 0;
  for (const PaperRun& run : plan.runs) {
    if (run.key.regulariser != "contrast") continue;
    ++shared;
    EXPECT_EQ(run.cells.size(), 3U);
    EXPECT_EQ(run.questions.size(), 3U) << "classes, clusters, clusters with PCA";
  }
  EXPECT_EQ(shared, 2U);
  EXPECT_GT(plan.seconds, 0);
  for (const CellOutcome& outcome : plan.cells) {
    EXPECT_TRUE(outcome.runnable);
    EXPECT_EQ(outcome.runs_left, 2);
    EXPECT_EQ(outcome.dataset, "synthetic:cora@0.05");
    EXPECT_EQ(outcome.recipe, "that of cora");
  }
}

TEST(PaperPlan, FiguresAreOfAsManySeedsAsAskedToo) {
  ReproduceSpec spec = tiny({"figure_1"});
  const auto seeds_of = [](const PaperPlan& plan) {
    std::set<std::uint64_t> seeds;
    for (const PaperRun& run : plan.runs) seeds.insert(run.key.seed);
    return seeds.size();
  };
  spec.datasets = {"pubmed=synthetic:cora@0.05"};
  spec.methods = {"lc"};
  EXPECT_EQ(seeds_of(plan_paper(test::context(), spec, {})), 2U);
  spec.seeds = 0;
  EXPECT_EQ(seeds_of(plan_paper(test::context(), spec, {})), 3U) << "a mean in its band";
}

TEST(PaperPlan, SaysWhatCannotRunAndWhatHelps) {
  const TempDir empty;
  const PaperPlan plan = plan_paper(test::context(), {.data_dir = empty.path()}, {});
  EXPECT_TRUE(plan.runs.empty());
  for (const CellOutcome& outcome : plan.cells) {
    if (outcome.cell.task == PaperTask::sizes) continue;
    EXPECT_FALSE(outcome.runnable);
    EXPECT_NE(outcome.reason.find("creg data get " + outcome.cell.dataset), std::string::npos)
        << outcome.reason;
  }
}

TEST(PaperPlan, RefusesNamesThatNoTableHas) {
  const Context context = test::context();
  expect_error([&] { plan_paper(context, {.tables = {"tables"}}, {}); }, {"no such table"});
  expect_error([&] { plan_paper(context, {.datasets = {"karate"}}, {}); },
               {"--datasets", "karate", "cora"});
  expect_error([&] { plan_paper(context, {.methods = {"simclr"}}, {}); },
               {"--methods", "simclr", "graphmae"});
  expect_error([&] { plan_paper(context, {.methods = {"grcae"}}, {}); }, {"did you mean grace?"});
  expect_error([&] { plan_paper(context, {.datasets = {"corra"}}, {}); }, {"did you mean cora?"});
  expect_error(
      [&] {
        plan_paper(context, {.settings = {{"epoch", "3"}}}, {});
      },
      {"--set epoch", "epochs"});
  expect_error(
      [&] {
        plan_paper(context, {.settings = {{"epochs", "x"}}}, {});
      },
      {"--set epochs", "'x'"});
  expect_error([&] { plan_paper(context, {.tables = {"ece"}, .methods = {"agc"}}, {}); },
               {"no cell"});
}

PaperRun made_up(const std::string& pair, int rank, double seconds) {
  PaperRun run;
  run.pair = pair;
  run.rank = rank;
  run.seconds = seconds;
  return run;
}

TEST(BudgetOrder, FirstSeedsBeforeSecondOnesAndQuickOnesFirst) {
  std::vector<PaperRun> runs = {made_up("slow 0", 0, 50), made_up("quick 0", 0, 5),
                                made_up("slow 1", 1, 50), made_up("quick 1", 1, 5),
                                made_up("done", 0, 1)};
  runs[4].done = true;
  EXPECT_EQ(order_runs(runs), (std::vector<std::size_t>{1, 0, 3, 2}));
}

TEST(BudgetOrder, WhatIsComparedStandsTogetherAndIsCutTogether) {
  const std::vector<PaperRun> runs = {made_up("a", 0, 6), made_up("b", 0, 5), made_up("a", 0, 6),
                                      made_up("c", 1, 1)};
  const auto order = order_runs(runs);
  EXPECT_EQ(order, (std::vector<std::size_t>{1, 0, 2, 3}));
  const auto [chosen, left] = within_budget(runs, order, 11, 1);
  EXPECT_EQ(chosen, (std::vector<std::size_t>{1, 3}));
  EXPECT_EQ(left, (std::vector<std::size_t>{0, 2})) << "5 and 1 fit, half of a comparison does not";
  EXPECT_EQ(within_budget(runs, order, 9, 2).first.size(), 4U) << "two cores, twice the room";
  EXPECT_TRUE(within_budget(runs, order, 4, 8).second.size() == 3)
      << "no run is longer than the budget";
}

TEST(Packing, SmallRunsGoSideBySideAndLargeOnesAlone) {
  std::vector<PaperRun> runs = {made_up("a", 0, 8), made_up("b", 0, 30), made_up("c", 0, 4)};
  runs[1].memory_bytes = std::numeric_limits<std::int64_t>::max() / 4;
  const PackedRuns packed = pack_runs(Context({.threads = 2}), runs, {1, 0, 2});
  EXPECT_EQ(packed.beside, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(packed.alone, std::vector<std::size_t>{1});
  EXPECT_EQ(packed_seconds(runs, packed, 2), 8 + 30.0 / 2) << "the longest bounds those beside it";
  EXPECT_EQ(packed_seconds(runs, packed, 1), 12 + 30);
}

TEST(RunTimes, ComeFromThisMachineWhereItHasRunTheLike) {
  PaperRun same = made_up("", 0, 0);
  same.key = {.dataset = "d", .method = "ml", .config = "epochs = 10\n", .seed = 5};
  same.epochs = 10;
  PaperRun longer = same;
  longer.key.config = "epochs = 40\n";
  longer.epochs = 40;
  StoredRun known;
  known.key = same.key;
  known.key.seed = 1;
  known.state = RunState::done;
  known.machine = machine_name();
  known.outcome = {
      .figures = {{{"time", "seconds"}, {3}}}, .seconds = 2, .threads = 2, .epochs = 10};
  std::vector<PaperRun> runs = {same, longer};
  double slowness = 0;
  EXPECT_EQ(estimate_times(Context(), runs, {known}, slowness),
            "times as measured on this machine");
  EXPECT_EQ(runs[0].seconds, 6) << "three seconds on two cores";
  EXPECT_EQ(runs[1].seconds, 6.0 / 10 * 40);
  EXPECT_EQ(slowness, 0) << "nothing had to be reckoned";
  // Where the like of it stopped early, it will.
  known.outcome.epochs = 5;
  estimate_times(Context(), runs, {known}, slowness);
  EXPECT_EQ(runs[1].seconds, 6);
  StoredRun whole = known;
  whole.outcome.epochs = 10;
  estimate_times(Context(), runs, {known, whole}, slowness);
  EXPECT_EQ(runs[1].seconds, (6.0 / 5 + 6.0 / 10) / 2 * 40);
  known.machine = "another";
  EXPECT_NE(estimate_times(Context(), runs, {known}, slowness).find("reckoned"), std::string::npos);
  EXPECT_GT(slowness, 0);
  slowness = 1000;
  estimate_times(Context(), runs, {}, slowness);
  EXPECT_EQ(runs[0].seconds, 1000 * reckoned_seconds(runs[0])) << "measured once";
}

TEST(RunTimes, GrowWithWhatIsComputed) {
  PaperRun run;
  run.key.method = "ml";
  run.nodes = 1000;
  run.edges = 5000;
  run.features = 100;
  run.dim = 64;
  run.epochs = 100;
  const double base = reckoned_seconds(run);
  run.epochs = 200;
  EXPECT_GT(reckoned_seconds(run), base);
  run.key.method = "grace";
  EXPECT_GT(reckoned_seconds(run), base);
}

TEST(Reproduce, FillsATableAndDoesNothingTwice) {
  CREG_REQUIRE_SQLITE();
  const TempDir dir;
  const Context context = test::context({.threads = 2});
  const ReproduceSpec spec = tiny({"regularization_ablation", "graph_clustering"});
  RunStore store(context, dir / "store");
  PaperPlan plan = plan_paper(context, spec, store.runs());
  run_paper(context, plan, spec, store);
  const std::vector<StoredRun> known = store.runs();
  ASSERT_EQ(known.size(), 8U);
  fill_cells(plan, spec, known);
  for (const CellOutcome& outcome : plan.cells) {
    EXPECT_EQ(outcome.runs_done, 2) << outcome.cell.name();
    EXPECT_EQ(outcome.runs_left, 0);
    EXPECT_FALSE(outcome.values.empty());
  }
  EXPECT_EQ(paired_gains(plan.cells).size(), 1U);
  const PaperPlan again = plan_paper(context, spec, known);
  EXPECT_TRUE(again.chosen.empty());

  // A store alone shows the same cells.
  std::size_t filled = 0;
  for (const CellOutcome& outcome : cells_of_store(known)) {
    filled += outcome.values.empty() ? 0 : 1;
  }
  EXPECT_EQ(filled, plan.cells.size());

  // Another question to the same runs is answered by their embeddings.
  const auto& stored = known.front();
  EXPECT_TRUE(is_there(std::filesystem::path(stored.folder) / "embedding.npy"));
  EXPECT_FALSE(is_there(std::filesystem::path(stored.folder) / "checkpoint.pt"));
  ReproduceSpec more = tiny({"node_classification", "regularization_ablation"});
  more.seeds = 3;
  const PaperPlan wider = plan_paper(context, more, known);
  EXPECT_EQ(wider.chosen.size(), 4U) << "the third seed of four settings";
}

TEST(Reproduce, ABudgetIsUsedByTheTimesThatRunsTurnOutToTake) {
  CREG_REQUIRE_SQLITE();
  const TempDir dir;
  const Context context = test::context({.threads = 1});
  ReproduceSpec spec = tiny({"regularization_ablation"});
  spec.budget = 600;
  // As if each took a fifth of the budget: the four runs of the first seed are all that fits.
  const PaperPlan first = plan_paper(context, spec, {});
  ASSERT_TRUE(first.left.empty());
  spec.slowness = first.slowness * 0.2 * spec.budget / first.runs.front().seconds;
  PaperPlan plan = plan_paper(context, spec, {});
  EXPECT_EQ(plan.chosen.size(), 4U);
  EXPECT_EQ(plan.left.size(), 4U);
  RunStore store(context, dir / "store");
  plan = run_within_budget(context, std::move(plan), spec, store);
  EXPECT_TRUE(plan.left.empty()) << plan.left.size();
  int done = 0;
  for (const StoredRun& run : store.runs()) done += run.state == RunState::done ? 1 : 0;
  EXPECT_EQ(done, 8);
}

TEST(Reproduce, ABudgetTriesWhatFailsOnce) {
  CREG_REQUIRE_SQLITE();
  const TempDir dir;
  const Context context = test::context({.threads = 1});
  ReproduceSpec spec = tiny({"node_classification"});
  spec.budget = 600;
  PaperPlan plan = plan_paper(context, spec, {});
  ASSERT_EQ(plan.chosen.size(), 2U);
  plan.left = {plan.chosen.back()};  // as if the second had been too long
  plan.chosen.pop_back();
  RunStore store(context, dir / "store");
  for (const int id : {1, 2}) {
    std::filesystem::create_directories(store.folder_of(id));
    write_file(store.folder_of(id) / "config.toml", "mine = true\n");
  }
  plan = run_within_budget(context, std::move(plan), spec, store);
  EXPECT_EQ(plan.chosen.size(), 1U) << "the second alone";
  const std::vector<StoredRun> runs = store.runs();
  ASSERT_EQ(runs.size(), 2U);
  for (const StoredRun& run : runs) EXPECT_EQ(run.state, RunState::failed);
}

TEST(Reproduce, RunsOfAnotherBuildDoNotCount) {
  CREG_REQUIRE_SQLITE();
  const TempDir dir;
  const Context context = test::context({.threads = 2});
  const ReproduceSpec spec = tiny({"node_classification"});
  RunStore store(context, dir / "store");
  run_paper(context, plan_paper(context, spec, {}), spec, store);
  std::vector<StoredRun> known = store.runs();
  ASSERT_EQ(known.size(), 2U);
  EXPECT_NE(known[0].key.build.find(build_info().sources), std::string::npos);
  EXPECT_NE(known[0].key.build.find(", libtorch "), std::string::npos);
  EXPECT_TRUE(plan_paper(context, spec, known).chosen.empty());
  known[0].key.build = "creg 0.1.0 of other sources, libtorch 1.13.0";
  const PaperPlan again = plan_paper(context, spec, known);
  EXPECT_EQ(again.chosen.size(), 1U);
  EXPECT_EQ(again.other_builds, 1);
  // A libtorch of its own is no reason where it is that of another device.
  known = store.runs();
  const std::string own = known[0].key.build.substr(0, known[0].key.build.find(", libtorch "));
  known[0].key.build = own + ", libtorch 9";
  EXPECT_EQ(plan_paper(context, spec, known).chosen.size(), 1U);
  known[0].key.device = "another fp32";
  EXPECT_TRUE(plan_paper(context, spec, known).chosen.empty());
}

TEST(Reproduce, TheRunsAreThoseOfCregTrain) {
  CREG_REQUIRE_SQLITE();
  const TempDir dir;
  const Context context = test::context({.threads = 1, .seed = 1});
  const Data data = load(context, "synthetic:cora@0.05");
  const RunPlan run = plan(context, data, {{"dim", "8"}, {"epochs", "4"}});
  RunStore store(context, dir / "store");
  const StoredRun stored = run_by_store(
      context, store, run, {{.kind = Question::classify}, {.kind = Question::cluster}});
  const RunResult alone = train(context, data, {{"dim", "8"}, {"epochs", "4"}});
  EXPECT_EQ(stored.outcome.figures.at({"classify " + run.dataset.protocol, "accuracy"}),
            classify(context, data, alone).accuracy);
  EXPECT_EQ(stored.outcome.figures.at({"cluster", "nmi"}), cluster(context, data, alone).nmi);
  EXPECT_EQ(stored.outcome.epochs, 4);
}

TEST(Reproduce, LinksAreJudgedOnSplitsOfTheirOwn) {
  CREG_REQUIRE_SQLITE();
  const TempDir dir;
  const Context context = test::context({.threads = 2});
  ReproduceSpec spec = tiny({"link_prediction"});
  spec.methods = {"dgi"};
  spec.seeds = 1;
  RunStore store(context, dir / "store");
  PaperPlan plan = plan_paper(context, spec, {});
  ASSERT_EQ(plan.chosen.size(), 5U);
  run_paper(context, plan, spec, store);
  fill_cells(plan, spec, store.runs());
  std::set<std::uint64_t> splits;
  for (const CellValue& value : plan.cells.at(0).values) splits.insert(value.edge_split.value());
  EXPECT_EQ(splits, (std::set<std::uint64_t>{0, 1, 2, 3, 4}));
}

TEST(Reproduce, PretrainsAndTunes) {
  CREG_REQUIRE_SQLITE();
  const TempDir dir;
  const Context context = test::context({.threads = 2});
  ReproduceSpec spec = tiny({"pretraining"});
  spec.datasets = {"reddit=synthetic:cora@0.1"};
  spec.seeds = 1;
  RunStore store(context, dir / "store");
  PaperPlan plan = plan_paper(context, spec, {});
  ASSERT_EQ(plan.chosen.size(), 1U) << "an encoder that starts afresh needs no run of its own";
  run_paper(context, plan, spec, store);
  fill_cells(plan, spec, store.runs());
  ASSERT_EQ(plan.cells.size(), 2U);
  for (const CellOutcome& outcome : plan.cells) EXPECT_EQ(outcome.values.size(), 1U);
}

TEST(Reproduce, AStoppedCallIsGoneOnWith) {
  CREG_REQUIRE_SQLITE();
  const TempDir dir;
  const auto stop = std::make_shared<std::atomic<bool>>(true);
  Context::Options options = test::context({.threads = 1}).options();
  const Context context(options);
  options.stop = stop;
  const ReproduceSpec spec = tiny({"node_classification"});
  const PaperPlan plan = plan_paper(context, spec, {});
  {
    const Context stopped(options);
    RunStore store(context, dir / "store");
    EXPECT_THROW(run_paper(stopped, plan, spec, store), Interrupted);
    for (const StoredRun& run : store.runs()) EXPECT_NE(run.state, RunState::done);
  }
  RunStore store(context, dir / "store");
  run_paper(context, plan, spec, store);
  for (const StoredRun& run : store.runs()) EXPECT_EQ(run.state, RunState::done);
}

TEST(Reproduce, AFailedRunIsStoredAndTheOthersGoOn) {
  CREG_REQUIRE_SQLITE();
  const TempDir dir;
  const Context context = test::context({.threads = 1});
  const ReproduceSpec spec = tiny({"node_classification"});
  RunStore store(context, dir / "store");
  // A file of a user's where the first run would write.
  std::filesystem::create_directories(store.folder_of(1));
  write_file(store.folder_of(1) / "config.toml", "mine = true\n");
  const PaperPlan plan = plan_paper(context, spec, {});
  run_paper(context, plan, spec, store);
  const std::vector<StoredRun> runs = store.runs();
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].state, RunState::failed);
  EXPECT_FALSE(runs[0].problem.empty());
  EXPECT_EQ(runs[1].state, RunState::done);
  EXPECT_EQ(test::read_text(store.folder_of(1) / "config.toml"), "mine = true\n");
}

TEST(Reproduce, TakesInRunsThatWereMadeElsewhere) {
  CREG_REQUIRE_SQLITE();
  const TempDir dir;
  const Context context = test::context({.threads = 2});
  // What one machine has done with a store, another has as folders alone.
  ReproduceSpec spec = tiny({"node_classification"});
  PaperPlan plan = plan_paper(context, spec, {});
  {
    RunStore store(context, dir / "one/store");
    run_paper(context, plan, spec, store);
  }
  RunStore store(context, dir / "two");
  EXPECT_EQ(collect_runs(context, runs_folder(dir / "one/store"), store), 2);
  EXPECT_EQ(collect_runs(context, runs_folder(dir / "one/store"), store), 0) << "not twice";
  plan = plan_paper(context, spec, store.runs());
  EXPECT_TRUE(plan.chosen.empty());
  EXPECT_EQ(plan.cells.at(0).runs_done, 2);
  // Clusters were not asked for there: the embeddings answer.
  spec.tables = {"graph_clustering"};
  plan = plan_paper(context, spec, store.runs());
  EXPECT_EQ(plan.chosen.size(), 2U);
  run_paper(context, plan, spec, store);
  EXPECT_TRUE(plan_paper(context, spec, store.runs()).chosen.empty());
  expect_error([&] { collect_runs(context, dir / "none", store); }, {"--collect"});
}

/// Numbers that fit no counter are as if they were not there.
TEST(Reproduce, WhatIsNoNumberInAResultIsNotTakenIn) {
  CREG_REQUIRE_SQLITE();
  const TempDir dir;
  const Context context = test::context({.threads = 2});
  ReproduceSpec spec = tiny({"node_classification"});
  {
    RunStore store(context, dir / "one");
    run_paper(context, plan_paper(context, spec, {}), spec, store);
    const std::filesystem::path result = std::filesystem::path(store.folder_of(1)) / "result.json";
    nlohmann::json changed = nlohmann::json::parse(test::read_text(result));
    changed["threads"] = 4294967297;
    changed["epochs_run"] = -5;
    changed["seconds"] = "long";
    std::ofstream(result) << changed.dump();
  }
  RunStore store(context, dir / "two");
  ASSERT_EQ(collect_runs(context, runs_folder(dir / "one"), store), 2);
  int odd = 0;
  for (const StoredRun& run : store.runs()) {
    if (run.outcome.threads > 0) continue;
    ++odd;
    EXPECT_EQ(run.outcome.epochs, 0);
    EXPECT_EQ(run.outcome.seconds, 0);
  }
  EXPECT_EQ(odd, 1);
}

}  // namespace
}  // namespace creg::reproduce_test
