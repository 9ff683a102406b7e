#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/ring_dataset.h"
#include "cli/run_creg.h"

namespace creg::calibrate_test {
namespace {

using nlohmann::json;
using test::read_text;
using test::run_creg;
using test::RunResult;
using Words = std::vector<std::string>;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

constexpr int nodes = 60;

class Calibrate : public test::RingDataset {
 protected:
  Calibrate() : RingDataset({"calibrate"}, nodes, 4, 0.5) {}
};

const std::vector<std::string>& promised_figures() {
  static const std::vector<std::string> names = {"ece",
                                                 "ece_positive",
                                                 "ece_negative",
                                                 "q_positive",
                                                 "q_negative",
                                                 "binned_ece",
                                                 "mce",
                                                 "brier",
                                                 "s_f",
                                                 "s_f_bound",
                                                 "sigma_max_mean",
                                                 "norm_squared_mean",
                                                 "mean_sigma_random",
                                                 "norm_mean",
                                                 "norm_variance"};
  return names;
}

TEST_F(Calibrate, PrintsTheFiguresThatScriptsRelyOn) {
  const std::string file = embedding("e.npy", 1);
  const json found = run_json({file, "--dataset", dataset_});
  EXPECT_EQ(found["task"], "calibrate");
  EXPECT_EQ(found["anchors"], nodes);
  EXPECT_EQ(found["sampled"], false);
  EXPECT_EQ(found["k"], 5);
  EXPECT_EQ(found["similarity"], "cosine");
  EXPECT_EQ(found["self"], "include");
  for (const std::string& name : promised_figures()) {
    ASSERT_TRUE(found[name].is_number()) << name;
    EXPECT_EQ(found["metrics"][name]["mean"], found[name]) << name;
  }
  EXPECT_NEAR(found["ece"].get<double>(),
              0.5 * found["ece_positive"].get<double>() + 0.5 * found["ece_negative"].get<double>(),
              1e-12);
  EXPECT_LE(found["s_f"].get<double>(), found["s_f_bound"].get<double>());
  const json& each = found["each"][0];
  const json& parts = each["labelled"]["parts"];
  EXPECT_NEAR(parts["true_positive"].get<double>() + parts["false_positive"].get<double>() +
                  parts["false_negative"].get<double>() + parts["true_negative"].get<double>(),
              found["ece"].get<double>(), 1e-12);
  const json& interval = each["labelled"]["intervals"]["ece"];
  EXPECT_LT(interval[0], found["ece"]);
  EXPECT_GT(interval[1], found["ece"]);
  EXPECT_EQ(each["theorem_1"]["terms"].size(), 14U);
  EXPECT_TRUE(each["classifier"]["test"]["accuracy"].is_number());
  EXPECT_TRUE(each["classifier"]["after"]["temperature"].is_number());
  EXPECT_TRUE(each["theorem_2"]["share_above"].is_null());
  EXPECT_TRUE(contains(each["theorem_2"]["reason"], "folder"));
  EXPECT_EQ(each["classes"].size(), 3U);

  const RunResult text = run_creg({"calibrate", file, "--dataset", dataset_});
  EXPECT_EQ(text.status, 0) << text.err;
  for (const char* part : {"ring: calibration of an embedding", "the 5 most similar of all nodes",
                           "false negatives", "Theorem 1", "logistic regression"}) {
    EXPECT_TRUE(contains(text.out, part)) << part << " is not in\n" << text.out;
  }
}

TEST_F(Calibrate, FlagsChooseThePairs) {
  const std::string file = embedding("e.npy", 1);
  const auto ece = [&](const Words& words) {
    Words all = {file, "--dataset", dataset_};
    all.insert(all.end(), words.begin(), words.end());
    return run_json(all)["ece_positive"].get<double>();
  };
  const double usual = ece({});
  EXPECT_EQ(ece({"--positives", "paper"}), usual);
  EXPECT_NE(ece({"--self", "exclude"}), usual);
  EXPECT_NE(ece({"--k", "3"}), usual);
  EXPECT_NE(ece({"--similarity", "dot", "--self", "exclude"}), ece({"--self", "exclude"}));
  EXPECT_NE(ece({"--anchors", "20"}), usual);
  // On the ring both neighbours have other labels.
  EXPECT_EQ(run_json({file, "--dataset", dataset_, "--positives", "edges"})["q_positive"], 0);
  EXPECT_EQ(run_json({file, "--dataset", dataset_, "--positives", "propagation"})["q_positive"], 1);
  const json some = run_json({file, "--dataset", dataset_, "--anchors", "20"});
  EXPECT_EQ(some["sampled"], true);
}

TEST_F(Calibrate, WithoutLabelsItSaysWhatItCan) {
  dir_.write("bare.toml", "edges = \"edges.csv\"\nname = \"bare\"\n");
  const std::string bare = (dir_ / "bare.toml").string();
  const std::string file = embedding("e.npy", 1);
  const json found = run_json({file, "--dataset", bare});
  EXPECT_TRUE(found["ece"].is_null());
  EXPECT_TRUE(found["s_f"].is_null());
  EXPECT_TRUE(found["mean_sigma_random"].is_number());
  EXPECT_TRUE(found["norm_variance"].is_number());
  const RunResult text = run_creg({"calibrate", file, "--dataset", bare});
  EXPECT_TRUE(contains(text.out, "need them; name a dataset with labels")) << text.out;
}

TEST_F(Calibrate, DrawsReliabilityDiagrams) {
  const std::string folder = (dir_ / "figures").string();
  const json found = run_json({embedding("e.npy", 1), "--dataset", dataset_, "--out", folder});
  EXPECT_EQ(found["files"].size(), 8U);
  EXPECT_TRUE(contains(read_text(dir_ / "figures/pairs.svg"), "<svg"));
  EXPECT_TRUE(read_text(dir_ / "figures/classifier-scaled.csv").starts_with("low,high,weight"));
}

TEST_F(Calibrate, RefusesWhatItCannotMean) {
  const std::string file = embedding("e.npy", 1);
  expect_refused({file, "--dataset", dataset_, "--positives", "pepper"}, {"--positives", "paper"});
  expect_refused({file, "--dataset", dataset_, "--positives", "paper", "--k", "3"}, {"fixed"});
  expect_refused({file, "--dataset", dataset_, "--positives", "method"}, {"folder of a run"});
  expect_refused({file, "--dataset", dataset_, "--similarity", "euclid"}, {"cosine or dot"});
  expect_refused({file, "--dataset", dataset_, "--k", "61"}, {"1 to 60"});
  expect_refused({file, "--dataset", dataset_, "--anchors", "61"}, {"1 to 60"});
  expect_refused({embedding("short.npy", 1, 59), "--dataset", dataset_}, {"59", "60"});
}

/// Runs on a small graph that is inside creg.
class CalibratedTraining : public ::testing::Test {
 protected:
  Words train(const std::string& name, const Words& more) const {
    Words words = {
        "train", "--dataset", "synthetic:cora@0.1",  "--dim", "16", "--patience", "0", "--epochs",
        "8",     "--out",     (dir_ / name).string()};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  static std::vector<json> lines_of(const std::string& text) {
    std::vector<json> lines;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find('\n', begin);
      lines.push_back(json::parse(text.substr(begin, end - begin)));
      begin = end + 1;
    }
    return lines;
  }

