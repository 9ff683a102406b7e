#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/run_creg.h"
#include "io/file.h"
#include "io/npy.h"
#include "support/temp_dir.h"

namespace creg::eval_link_test {
namespace {

using nlohmann::json;
using test::joined;
using test::read_text;
using test::run_creg;
using test::RunResult;
using test::TempDir;
using Words = std::vector<std::string>;

const Words small = {"--dataset", "synthetic:cora@0.1", "--dim", "8",         "--epochs",
                     "6",         "--patience",         "0",     "--threads", "2"};
const Words quick = {"--predictor-epochs", "30"};

Words train(const std::string& out, const Words& more) {
  return joined(joined({"train", "--out", out}, small), more);
}

json run_json(const Words& words) {
  const RunResult result = run_creg(joined(words, {"--json"}));
  EXPECT_EQ(result.status, 0) << result.err;
  return json::parse(result.out, nullptr, false);
}

void expect_refused(const Words& words, const Words& parts) {
  const RunResult result = run_creg(words);
  EXPECT_EQ(result.status, 2) << result.out << result.err;
  EXPECT_EQ(result.out, "");
  for (const std::string& part : parts) {
    EXPECT_NE(result.err.find(part), std::string::npos) << part << ": " << result.err;
  }
}

TEST(EvalLink, EvaluatesARunThatKnowsItsSplit) {
  const TempDir dir;
  const std::string out = (dir / "run").string();
  const json trained = run_json(train(out, {"--edge-split", "3"}));
  EXPECT_EQ(trained["edge_split"]["seed"], 3);
  EXPECT_EQ(trained["edge_split"]["trained_on"], "training edges only");
  EXPECT_NE(read_text(dir / "run/config.toml").find("edge_split = 3"), std::string::npos);

  const json found = run_json(joined({"eval", "link", out}, quick));
  EXPECT_EQ(found["task"], "link");
  EXPECT_EQ(found["protocol"], "edge-85-5-10");
  EXPECT_EQ(found["dataset"], trained["dataset"]);
  EXPECT_EQ(found["normalize"], "none");
  EXPECT_EQ(found["predictor"], "linear");
  EXPECT_EQ(found["runs"], 1);
  EXPECT_EQ(found["split_seeds"], json::array({3}));
  EXPECT_EQ(found["leak_check"]["passed"], true);
  EXPECT_EQ(found["leak_check"]["shared"], 0);
  EXPECT_EQ(found["leak_check"]["encoder"], "checked");
  EXPECT_EQ(found["leak_check"]["training_edges"], trained["edge_split"]["training_edges"]);
  for (const char* metric : {"auc", "ap", "val_auc"}) {
    EXPECT_GT(found["metrics"][metric]["mean"], 0.4) << metric;
    EXPECT_LE(found["metrics"][metric]["mean"], 1) << metric;
    EXPECT_EQ(found["metrics"][metric]["values"].size(), 1U);
  }
  EXPECT_EQ(run_json(joined({"eval", "link", out, "--normalize", "l2"}, quick))["normalize"], "l2");
  const RunResult table = run_creg(joined({"eval", "link", out}, quick));
  EXPECT_NE(table.out.find("test AUC"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("leak check passed"), std::string::npos) << table.out;

  // Other evaluations go on, and say what the embedding has seen.
  EXPECT_EQ(run_json({"eval", "classify", out})["edge_split"]["trained_on"], "training edges only");
  // So does the same file without its run, with the split beside it.
  const json bare =
      run_json(joined({"eval", "link", out + "/embedding.npy", "--dataset", "synthetic:cora@0.1",
                       "--edge-split", out + "/edge-split.json"},
                      quick));
  EXPECT_EQ(bare["metrics"], found["metrics"]);
  EXPECT_EQ(bare["leak_check"]["encoder"], "unknown");
}

TEST(EvalLink, SmoothsByTheRecipeOrTheFlag) {
  const TempDir dir;
  const std::string out = (dir / "run").string();
  run_json(train(out, {"--edge-split", "3", "--smooth", "2"}));
  const json found = run_json(joined({"eval", "link", out}, quick));
  EXPECT_EQ(found["smooth"], 2);
  const json raw = run_json(joined({"eval", "link", out, "--smooth", "0"}, quick));
  EXPECT_EQ(raw["smooth"], 0);
  EXPECT_NE(raw["metrics"], found["metrics"]);
  const json trained = run_json(joined(
      joined({"eval", "link", "--splits", "1", "--seeds", "1", "--smooth", "2"}, small), quick));
  EXPECT_EQ(trained["smooth"], 2);
  expect_refused({"eval", "link", out, "--smooth", "1", "--lr", "0.1"}, {"not trained again"});
}

TEST(EvalLink, ARunIsResumedOnItsOwnSplit) {
  const TempDir dir;
  const std::string out = (dir / "run").string();
  run_json(train(out, {"--edge-split", "1"}));
  const std::string embedding = read_text(dir / "run/embedding.npy");
  const std::string split = read_text(dir / "run/edge-split.json");
  std::filesystem::remove(dir / "run/embedding.npy");
  run_json({"train", "--resume", out});
  EXPECT_EQ(read_text(dir / "run/embedding.npy"), embedding);
  // Without the file the seed makes the same split again.
  std::filesystem::remove(dir / "run/edge-split.json");
  run_json({"train", "--resume", out});
  EXPECT_EQ(read_text(dir / "run/embedding.npy"), embedding);
  // A split of another seed is not that of the run.
  std::string other = split;
  other.replace(other.find("\"seed\": 1"), 9, "\"seed\": 2");
  write_file(dir / "run/edge-split.json", other);
  expect_refused({"train", "--resume", out}, {"edge-split.json", "seed 2", "seed 1"});
  expect_refused({"eval", "link", out}, {"edge-split.json", "seed 2", "seed 1"});
  expect_refused({"train", "--resume", out, "--edge-split", "1"}, {"--resume"});
}

TEST(EvalLink, RefusesARunOnAllEdges) {
  const TempDir dir;
  const std::string all = (dir / "all").string();
  const std::string part = (dir / "part").string();
  run_json(train(all, {}));
  expect_refused({"eval", "link", all}, {"trained on all edges", "--edge-split 0"});
  // Nor does it help to lay a split beside it: the checkpoint knows its edges.
  run_json(train(part, {"--edge-split", "0"}));
  std::filesystem::copy(dir / "part/edge-split.json", dir / "all/edge-split.json");
  write_file(dir / "all/config.toml", read_text(dir / "part/config.toml"));
  expect_refused({"eval", "link", all}, {"checkpoint.pt", "trained on other edges"});
  // A new run on all edges takes the old split away.
  run_json(train(part, {"--overwrite"}));
  EXPECT_FALSE(std::filesystem::exists(dir / "part/edge-split.json"));
  expect_refused({"eval", "link", part}, {"trained on all edges"});
}

TEST(EvalLink, TrainsAllRunsAndGoesOnWithWhatIsMissing) {
  const TempDir dir;
  const std::string out = (dir / "runs").string();
  const Words all =
      joined(joined({"eval", "link", "--method", "lc", "--seeds", "2"}, small), quick);
  const json plain = run_json(joined(all, {"--splits", "2"}));
  EXPECT_EQ(plain["runs"], 4);
  EXPECT_EQ(plain["splits"], 2);
  EXPECT_EQ(plain["split_seeds"], json::array({0, 0, 1, 1}));
  EXPECT_EQ(plain["leak_check"]["encoder"], "checked");
  EXPECT_EQ(plain["method"], "lc");
  EXPECT_EQ(plain["config"]["dim"], 8);

  const json first = run_json(joined(all, {"--splits", "1", "--out", out}));
  EXPECT_EQ(first["runs"], 2);
  const auto written = std::filesystem::last_write_time(dir / "runs/split-0/seed-1/embedding.npy");
  std::filesystem::remove(dir / "runs/split-0/seed-0/result.json");  // as if it had been stopped
  const json kept = run_json(joined(all, {"--splits", "2", "--out", out}));
  EXPECT_EQ(kept["metrics"], plain["metrics"]);
  EXPECT_EQ(std::filesystem::last_write_time(dir / "runs/split-0/seed-1/embedding.npy"), written);
  EXPECT_EQ(json::parse(read_text(dir / "runs/link.json")), kept);
  // The folder is evaluated as a whole and in parts, and is what creg train makes.
  EXPECT_EQ(run_json(joined({"eval", "link", out}, quick))["metrics"], plain["metrics"]);
  const std::string own = (dir / "own").string();
  run_json(train(own, {"--method", "lc", "--edge-split", "1", "--seeds", "2"}));
  EXPECT_EQ(run_json(joined({"eval", "link", own}, quick))["metrics"],
            run_json(joined({"eval", "link", out + "/split-1"}, quick))["metrics"]);
  EXPECT_EQ(read_text(dir / "own/seed-1/embedding.npy"),
            read_text(dir / "runs/split-1/seed-1/embedding.npy"));
  // Runs of other settings are not mixed in.
  expect_refused(joined(all, {"--splits", "2", "--out", out, "--lr", "0.5"}),
                 {"another lr", "0.001", "0.5"});
}

TEST(EvalLink, BadInputIsNamed) {
  const TempDir dir;
  const std::string out = (dir / "run").string();
  run_json(train(out, {"--edge-split", "0"}));
  const std::string file = out + "/embedding.npy";
  const std::string split = out + "/edge-split.json";
  expect_refused({"eval", "link", file, "--dataset", "synthetic:cora@0.1"},
                 {"bare embedding", "--edge-split FILE"});
  expect_refused({"eval", "link", out, "--edge-split", split}, {"its own edge split"});
  expect_refused({"eval", "link", out, "--lr", "1"}, {"not trained again"});
  expect_refused({"eval", "link", out, "--predictor", "tree"}, {"'tree'", "linear or mlp"});
  expect_refused({"eval", "link", out, "--normalize", "l1"}, {"'l1'"});
  expect_refused({"eval", "link", out, "--dataset", "synthetic:cora@0.2"},
                 {"edge-split.json", "another graph"});
  write_npy(dir / "short.npy",
            DenseMatrix{.rows = 5, .cols = 1, .values = std::vector<float>{1, 2, 3, 4, 5}});
  expect_refused({"eval", "link", (dir / "short.npy").string(), "--dataset", "synthetic:cora@0.1",
                  "--edge-split", split},
                 {"does not fit the graph", "5 rows"});
  expect_refused({"eval", "link", (dir / "nothing.npy").string(), "--dataset", "synthetic:cora@0.1",
                  "--edge-split", split},
                 {"nothing.npy"});
  expect_refused({"eval", "link", "--edge-split", split, "--dataset", "synthetic:cora@0.1"},
                 {"--splits"});

  dir.write("edges.csv", "source,target\n0,1\n1,2\n");
  dir.write("features.csv", "id,x\n0,1\n1,2\n2,3\n");
  const Words own = {"--edges", (dir / "edges.csv").string(), "--features",
                     (dir / "features.csv").string()};
  expect_refused(joined({"eval", "link"}, own), {"too few edges", "2 distinct edges"});
  expect_refused(joined({"train", "--edge-split", "0", "--out", (dir / "few").string()}, own),
                 {"too few edges"});
  EXPECT_FALSE(std::filesystem::exists(dir / "few"));
}

}  // namespace
}  // namespace creg::eval_link_test
