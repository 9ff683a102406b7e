// Runs on a graph without features.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/run_creg.h"
#include "support/temp_dir.h"

namespace creg::bare_graph_test {
namespace {

using nlohmann::json;
using test::RunResult;
using Words = std::vector<std::string>;

class BareGraph : public ::testing::Test {
 protected:
  BareGraph() {
    ring("edges.csv", 40, 7);
    ring("other.csv", 40, 9);
    std::string labels = "id,label\n";
    for (int i = 0; i < 40; ++i) {
      labels += std::to_string(i) + "," + (i < 20 ? "low" : "high") + "\n";
    }
    dir_.write("labels.csv", labels);
  }

  void ring(const std::string& name, int nodes, int chord) {
    std::string edges = "source,target\n";
    for (int i = 0; i < nodes; ++i) {
      for (const int step : {1, chord}) {
        edges += std::to_string(i) + "," + std::to_string((i + step) % nodes) + "\n";
      }
    }
    dir_.write(name, edges);
  }

  std::string path(const std::string& name) const { return (dir_ / name).string(); }

  RunResult succeed(const Words& words) const {
    RunResult result = test::run_creg(words);
    EXPECT_EQ(result.status, 0) << result.err;
    return result;
  }

  Words train(const std::string& out, const Words& more = {}) const {
    return test::joined(
        {"train", "--edges", path("edges.csv"), "--labels", path("labels.csv"), "--dim", "8",
         "--epochs", "4", "--structure-features", "6", "--out", path(out)},
        more);
  }

  void refuse(const Words& words, const Words& parts) const {
    const RunResult result = test::run_creg(words);
    EXPECT_EQ(result.status, 2) << result.out << result.err;
    for (const std::string& part : parts) {
      EXPECT_NE(result.err.find(part), std::string::npos) << part << " is not in " << result.err;
    }
  }

  test::TempDir dir_;
};

TEST_F(BareGraph, IsTrainedOnAndSaysHow) {
  const RunResult result = succeed(train("run", {"--json"}));
  EXPECT_NE(result.err.find("the graph has no features: 6 columns made of its structure"),
            std::string::npos)
      << result.err;
  EXPECT_EQ(json::parse(result.out)["config"]["structure_features"], 6);
  EXPECT_NE(test::read_text(dir_ / "run/config.toml").find("structure_features = 6"),
            std::string::npos);
  // On another number of threads, and where nothing is left to train.
  succeed({"embed", "--checkpoint", path("run/checkpoint.pt"), "--out", path("again.npy"),
           "--threads", "1"});
  const std::string embedding = test::read_text(dir_ / "run/embedding.npy");
  EXPECT_EQ(test::read_text(dir_ / "again.npy"), embedding);
  succeed({"train", "--resume", path("run")});
  EXPECT_EQ(test::read_text(dir_ / "run/embedding.npy"), embedding);
  succeed({"eval", "classify", path("run"), "--splits", "2"});
}

TEST_F(BareGraph, ADryRunCountsTheColumns) {
  const json plan = json::parse(succeed(train("run", {"--dry-run", "--json"})).out);
  EXPECT_EQ(plan["features"], 6);
  EXPECT_FALSE(std::filesystem::exists(dir_ / "run"));
}

TEST_F(BareGraph, WhatWouldMeanSomethingElseIsRefused) {
  refuse(
      {"train", "--edges", path("edges.csv"), "--structure-features", "0", "--out", path("none")},
      {"no features", "--features"});
  succeed(train("run"));
  refuse({"embed", "--checkpoint", path("run/checkpoint.pt"), "--edges", path("other.csv"), "--out",
          path("other.npy")},
         {"structure", "something else", "edges_checksum"});
  refuse({"finetune", "--checkpoint", path("run/checkpoint.pt"), "--edges", path("edges.csv"),
          "--labels", path("labels.csv")},
         {"structure", "fine-tuned"});
  refuse({"pretrain", "--edges", path("edges.csv"), "--labels", path("labels.csv"), "--out",
          path("part")},
         {"no features", "fine-tuning"});
  succeed(
      {"data", "partition", "--edges", path("edges.csv"), "--parts", "2", "--out", path("parts")});
  refuse({"train", "--dataset", path("parts"), "--distributed", "--dry-run"},
         {"no features", "ranks with a part"});
}

TEST_F(BareGraph, HeldOutEdgesAreNotInItsFeatures) {
  succeed(train("split", {"--edge-split", "1"}));
  succeed({"eval", "link", path("split")});
  // The whole graph has other features than its training edges.
  refuse({"embed", "--checkpoint", path("split/checkpoint.pt"), "--out", path("whole.npy")},
         {"structure", "entries"});
}

TEST_F(BareGraph, ATableNeedsNoFeatures) {
  Words words = train("table", {"--method", "node2vec", "--batch-size", "20"});
  const RunResult result = succeed(words);
  EXPECT_EQ(result.err.find("no features"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace creg::bare_graph_test