  test::TempDir dir_;
};

TEST_F(CalibratedTraining, KeepsALineOfFiguresEveryFewEpochs) {
  ASSERT_EQ(run_creg(train("run", {"--calibrate", "3"})).status, 0);
  const std::vector<json> lines = lines_of(read_text(dir_ / "run/calibration.jsonl"));
  ASSERT_EQ(lines.size(), 4U);
  const std::vector<int> epochs = {0, 3, 6, 8};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i]["epoch"], epochs[i]);
    EXPECT_EQ(lines[i]["loss"].is_null(), i == 0);
    for (const std::string& name : promised_figures()) EXPECT_TRUE(lines[i][name].is_number());
  }
  // The last line is what creg calibrate says of the last epoch's embedding.
  ASSERT_EQ(run_creg(train("last", {"--calibrate", "--select", "last"})).status, 0);
  const std::vector<json> last = lines_of(read_text(dir_ / "last/calibration.jsonl"));
  ASSERT_EQ(last.size(), 2U);
  const RunResult after = run_creg({"calibrate", (dir_ / "last").string(), "--json"});
  ASSERT_EQ(after.status, 0) << after.err;
  const json found = json::parse(after.out);
  for (const std::string& name : promised_figures()) {
    EXPECT_NEAR(last[1][name].get<double>(), found[name].get<double>(), 1e-9) << name;
  }
  EXPECT_TRUE(found["each"][0]["theorem_2"]["share_above"].is_number());
}

