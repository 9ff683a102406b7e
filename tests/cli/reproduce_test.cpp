#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/run_creg.h"
#include "core/build_info.h"
#include "io/run_store.h"
#include "support/temp_dir.h"

namespace creg::reproduce_command_test {
namespace {

using nlohmann::json;
using test::joined;
using test::run_creg;
using test::RunOptions;
using test::RunResult;
using test::TempDir;
using Words = std::vector<std::string>;

/// One table on a tiny graph in the place of Cora: eight runs.
class Reproduce : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!build_info().sqlite) GTEST_SKIP() << "built without SQLite";
  }

  std::string store() const { return (dir_ / "store").string(); }

  Words words(const Words& more = {}, const std::string& epochs = "5") const {
    return joined({"reproduce", "regularization_ablation", "--datasets", "cora=synthetic:cora@0.05",
                   "--methods", "ml", "--seeds", "2", "--set", "dim=8", "--set", "patience=0",
                   "--set", "epochs=" + epochs, "--threads", "2", "--store", store()},
                  more);
  }

  json result(const Words& more = {}, const std::string& epochs = "5") const {
    const RunResult run = run_creg(joined(words(more, epochs), {"--json"}));
    EXPECT_EQ(run.status, 0) << run.err;
    return json::parse(run.out);
  }

  static void expect_whole(const json& report) {
    ASSERT_EQ(report.at("cells").size(), 4U);
    for (const json& cell : report.at("cells")) {
      EXPECT_EQ(cell.at("runs_done"), 2) << cell;
      EXPECT_EQ(cell.at("runs_left"), 0) << cell;
    }
  }

  /// Without what is different each time.
  static json without_times(json report) {
    for (json& cell : report.at("cells")) cell.erase("seconds");
    return report;
  }

  TempDir dir_;
};

TEST_F(Reproduce, ADryRunListsTheCellsAndWritesNothing) {
  const json report = result({"--dry-run"});
  EXPECT_EQ(report.at("runs"), 8);
  EXPECT_TRUE(dir_.list().empty());
  for (const json& cell : report.at("cells")) {
    for (const char* const key :
         {"table", "method", "dataset", "metric", "paper_mean", "runnable", "reason", "seconds"}) {
      EXPECT_TRUE(cell.contains(key)) << key;
    }
    EXPECT_GT(cell.at("seconds"), 0);
  }
  const RunResult all = run_creg({"reproduce", "--dry-run", "--data-dir", dir_.path().string()});
  EXPECT_EQ(all.status, 0) << all.err;
  EXPECT_NE(all.out.find("creg data get reddit"), std::string::npos) << all.out;
  // Whoever begins is told so first, not after the runs.
  const RunResult real = run_creg({"reproduce", "node_classification", "--datasets", "reddit",
                                   "--data-dir", dir_.path().string(), "--store", store()});
  EXPECT_EQ(real.status, 0) << real.err;
  EXPECT_NE(real.err.find("creg data get reddit"), std::string::npos) << real.err;
}

TEST_F(Reproduce, PrintsTheTableInEveryFormatAndRunsNothingTwice) {
  const RunResult first = run_creg(words());
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_NE(first.err.find("8 runs to do, ~ "), std::string::npos) << first.err;
  EXPECT_NE(first.err.find("regularization_ablation: 4 cells, 8 runs to do"), std::string::npos)
      << first.err;
  EXPECT_NE(first.out.find("82.65 +- 0.57"), std::string::npos) << first.out;
  EXPECT_NE(first.out.find("ML + weight decay"), std::string::npos) << first.out;
  EXPECT_NE(first.out.find("synthetic:cora@0.05 in the place of cora"), std::string::npos);
  EXPECT_EQ(first.out.find("problem"), std::string::npos) << "nothing failed";
  const RunResult again = run_creg(words());
  EXPECT_NE(again.err.find("nothing to run"), std::string::npos) << again.err;
  EXPECT_EQ(again.out, first.out);
  const json report = result();
  expect_whole(report);
  ASSERT_EQ(report.at("gains").size(), 1U);
  EXPECT_EQ(report["gains"][0].at("pairs"), 2) << "two seeds on the public split";
  EXPECT_LT(report["gains"][0].at("low"), report["gains"][0].at("gain"));
  for (const auto& [format, part] :
       {std::pair("latex", "\\begin{tabular}{lll}"), std::pair("md", "| method | by | Cora |"),
        std::pair("csv", "regularization_ablation,ml,ML,cora")}) {
    const RunResult written = run_creg(joined(words(), {"--format", format}));
    EXPECT_NE(written.out.find(part), std::string::npos) << written.out;
  }
}

