#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/ring_dataset.h"
#include "cli/run_creg.h"

namespace creg::eval_classify_test {
namespace {

using nlohmann::json;
using test::run_creg;
using test::RunResult;
using Words = std::vector<std::string>;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

constexpr int nodes = 180;

class EvalClassify : public test::RingDataset {
 protected:
  EvalClassify() : RingDataset({"eval", "classify"}, nodes, -1, 0.7) {}
};

TEST_F(EvalClassify, OnlyTheProbeHasAWeightDecay) {
  const std::string file = embedding("e.npy", 1);
  const RunResult refused = run_creg({"eval", "classify", file, "--dataset", dataset_, "--protocol",
                                      "per-class-20-30", "--weight-decay", "0.01"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(contains(refused.err, "--weight-decay")) << refused.err;
  EXPECT_TRUE(contains(refused.err, "public-probe")) << refused.err;
}

TEST_F(EvalClassify, PrintsTheObjectThatScriptsRelyOnAndATableInPercent) {
  const std::string file = embedding("e.npy", 1);
  const json found = run_json({file, "--dataset", dataset_, "--protocol", "per-class-20-30"});
  EXPECT_EQ(found["task"], "classify");
  EXPECT_EQ(found["protocol"], "per-class-20-30");
  EXPECT_EQ(found["dataset"], "ring");
  EXPECT_EQ(found["normalize"], "none");
  EXPECT_EQ(found["classifier"], "logistic-regression");
  EXPECT_EQ(found["splits"], 20);
  EXPECT_EQ(found["runs"], 1);
  EXPECT_EQ(found["split_seed"], 0);
  EXPECT_EQ(found["train"], 60);
  EXPECT_EQ(found["val"], 90);
  EXPECT_EQ(found["test"], 30);
  for (const char* metric : {"accuracy", "val_accuracy"}) {
    const json& summary = found["metrics"][metric];
    const auto values = summary["values"].get<std::vector<double>>();
    ASSERT_EQ(values.size(), 20U);
    double mean = 0;
    for (const double value : values) mean += value / 20;
    double variance = 0;
    for (const double value : values) variance += (value - mean) * (value - mean) / 20;
    EXPECT_NEAR(summary["mean"].get<double>(), mean, 1e-12);
    EXPECT_NEAR(summary["std"].get<double>(), std::sqrt(variance), 1e-12);
    EXPECT_GT(mean, 0.5);
    EXPECT_LT(mean, 1);
  }

  const RunResult table =
      run_creg({"eval", "classify", file, "--dataset", dataset_, "--protocol", "per-class-20-30"});
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_TRUE(contains(table.out, "ring: protocol per-class-20-30, logistic-regression"))
      << table.out;
  char mean[16];
  std::snprintf(mean, sizeof mean, "%.2f",
                100 * found["metrics"]["accuracy"]["mean"].get<double>());
  EXPECT_TRUE(contains(table.out, mean)) << table.out;
  EXPECT_TRUE(contains(table.out, "val accuracy")) << table.out;
  EXPECT_TRUE(contains(table.out, "over 20 splits of 1 run")) << table.out;
}

TEST_F(EvalClassify, ShowsWhatLearnsNothingBesideIt) {
  const test::TempDir dir;
  const std::string graph = "synthetic:cora@0.1";
  const RunResult made =
      run_creg({"train", "--dataset", graph, "--method", "ml", "--dim", "4", "--epochs", "2",
                "--threads", "1", "--final-norm", "--out", (dir / "run").string()});
  ASSERT_EQ(made.status, 0) << made.err;
  const Words words = {(dir / "run").string(), "--protocol", "per-class-20-30-keep-small",
                       "--splits", "3"};
  EXPECT_TRUE(run_json(words)["baselines"].is_null());
  const json found = run_json(test::joined(words, {"--baselines"}));
  EXPECT_EQ(found["normalize"], "l2");
  ASSERT_EQ(found["baselines"].size(), 3U);
  EXPECT_EQ(found["baselines"][0]["rows"], "X");
  EXPECT_EQ(found["baselines"][2]["rows"], "Â²X");
  for (const json& one : found["baselines"]) {
    EXPECT_EQ(one["accuracy"]["values"].size(), 3U);
    EXPECT_EQ(one["val_accuracy"]["values"].size(), 3U);
  }
  const RunResult text =
      run_creg(test::joined({"eval", "classify"}, test::joined(words, {"--baselines"})));
  EXPECT_TRUE(contains(text.out, "learns nothing")) << text.out;
  EXPECT_TRUE(contains(text.out, "\n  Â²X ")) << text.out;
  // The ring has no features.
  expect_refused({embedding("e.npy", 1), "--dataset", dataset_, "--baselines"}, {"features"});
}

TEST_F(EvalClassify, OtherFormatsHaveTheSameFigures) {
  const std::string file = embedding("e.npy", 1);
  const auto out = [&](const std::string& format) {
    const RunResult result = run_creg(
        {"eval", "classify", file, "--dataset", dataset_, "--splits", "2", "--format", format});
    EXPECT_EQ(result.status, 0) << result.err;
    return result.out;
  };
  const json found = json::parse(out("json"));
  const std::string csv = out("csv");
  EXPECT_TRUE(csv.starts_with("metric,mean,std,least,most,runs\naccuracy,0.")) << csv;
  const std::string mean = csv.substr(csv.find(',', csv.find('\n')) + 1);
  EXPECT_EQ(std::stod(mean), found["metrics"]["accuracy"]["mean"].get<double>());
  EXPECT_TRUE(contains(out("md"), "| percent | mean | std | least | most |\n|---|---:|"));
}

TEST_F(EvalClassify, TakesDatasetAndNormalisationFromTheRun) {
  embedding("run/embedding.npy", 1);
  dir_.write("run/config.toml", "dataset = \"" + dataset_ + "\"\nlr = 0.001\nfinal_norm = true\n");
  const std::string run = (dir_ / "run").string();
  const json found = run_json({run, "--splits", "3"});
  EXPECT_EQ(found["dataset"], "ring");
  EXPECT_EQ(found["normalize"], "l2");
  EXPECT_EQ(found["protocol"], "per-class-20-30-keep-small") << "a graph without stored splits";
  EXPECT_EQ(found["splits"], 3);
  const json raw = run_json({run, "--splits", "3", "--normalize", "none"});
  EXPECT_EQ(raw["normalize"], "none");
  EXPECT_NE(raw["metrics"], found["metrics"]);
  // The transforms of the run are taken too: this one is unknown.
  dir_.write("run/config.toml", "dataset = \"" + dataset_ + "\"\ntransforms = [\"turn\"]\n");
  expect_refused({run}, {"turn"});
}

TEST_F(EvalClassify, TakesSmoothingFromTheRunAndSaysSo) {
  embedding("run/embedding.npy", 1);
  dir_.write("run/config.toml", "dataset = \"" + dataset_ + "\"\nsmooth = 2\n");
  const std::string run = (dir_ / "run").string();
  EXPECT_EQ(run_json({run, "--splits", "3"})["smooth"], 2);
  EXPECT_EQ(run_json({run, "--splits", "3", "--smooth", "1"})["smooth"], 1);
  EXPECT_EQ(run_json({run + "/embedding.npy", "--dataset", dataset_, "--splits", "3"})["smooth"],
            0);
  const RunResult table = run_creg({"eval", "classify", run, "--splits", "3"});
  EXPECT_TRUE(contains(table.out, "on smoothed rows, H + Â^2 H\n")) << table.out;
  const RunResult unit = run_creg({"eval", "classify", run, "--splits", "3", "--normalize", "l2"});
  EXPECT_TRUE(contains(unit.out, "on smoothed rows, H + Â^2 H, of length 1\n")) << unit.out;
  dir_.write("run/config.toml", "dataset = \"" + dataset_ + "\"\nsmooth = -1\n");
  expect_refused({run}, {"config.toml", "line 2", "'smooth'", "'-1'"});
  for (const int seed : {0, 1}) {
    const std::string folder = "runs/seed-" + std::to_string(seed);
    embedding(folder + "/embedding.npy", static_cast<std::uint64_t>(seed));
    dir_.write(folder + "/config.toml",
               "dataset = \"" + dataset_ + "\"\nsmooth = " + std::to_string(seed) + "\n");
  }
  expect_refused({(dir_ / "runs").string()}, {"differ in their smooth", "0 and 1"});
}

TEST_F(EvalClassify, PoolsSeedsOnTheSameSplits) {
  for (const int seed : {0, 2, 10}) {
    const std::string folder = "runs/seed-" + std::to_string(seed);
    embedding(folder + "/embedding.npy", static_cast<std::uint64_t>(seed));
    dir_.write(folder + "/config.toml", "dataset = \"" + dataset_ + "\"\nfinal_norm = false\n");
  }
  const Words more = {"--splits", "2", "--protocol", "random-60-20-20"};
  const auto run = [&](const std::string& folder) {
    Words words = {(dir_ / folder).string()};
    words.insert(words.end(), more.begin(), more.end());
    return run_json(words);
  };
  const json pooled = run("runs");
  EXPECT_EQ(pooled["runs"], 3);
  EXPECT_EQ(pooled["splits"], 2);
  const json last = run("runs/seed-10");
  const json values = pooled["metrics"]["accuracy"]["values"];
  ASSERT_EQ(values.size(), 6U);
  // Seeds go by number, not by letter.
  EXPECT_EQ((json::array({values[4], values[5]})), last["metrics"]["accuracy"]["values"]);

  dir_.write("runs/seed-2/config.toml", "dataset = \"other\"\n");
  expect_refused({(dir_ / "runs").string()}, {"differ in their dataset", "'other'"});
}

TEST_F(EvalClassify, TakesOneSplitByNumberOrFile) {
  const std::string file = embedding("e.npy", 1);
  const Words protocol = {"--dataset", dataset_, "--protocol", "random-60-20-20"};
  const auto with = [&](const Words& more) {
    Words words = {file};
    words.insert(words.end(), protocol.begin(), protocol.end());
    words.insert(words.end(), more.begin(), more.end());
    return run_json(words);
  };
  const json all = with({"--splits", "4", "--seed", "7"});
  const json third = with({"--split", "2", "--seed", "7"});
  EXPECT_EQ(all["split_seed"], 7);
  EXPECT_EQ(third["metrics"]["accuracy"]["values"],
            json::array({all["metrics"]["accuracy"]["values"][2]}));

  const std::string split = (dir_ / "split.json").string();
  ASSERT_EQ(run_creg({"data", "split", dataset_, "--protocol", "random-60-20-20", "--seed", "7",
                      "--out", split})
                .status,
            0);
  const json stored = run_json({file, "--dataset", dataset_, "--split", split});
  EXPECT_EQ(stored["protocol"], "random-60-20-20") << "what the file says";
  EXPECT_EQ(stored["split_seed"], 7);
  EXPECT_EQ(stored["metrics"]["accuracy"]["values"][0], all["metrics"]["accuracy"]["values"][0]);
}

TEST_F(EvalClassify, WhatDoesNotExistIsNull) {
  const std::string file = embedding("e.npy", 1);
  const json found =
      run_json({file, "--dataset", dataset_, "--protocol", "random-10-90-ovr", "--splits", "2"});
  EXPECT_EQ(found["classifier"], "one-vs-rest");
  EXPECT_EQ(found["normalize"], "l2");
  ASSERT_TRUE(found["metrics"].contains("val_accuracy"));
  EXPECT_TRUE(found["metrics"]["val_accuracy"].is_null());
  EXPECT_EQ(found["metrics"]["accuracy"]["values"].size(), 2U);
}

TEST_F(EvalClassify, SaysWhatIsWrong) {
  const std::string file = embedding("e.npy", 1);
  const Words ring = {"--dataset", dataset_};
  const auto with_ring = [&](Words words) {
    words.insert(words.end(), ring.begin(), ring.end());
    return words;
  };
  expect_refused(with_ring({embedding("short.npy", 1, 100)}), {"100 rows", "180, one per node"});
  expect_refused(with_ring({dataset_}), {"not an .npy file", "ring.toml"});
  std::filesystem::create_directories(dir_ / "empty");
  expect_refused(with_ring({(dir_ / "empty").string()}),
                 {"no embedding in this folder", "embedding.npy", "creg train"});
  expect_refused(with_ring({file, "--normalize", "L2"}), {"none, l2 or spread"});
  expect_refused(with_ring({file, "--split", "0", "--splits", "2"}), {"--split", "--splits"});
}

}  // namespace
}  // namespace creg::eval_classify_test