TEST_F(CalibratedTraining, TheMethodsOwnPairs) {
  ASSERT_EQ(run_creg(train("ml", {"--method", "ml"})).status, 0);
  ASSERT_EQ(run_creg(train("lc", {"--method", "lc", "--k", "2"})).status, 0);
  ASSERT_EQ(run_creg(train("global", {"--method", "lc", "--positives", "global"})).status, 0);
  const auto own = [&](const std::string& name) {
    const RunResult result =
        run_creg({"calibrate", (dir_ / name).string(), "--positives", "method", "--json"});
    EXPECT_EQ(result.status, 0) << result.err;
    return json::parse(result.out, nullptr, false);
  };
  EXPECT_EQ(own("ml")["positives"], "propagation");
  EXPECT_EQ(own("ml")["q_positive"], 1);
  EXPECT_EQ(own("lc")["positives"], "neighbours");
  EXPECT_EQ(own("lc")["k"], 2);
  EXPECT_EQ(own("global")["positives"], "top-k");
}

TEST_F(CalibratedTraining, SelectsTheEpochByCalibration) {
  for (const std::string by : {"calibration", "val-ece"}) {
    const RunResult result = run_creg(train(by, {"--select", by, "--json"}));
    ASSERT_EQ(result.status, 0) << result.err;
    const int best = json::parse(result.out)["best_epoch"];
    const std::vector<json> epochs = lines_of(read_text(dir_ / by / "metrics.jsonl"));
    double highest = -1e9;
    int wanted = -1;
    for (const json& epoch : epochs) {
      if (epoch["calibration_score"].is_null() || epoch["calibration_score"] <= highest) continue;
      highest = epoch["calibration_score"];
      wanted = epoch["epoch"];
    }
    EXPECT_EQ(best, wanted) << by;
  }
}

TEST_F(CalibratedTraining, ASweepKeepsTheCalibrationOfItsRunsForTheClaim) {
  const std::string out = (dir_ / "s.jsonl").string();
  const Words words = {"sweep",    "none", "--dataset", "synthetic:cora@0.1", "--dim",   "8",
                       "--epochs", "6",    "--grid",    "lr=0.01,0.001",      "--seeds", "2"};
  Words kept = words;
  kept.insert(kept.end(), {"--calibrate", "2", "--out", out});
  const RunResult swept = run_creg(kept);
  ASSERT_EQ(swept.status, 0) << swept.err;
  EXPECT_TRUE(contains(swept.err, "creg history")) << swept.err;
  const std::string folder = (dir_ / "s.calibration").string();
  const RunResult history =
      run_creg({"history", folder + "/lr=0.01", folder + "/lr=0.001", "--json"});
  ASSERT_EQ(history.status, 0) << history.err;
  const json found = json::parse(history.out);
  EXPECT_EQ(found["runs"].size(), 4U);
  EXPECT_EQ(found["runs"][0]["epochs"], 4);
  Words nowhere = words;
  nowhere.insert(nowhere.end(), {"--calibrate", "2"});
  EXPECT_EQ(run_creg(nowhere).status, 2);
}

}  // namespace
}  // namespace creg::calibrate_test
