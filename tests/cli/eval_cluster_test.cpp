#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/ring_dataset.h"
#include "cli/run_creg.h"

namespace creg::eval_cluster_test {
namespace {

using nlohmann::json;
using test::run_creg;
using test::RunResult;
using Words = std::vector<std::string>;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

constexpr int nodes = 90;

class EvalCluster : public test::RingDataset {
 protected:
  EvalCluster() : RingDataset({"eval", "cluster"}, nodes, 4, 0.5) {}
};

TEST_F(EvalCluster, TakesSmoothingFromTheRun) {
  embedding("smooth/embedding.npy", 1);
  dir_.write("smooth/config.toml", "dataset = \"" + dataset_ + "\"\nsmooth = 2\n");
  const std::string run = (dir_ / "smooth").string();
  const json found = run_json({run});
  EXPECT_EQ(found["smooth"], 2);
  const json raw = run_json({run, "--smooth", "0"});
  EXPECT_EQ(raw["smooth"], 0);
  EXPECT_NE(found["inertia"], raw["inertia"]);
}

TEST_F(EvalCluster, PrintsTheObjectThatScriptsRelyOnAndATableInPercent) {
  const std::string file = embedding("e.npy", 1);
  const json found = run_json({file, "--dataset", dataset_});
  EXPECT_EQ(found["task"], "cluster");
  EXPECT_EQ(found["protocol"], "k-means");
  EXPECT_EQ(found["dataset"], "ring");
  EXPECT_EQ(found["normalize"], "none");
  EXPECT_EQ(found["k"], 3);
  EXPECT_EQ(found["classes"], 3);
  EXPECT_EQ(found["nodes"], nodes);
  EXPECT_EQ(found["labelled"], nodes - 1);
  EXPECT_EQ(found["restarts"], 10);
  EXPECT_EQ(found["cluster_seed"], 0);
  EXPECT_EQ(found["seeds"], 5);
  EXPECT_EQ(found["runs"], 1);
  for (const char* absent : {"pca", "chosen_by", "alternatives"}) {
    ASSERT_TRUE(found.contains(absent)) << absent;
    EXPECT_TRUE(found[absent].is_null()) << absent;
  }
  for (const char* metric : {"accuracy", "nmi", "f1", "ari"}) {
    const json& summary = found["metrics"][metric];
    const auto values = summary["values"].get<std::vector<double>>();
    ASSERT_EQ(values.size(), 5U);
    double mean = 0;
    for (const double value : values) mean += value / 5;
    EXPECT_NEAR(summary["mean"].get<double>(), mean, 1e-12);
    EXPECT_TRUE(summary["std"].is_number());
    EXPECT_GT(mean, 0.2);
    EXPECT_LT(mean, 1);
  }
  EXPECT_EQ(found["inertia"]["values"].size(), 5U);

  const RunResult table = run_creg({"eval", "cluster", file, "--dataset", dataset_});
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_TRUE(contains(table.out, "ring: k-means, 3 clusters for 3 classes\n90 nodes, 89 of them"))
      << table.out;
  char mean[16];
  std::snprintf(mean, sizeof mean, "%.2f", 100 * found["metrics"]["nmi"]["mean"].get<double>());
  EXPECT_TRUE(contains(table.out, mean)) << table.out;
  EXPECT_TRUE(contains(table.out, "over 5 seeds of 1 run, the best of 10 starts")) << table.out;
  EXPECT_FALSE(contains(table.out, "better")) << table.out;
}

TEST_F(EvalCluster, PoolsSeedsAndTakesDatasetAndNormalisationFromTheRuns) {
  for (const int seed : {0, 2, 10}) {
    const std::string folder = "runs/seed-" + std::to_string(seed);
    embedding(folder + "/embedding.npy", static_cast<std::uint64_t>(seed));
    dir_.write(folder + "/config.toml", "dataset = \"" + dataset_ + "\"\nfinal_norm = true\n");
  }
  const std::string folder = (dir_ / "runs").string();
  const json pooled = run_json({folder, "--seeds", "2", "--seed", "7"});
  EXPECT_EQ(pooled["dataset"], "ring");
  EXPECT_EQ(pooled["normalize"], "l2");
  EXPECT_EQ(pooled["runs"], 3);
  EXPECT_EQ(pooled["seeds"], 2);
  EXPECT_EQ(pooled["cluster_seed"], 7);
  ASSERT_EQ(pooled["metrics"]["f1"]["values"].size(), 6U);
  const json last =
      run_json({folder + "/seed-10", "--seeds", "2", "--seed", "7", "--threads", "1"});
  EXPECT_EQ(last["metrics"]["f1"]["values"][1], pooled["metrics"]["f1"]["values"][5]);
  EXPECT_EQ(last["inertia"]["values"][1], pooled["inertia"]["values"][5]);
  const json raw = run_json({folder, "--seeds", "2", "--normalize", "none", "--k", "5"});
  EXPECT_EQ(raw["normalize"], "none");
  EXPECT_EQ(raw["k"], 5);
  EXPECT_EQ(raw["classes"], 3);
  EXPECT_NE(raw["inertia"], pooled["inertia"]);
}

TEST_F(EvalCluster, ReducesByPcaAndSaysHowTheBetterWasChosen) {
  const std::string file = embedding("e.npy", 1);
  const json best = run_json({file, "--dataset", dataset_, "--pca", "best"});
  EXPECT_EQ(best["protocol"], "k-means-best-pca");
  EXPECT_TRUE(contains(best["chosen_by"], "labels"));
  ASSERT_EQ(best["alternatives"].size(), 2U);
  EXPECT_TRUE(best["alternatives"][0]["pca"].is_null());
  EXPECT_EQ(best["alternatives"][1]["pca"], 4) << "64, but there are only 4 dimensions";
  const auto mean = [](const json& one) {
    return one["metrics"]["accuracy"]["mean"].get<double>();
  };
  EXPECT_EQ(mean(best), std::max(mean(best["alternatives"][0]), mean(best["alternatives"][1])));
  const json reduced = run_json({file, "--dataset", dataset_, "--pca", "2"});
  EXPECT_EQ(reduced["pca"], 2);
  EXPECT_LT(reduced["inertia"]["mean"].get<double>(),
            best["alternatives"][0]["inertia"]["mean"].get<double>());
  const RunResult table =
      run_creg({"eval", "cluster", file, "--dataset", dataset_, "--pca", "best"});
  for (const char* part :
       {"no PCA\n", "PCA 4\n", "better by mean accuracy: ", "looks at the labels"}) {
    EXPECT_TRUE(contains(table.out, part)) << table.out;
  }
}

TEST_F(EvalCluster, RefusesWhatCannotBeClustered) {
  const std::string file = embedding("e.npy", 1);
  const auto with_ring = [&](Words words) {
    words.insert(words.end(), {"--dataset", dataset_});
    return words;
  };
  expect_refused(with_ring({file, "--k", "91"}),
                 {"more clusters than distinct points", "k = 91", "90 distinct"});
  expect_refused(with_ring({file, "--pca", "5"}), {"components", "5", "1 to 4"});
  expect_refused(with_ring({file, "--pca", "some"}), {"--pca", "some", "none, or best"});
  expect_refused({file, "--edges", (dir_ / "edges.csv").string()}, {"needs labels"});
}

}  // namespace
}  // namespace creg::eval_cluster_test