TEST_F(Reproduce, TwoProcessesShareTheWork) {
  const std::string output = (dir_ / "other.json").string();
  RunOptions options;
  options.stdout_path = (dir_ / "one.json").string();
  RunResult other;
  options.while_running = [&](int /*pid*/, const std::string& /*err*/) {
    other = run_creg(joined(words({}, "100"), {"--json"}));
  };
  const RunResult one = run_creg(joined(words({}, "100"), {"--json"}), options);
  ASSERT_EQ(one.status, 0) << one.err;
  ASSERT_EQ(other.status, 0) << other.err;
  const json report = json::parse(test::read_text(options.stdout_path));
  expect_whole(report);
  EXPECT_EQ(without_times(report)["cells"], without_times(json::parse(other.out))["cells"]);
  EXPECT_EQ(read_run_store(Context(), store()).size(), 8U);
}

TEST_F(Reproduce, GoesOnAfterCtrlCAndAfterAKill) {
  const Words slow = words({}, "400");
  for (const int signal : {SIGINT, SIGKILL}) {
    RunOptions options;
    options.while_running = [&](int pid, const std::string& /*err*/) {
      // Once a run has begun.
      for (int i = 0; i < 500; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        if (std::filesystem::exists(runs_folder(store()) / "1" / "metrics.jsonl")) break;
      }
      ::kill(pid, signal);
    };
    const RunResult stopped = run_creg(slow, options);
    if (signal == SIGINT) {
      EXPECT_TRUE(stopped.status == 130 || stopped.status == 0) << stopped.err;
      if (stopped.status == 130) {
        EXPECT_NE(stopped.err.find("the same command goes on"), std::string::npos) << stopped.err;
      }
    }
  }
  const json report = result({}, "400");
  expect_whole(report);
  // As a store that nobody disturbed.
  std::filesystem::remove_all(runs_folder(store()));
  std::filesystem::remove(store());
  EXPECT_EQ(without_times(result({}, "400"))["cells"], without_times(report)["cells"]);
}

TEST_F(Reproduce, ABudgetSaysWhatItLeaves) {
  const json report = result({"--dry-run", "--budget", "0.001s"});
  EXPECT_EQ(report.at("runs"), 0);
  EXPECT_EQ(report.at("left").at("count"), 8);
  EXPECT_EQ(report["left"].at("runs").size(), 8U);
  const RunResult words_of_it = run_creg(words({"--budget", "0.001s"}));
  EXPECT_EQ(words_of_it.status, 0) << words_of_it.err;
  EXPECT_NE(words_of_it.out.find("left by the budget: 8 runs"), std::string::npos)
      << words_of_it.out;
  for (const char* const wrong : {"soon", "1x", "-3m", "0", ""}) {
    const RunResult refused = run_creg(words({"--dry-run", "--budget", wrong}));
    if (std::string(wrong).empty()) continue;
    EXPECT_EQ(refused.status, 2) << wrong;
    EXPECT_NE(refused.err.find("--budget"), std::string::npos) << refused.err;
  }
}

TEST_F(Reproduce, RefusesWhatIsNoStoreAndWhatMakesNoSense) {
  dir_.write("store", "a,b\n1,2\n");
  const RunResult foreign = run_creg(words());
  EXPECT_EQ(foreign.status, 2);
  EXPECT_NE(foreign.err.find("not a run store"), std::string::npos) << foreign.err;
  EXPECT_EQ(test::read_text(dir_ / "store"), "a,b\n1,2\n");
  EXPECT_EQ(run_creg({"reproduce", "table_9", "--dry-run"}).status, 2);
  EXPECT_EQ(run_creg(words({"--dry-run", "--set", "epochs"})).status, 2);
  EXPECT_EQ(run_creg(words({"--dry-run", "--collect", "x"})).status, 2);
}

TEST_F(Reproduce, SweepsAreKeptInTheSameStore) {
  const Words sweep = {"sweep",     "none",
                       "--dataset", "synthetic:cora@0.05",
                       "--dim",     "8",
                       "--epochs",  "5",
                       "--grid",    "lr=0.01,0.001",
                       "--seeds",   "2",
                       "--threads", "2",
                       "--json",    "--store",
                       store()};
  const RunResult first = run_creg(sweep);
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(read_run_store(Context(), store()).size(), 4U);
  const auto without_store = run_creg(Words(sweep.begin(), sweep.end() - 2));
  EXPECT_EQ(json::parse(first.out)["best_accuracy"],
            json::parse(without_store.out)["best_accuracy"]);
  const RunResult again = run_creg(sweep);
  EXPECT_EQ(again.out, first.out) << "times too: they are those of the runs that are there";
}

TEST_F(Reproduce, AFullDiskIsSaid) {
  RunOptions options;
  options.file_size_limit = 16384;
  const RunResult full = run_creg(words(), options);
  EXPECT_EQ(full.status, 1) << full.err;
  EXPECT_FALSE(full.err.empty());
  expect_whole(result());
}

}  // namespace
}  // namespace creg::reproduce_command_test
