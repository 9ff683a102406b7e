#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>

#include "cli/run_creg.h"
#include "creg/core/random.h"
#include "io/file.h"
#include "io/npy.h"
#include "report/report_page.h"
#include "support/event_reader.h"
#include "support/temp_dir.h"
#include "support/test_data.h"

namespace creg::train_test {
namespace {

using nlohmann::json;
using test::joined;
using test::read_text;
using test::run_binary;
using test::run_creg;
using test::RunOptions;
using test::RunResult;
using test::TempDir;
using Words = std::vector<std::string>;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A small graph that is inside creg, narrow and short: a run takes a moment.
Words small_run(const std::string& out, const Words& more = {}) {
  return joined({"train", "--dataset", "synthetic:cora@0.1", "--dim", "16", "--epochs", "8",
                 "--patience", "0", "--threads", "2", "--out", out},
                more);
}

json run_json(const Words& words) {
  const RunResult result = run_creg(joined(words, {"--json"}));
  EXPECT_EQ(result.status, 0) << result.err;
  return json::parse(result.out, nullptr, false);
}

TEST(Train, WritesWhatItPromises) {
  const TempDir dir;
  const std::string out = (dir / "run").string();
  const json result = run_json(small_run(out));
  EXPECT_EQ(result["task"], "classify");
  EXPECT_EQ(result["metrics"]["accuracy"]["values"].size(), 1);
  EXPECT_EQ(result["epochs_run"], 8);
  EXPECT_EQ(result["threads"], 2);
  EXPECT_EQ(result["config"]["dim"], 16);
  EXPECT_EQ(result["config"]["final_norm"], false);
  EXPECT_TRUE(result["version"].is_string());
  EXPECT_TRUE(result["build"].get<std::string>().starts_with("creg 0.1.0 ")) << result["build"];
  EXPECT_NE(result["build"].get<std::string>().find(", libtorch "), std::string::npos);
  EXPECT_TRUE(result["seconds"].is_number());
  EXPECT_TRUE(result["best_epoch"].is_number());
  EXPECT_EQ(json::parse(read_text(dir / "run/result.json")), result);
  for (const char* file : {"embedding.npy", "config.toml", "metrics.jsonl", "checkpoint.pt"}) {
    EXPECT_TRUE(std::filesystem::exists(dir / "run" / file)) << file;
  }
  const std::string metrics = read_text(dir / "run/metrics.jsonl");
  EXPECT_EQ(std::count(metrics.begin(), metrics.end(), '\n'), 8);
  const json first = json::parse(metrics.substr(0, metrics.find('\n')));
  for (const char* key : {"epoch", "loss", "contrast", "regulariser", "norm_mean", "norm_variance",
                          "positive_sigma", "negative_sigma", "anchors", "lr", "seconds"}) {
    EXPECT_TRUE(first[key].is_number()) << key;
  }
}

TEST(Train, TheResultIsThatOfEvalClassify) {
  const TempDir dir;
  const std::string out = (dir / "run").string();
  const json trained = run_json(small_run(out, {"--final-norm"}));
  const json evaluated = run_json({"eval", "classify", out});
  EXPECT_EQ(trained["metrics"], evaluated["metrics"]);
  EXPECT_EQ(evaluated["normalize"], "l2");
}

/// The file is what the encoder put out, whatever evaluations make of it.
TEST(Train, SmoothingIsAMatterOfEvaluation) {
  const TempDir dir;
  const std::string raw = (dir / "raw").string();
  const std::string out = (dir / "run").string();
  const json plain = run_json(small_run(raw));
  const json trained = run_json(small_run(out, {"--smooth", "3"}));
  EXPECT_EQ(plain["smooth"], 0);
  EXPECT_EQ(trained["smooth"], 3);
  EXPECT_EQ(trained["config"]["smooth"], 3);
  EXPECT_EQ(read_text(dir / "run/embedding.npy"), read_text(dir / "raw/embedding.npy"));
  EXPECT_NE(trained["metrics"], plain["metrics"]);
  const json evaluated = run_json({"eval", "classify", out});
  EXPECT_EQ(evaluated["smooth"], 3);
  EXPECT_EQ(evaluated["metrics"], trained["metrics"]);
  EXPECT_EQ(run_json({"eval", "classify", out, "--smooth", "0"})["metrics"], plain["metrics"]);
  EXPECT_EQ(run_json({"eval", "classify", raw, "--smooth", "3"})["metrics"], trained["metrics"]);
  // Nor does calibration see it.
  const auto figures = [](const std::string& folder) {
    json found = run_json({"calibrate", folder});
    for (json& run : found["each"]) run.erase("file");
    return found;
  };
  EXPECT_EQ(figures(out), figures(raw));
}

TEST(Train, OwnFilesWithoutLabelsAreEmbedded) {
  const TempDir dir;
  std::string edges;
  std::string features = "id,a,b\n";
  for (int i = 0; i < 30; ++i) {
    edges += "n" + std::to_string(i) + ",n" + std::to_string((i * 7 + 1) % 30) + "\n";
    features += "n" + std::to_string(i) + "," + std::to_string(i % 3) + ",1\n";
  }
  dir.write("edges.csv", "source,target\n" + edges);
  dir.write("features.csv", features);
  const std::string out = (dir / "run").string();
  const RunResult result =
      run_creg({"train", "--edges", (dir / "edges.csv").string(), "--features",
                (dir / "features.csv").string(), "--dim", "4", "--epochs", "3", "--out", out});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "no labels")) << result.out;
  const json written = json::parse(read_text(dir / "run/result.json"));
  EXPECT_TRUE(written["metrics"].is_null());
  EXPECT_TRUE(read_text(dir / "run/nodes.tsv").starts_with("n0\nn1\n"));
  // The run knows its files: it can be gone on with and embedded again.
  const RunResult again = run_creg({"train", "--resume", out});
  EXPECT_EQ(again.status, 0) << again.err;
}

/// The name of the files becomes that of the graph, and half of all seeds fit no TOML integer: both
/// must come back from the folder of the run as they were.
TEST(Train, ANameLikeANumberAndALargeSeedCanBeGoneOnWith) {
  const TempDir dir;
  std::string edges = "source,target\n";
  std::string features = "id,a,b\n";
  for (int i = 0; i < 30; ++i) {
    edges += std::to_string(i) + "," + std::to_string((i * 7 + 1) % 30) + "\n";
    features += std::to_string(i) + "," + std::to_string(i % 3) + ",1\n";
  }
  dir.write("2024.csv", edges);
  dir.write("features.csv", features);
  const std::string out = (dir / "run").string();
  const RunResult result = run_creg({"train", "--edges", (dir / "2024.csv").string(), "--features",
                                     (dir / "features.csv").string(), "--dim", "4", "--epochs", "3",
                                     "--seed", "18446744073709551615", "--out", out});
  ASSERT_EQ(result.status, 0) << result.err;
  const std::string before = read_text(dir / "run/embedding.npy");
  const RunResult again = run_creg({"train", "--resume", out});
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(read_text(dir / "run/embedding.npy"), before);
}

TEST(Train, SeedsSideBySideEqualSingleThreadedRuns) {
  const TempDir dir;
  const json pooled = run_json(small_run((dir / "both").string(), {"--seeds", "2"}));
  EXPECT_EQ(pooled["seeds"], (std::vector<int>{0, 1}));
  EXPECT_EQ(pooled["metrics"]["accuracy"]["values"].size(), 2);
  EXPECT_EQ(pooled["epochs_run"], (std::vector<int>{8, 8}));
  EXPECT_EQ(json::parse(read_text(dir / "both/result.json")), pooled);
  for (const char* seed : {"0", "1"}) {
    Words words = small_run((dir / seed).string(), {"--seed", seed});
    *std::find(words.begin(), words.end(), "2") = "1";  // --threads
    EXPECT_EQ(run_creg(words).status, 0);
    EXPECT_EQ(read_text(dir / seed / "embedding.npy"),
              read_text(dir / "both" / ("seed-" + std::string(seed)) / "embedding.npy"));
  }
}

TEST(Train, EmbedRepeatsTheEmbedding) {
  const TempDir dir;
  const std::string out = (dir / "run").string();
  ASSERT_EQ(run_creg(small_run(out, {"--method", "lc"})).status, 0);
  const std::string again = (dir / "again.npy").string();
  const RunResult embedded = run_creg({"embed", "--checkpoint", out + "/checkpoint.pt", "--dataset",
                                       "synthetic:cora@0.1", "--out", again});
  EXPECT_EQ(embedded.status, 0) << embedded.err;
  EXPECT_EQ(read_text(again), read_text(dir / "run/embedding.npy"));
  const RunResult other = run_creg({"embed", "--checkpoint", out + "/checkpoint.pt", "--dataset",
                                    "synthetic:pubmed@0.02", "--out", again});
  EXPECT_EQ(other.status, 2);
  EXPECT_TRUE(contains(other.err, "1433") && contains(other.err, "500")) << other.err;
  const RunResult kind = run_creg({"embed", "--checkpoint", out + "/checkpoint.pt", "--dataset",
                                   "synthetic:cora@0.1", "--out", "a.xyz"});
  EXPECT_EQ(kind.status, 2);
  EXPECT_TRUE(contains(kind.err, ".safetensors")) << kind.err;
}

TEST(Train, DryRunTrainsNothing) {
  const TempDir dir;
  const std::string out = (dir / "run").string();
  const json plan = run_json(small_run(out, {"--dry-run"}));
  EXPECT_GT(plan["memory"]["bytes"], 0);
  EXPECT_FALSE(std::filesystem::exists(out));
  const RunResult table = run_creg(small_run(out, {"--dry-run"}));
  EXPECT_TRUE(contains(table.out, "memory, estimated") && contains(table.out, "dim = 16"))
      << table.out;
}

TEST(Train, DryRunReadsAndMakesNoGraph) {
  const TempDir dir;
  // Made, it would take a minute and some gigabytes.
  const json made = run_json({"train", "--dataset", "synthetic:products", "--dry-run",
                              "--batch-size", "512", "--fanouts", "5,5"});
  EXPECT_EQ(made["nodes"], 2449029);
  EXPECT_EQ(made["edges"], 61859140);
  EXPECT_EQ(made["features"], 100);
  EXPECT_EQ(made["estimated"], false);
  EXPECT_GT(made["memory"]["bytes"], 1000000000);
  // The second half is no edge list: it is not looked at.
  std::string edges;
  for (int i = 0; i < 3000; ++i) edges += std::to_string(i) + "," + std::to_string(i + 1) + "\n";
  const std::string file = dir.write("e.csv", edges + std::string(edges.size(), 'x')).string();
  const std::string features = dir.write("x.csv", "0,1\n1,2\n").string();
  const std::vector<std::string> own = {"train",      "--edges", file,
                                        "--features", features,  "--dry-run"};
  EXPECT_EQ(run_json(own)["estimated"], true);
  const RunResult shown = run_creg(own);
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_TRUE(contains(shown.out, "~2 nodes, ~") && contains(shown.out, "~1 feature")) << shown.out;
}

TEST(Train, DryRunReadsNoGraphInAnyCase) {
  const TempDir dir;
  // Made, it would take a minute and some gigabytes.
  const Words products = {"--dataset", "synthetic:products", "--dry-run"};
  const json part = run_json(joined({"pretrain"}, products));
  EXPECT_EQ(part["nodes"], 1714320);  // 70 %
  EXPECT_EQ(part["estimated"], true);
  EXPECT_EQ(part["out"], "runs/synthetic-products-ml-pretrain");
  const json smooth = run_json(joined({"train", "--method", "agc"}, products));
  EXPECT_EQ(smooth["nodes"], 2449029);
  EXPECT_GT(smooth["memory"]["parts"]["features, smoothed"], 3 * 4 * 2449029 * 100L);

  // Files that can be read no more: their headers can.
  const std::string graph = (dir / "g.creg").string();
  ASSERT_EQ(run_creg({"data", "convert", "synthetic:cora@0.1", graph}).status, 0);
  const std::string out = (dir / "run").string();
  ASSERT_EQ(
      run_creg({"train", "--dataset", graph, "--out", out, "--dim", "4", "--epochs", "1"}).status,
      0);
  ASSERT_EQ(run_creg({"data", "convert", graph, (dir / "g.npz").string()}).status, 0);
  const auto damage = [&](const char* name) {
    std::string bytes = test::read_text(dir / name);
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    return dir.write(name, bytes).string();
  };
  damage("g.creg");
  EXPECT_EQ(run_creg({"train", "--resume", out}).status, 2);
  const json again = run_json({"train", "--resume", out, "--dry-run"});
  EXPECT_EQ(again["nodes"], 271);
  EXPECT_EQ(again["estimated"], false);
  EXPECT_EQ(again["out"], out);
  const std::string npz = damage("g.npz");
  EXPECT_EQ(run_creg({"train", "--dataset", npz, "--out", (dir / "x").string()}).status, 2);
  const RunResult shown = run_creg({"train", "--dataset", npz, "--dry-run"});
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_TRUE(contains(shown.out, "~271 nodes") && contains(shown.out, "~1,433 features"))
      << shown.out;
}

TEST(Train, DryRunShowsWhatMattersToTheMethod) {
  const auto shown = [](const std::string& method, const Words& more = {}) {
    return run_creg(joined({"train", "--dataset", "synthetic:cora@0.1", "--method", method,
                            "--recipe", "none", "--dry-run"},
                           more))
        .out;
  };
  for (const char* key : {"heads = ", "attention_dropout", "teleport", "sparse_diffusion"}) {
    EXPECT_FALSE(contains(shown("ml"), key)) << key;
  }
  for (const char* key : {"gain = ", "propagation = ", "layers = ", "channel_norm"}) {
    EXPECT_TRUE(contains(shown("ml"), key)) << key;
  }
  EXPECT_TRUE(contains(shown("ml", {"--encoder", "gat"}), "heads = "));
  EXPECT_FALSE(contains(shown("ml", {"--encoder", "gat"}), "propagation = "));
  EXPECT_TRUE(contains(shown("ml", {"--propagation", "diffusion"}), "teleport = "));
  EXPECT_TRUE(contains(shown("ml"), "negatives = 1")) << shown("ml");
  EXPECT_FALSE(contains(shown("dgi"), "negatives"));
  EXPECT_FALSE(contains(shown("dgi"), "fanouts"));
  EXPECT_TRUE(contains(shown("dgi"), "lr = "));
  EXPECT_FALSE(contains(shown("agc"), "lr = ")) << shown("agc");
}

TEST(Train, WhatCannotFitIsRefusedBeforehand) {
  const TempDir dir;
  const RunResult result = run_creg({"train", "--dataset", "synthetic:cora", "--dim", "65536",
                                     "--layers", "100", "--out", (dir / "run").string()});
  EXPECT_EQ(result.status, 1);
  EXPECT_TRUE(contains(result.err, "more memory than there is") && contains(result.err, "--dim"))
      << result.err;
}

TEST(Train, AGraphThatCannotFitIsRefusedBeforeItIsMade) {
  const TempDir dir;
  test::RunOptions little;
  little.before = [] {
    constexpr rlim_t bytes = rlim_t{1} << 30;
    const rlimit limit{.rlim_cur = bytes, .rlim_max = bytes};
    if (setrlimit(RLIMIT_DATA, &limit) != 0) _exit(97);
  };
  // 1.4 GiB, 2.3 while it is made, and a minute of that.
  const RunResult result = run_creg({"train", "--dataset", "synthetic:products", "--batch-size",
                                     "512", "--fanouts", "5,5", "--out", (dir / "run").string()},
                                    little);
  EXPECT_EQ(result.status, 1) << result.err;
  for (const char* part : {"synthetic:products: this graph would take more memory", "2.3 GiB",
                           "ulimit -d", "--batch-size"}) {
    EXPECT_TRUE(contains(result.err, part)) << part << " is not in " << result.err;
  }
  // Whoever reads it, for whatever.
  const std::string out = (dir / "g.creg").string();
  for (const Words& words : {Words{"data", "convert", "synthetic:products", out},
                             {"data", "info", "synthetic:products"},
                             {"embed", "--checkpoint", "c.pt", "--dataset", "synthetic:products",
                              "--out", (dir / "e.npy").string()}}) {
    const RunResult other = run_creg(words, little);
    EXPECT_EQ(other.status, 1) << other.err;
    EXPECT_TRUE(contains(other.err, "this graph would take more memory")) << other.err;
  }
}

TEST(Train, BadInputIsNamed) {
  const TempDir dir;
  const std::string out = (dir / "run").string();
  const auto expect = [&](const Words& words, const Words& parts) {
    const RunResult result = run_creg(small_run(out, words));
    EXPECT_EQ(result.status, 2) << result.err;
    for (const std::string& part : parts) {
      EXPECT_TRUE(contains(result.err, part)) << part << " is not in " << result.err;
    }
  };
  expect({"--method", "mml"}, {"mml", "ml, lc"});
  expect({"--k", "0"}, {"--k", "1 to 1,000"});
  expect({"--reg", "dropout"}, {"--reg", "dropout", "contrast"});
  expect({"--curriculum", "3"}, {"curriculum", "lc"});
  expect({"--encoder", "gat", "--heads", "3"}, {"heads", "16"});
  expect({"--recipe", "missing.toml"}, {"missing.toml"});
  expect({"--resume", out}, {"--resume"});
  EXPECT_FALSE(std::filesystem::exists(dir / "run/embedding.npy"));
  const RunResult nothing = run_creg({"train", "--resume", (dir / "nowhere").string()});
  EXPECT_EQ(nothing.status, 2);
  EXPECT_TRUE(contains(nothing.err, "no run to resume")) << nothing.err;
}

TEST(Train, AFolderOfSomethingElseIsNotWrittenTo) {
  const TempDir dir;
  std::filesystem::create_directories(dir / "mine");
  dir.write("mine/thesis.tex", "years of work");
  const RunResult result = run_creg(small_run((dir / "mine").string()));
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(contains(result.err, "thesis.tex")) << result.err;
  EXPECT_FALSE(std::filesystem::exists(dir / "mine/config.toml"));
}

TEST(Train, ARecipeFileSetsWhatFlagsDoNot) {
  const TempDir dir;
  const std::string recipe =
      dir.write("mine.toml",
                "source = \"made up\"\ndataset = \"synthetic:cora@0.1\"\nmethod = \"lc\"\n"
                "dim = 8\nepochs = 3\nlr = 0.02\n")
          .string();
  const json result = run_json({"train", "--recipe", recipe, "--lr", "0.05", "--patience", "0",
                                "--out", (dir / "run").string()});
  EXPECT_EQ(result["recipe"], recipe);
  EXPECT_EQ(result["config"]["method"], "lc");
  EXPECT_EQ(result["config"]["dim"], 8);
  EXPECT_EQ(result["config"]["lr"], 0.05);
  EXPECT_EQ(result["epochs_run"], 3);
}

/// Ctrl-C, the end of a job, and a terminal that is closed.
TEST(Train, ASignalFinishesTheEpochAndTellsHowToGoOn) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const TempDir dir;
    const std::string out = (dir / "run").string();
    Words words = {"train", "--dataset", "synthetic:cora@0.1", "--dim", "16", "--patience",
                   "0",     "--epochs",  "100000000",          "--out", out};
    RunOptions options;
    options.while_running = [&](int pid, const std::string& /*err*/) {
      while (!std::filesystem::exists(out + "/metrics.jsonl")) usleep(2000);
      usleep(50'000);
      kill(pid, signal);
    };
    const RunResult result = run_binary(words, options);
    EXPECT_EQ(result.status, 130) << signal << ": " << result.err;
    EXPECT_TRUE(contains(result.err, "creg train --resume " + out)) << result.err;
    EXPECT_TRUE(std::filesystem::exists(out + "/checkpoint.pt"));
    EXPECT_FALSE(std::filesystem::exists(out + "/embedding.npy"));
  }
}

/// Kills what `command` gives at random moments, so often, and then lets it end.
void run_and_kill(int kills, std::uint64_t seed, const std::function<Words()>& command) {
  RandomStream stream(seed, Purpose::test);
  for (int killed = 0; killed < kills; ++killed) {
    RunOptions options;
    options.while_running = [&](int pid, const std::string& /*err*/) {
      usleep(static_cast<useconds_t>(300'000 + stream.below(500'000)));
      kill(pid, SIGKILL);
    };
    const RunResult result = run_binary(command(), options);
    if (result.status == 0) return;
    ASSERT_EQ(result.status, 128 + SIGKILL) << result.err;
  }
  const RunResult result = run_binary(command());
  EXPECT_EQ(result.status, 0) << result.err;
}

/// Killed before its first file a run has to start again.
Words begin_or_resume(const Words& begin, const std::string& out) {
  const bool begun = std::filesystem::exists(out + "/config.toml");
  return begun ? Words{"train", "--resume", out} : begin;
}

/// Killed at random moments, again and again, until it is done: the bytes are those of a run that
/// nobody disturbed.
TEST(Train, SaysWhereAndHowExactlyItComputed) {
  const TempDir dir;
  const std::string out = (dir / "run").string();
  ASSERT_EQ(run_creg(small_run(out, {"--device", "cpu"})).status, 0);
  const json result = json::parse(read_text(dir / "run/result.json"));
  EXPECT_EQ(result["device"], "cpu");
  EXPECT_EQ(result["precision"], "fp32");
  const RunResult coarse =
      run_creg(small_run((dir / "other").string(), {"--device", "cpu", "--precision", "tf32"}));
  EXPECT_EQ(coarse.status, 2);
  EXPECT_TRUE(contains(coarse.err, "--precision: this precision is for GPUs")) << coarse.err;
  const RunResult unknown = run_creg(small_run((dir / "other").string(), {"--precision", "fp8"}));
  EXPECT_EQ(unknown.status, 2);
  EXPECT_TRUE(contains(unknown.err, "fp32, tf32 or bf16")) << unknown.err;
}

// A run that began on a GPU, as its record has it.
TEST(Train, GoesOnOnAnotherDeviceAndSaysSo) {
  const TempDir dir;
  const std::string out = (dir / "run").string();
  ASSERT_EQ(run_creg(small_run(out, {"--device", "cpu"})).status, 0);
  const std::string record = read_text(dir / "run/config.toml");
  ASSERT_FALSE(contains(record, "device ="));
  write_file(dir / "run/config.toml", record + "device = \"cuda\"\n");
  const RunResult again = run_creg({"train", "--resume", out, "--device", "cpu"});
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_TRUE(contains(again.err, "began on a GPU and goes on on cpu")) << again.err;
  write_file(dir / "run/config.toml", record + "precision = \"bf16\"\n");
  const RunResult coarse = run_creg({"train", "--resume", out, "--device", "cpu"});
  EXPECT_EQ(coarse.status, 2);
  EXPECT_TRUE(contains(coarse.err, "precision bf16 on the CPU")) << coarse.err;
  for (const char* line : {"device = \"tpu\"\n", "precision = \"fp8\"\n"}) {
    write_file(dir / "run/config.toml", record + line);
    EXPECT_EQ(run_creg({"train", "--resume", out, "--device", "cpu"}).status, 2) << line;
  }
}

/// The event file has the numbers of metrics.jsonl and calibration.jsonl, each epoch once.
void expect_events_tell_of(const std::filesystem::path& folder) {
  std::vector<std::pair<std::int64_t, float>> losses;
  std::vector<std::pair<std::int64_t, float>> errors;
  for (const test::ReadEvent& event :
       test::read_events(read_text(folder / "events.out.tfevents"))) {
    for (const auto& [name, value] : event.scalars) {
      if (name == "loss/loss") losses.emplace_back(event.step, value);
      if (name == "calibration/ece") errors.emplace_back(event.step, value);
    }
  }
  const auto lines = [&](const char* file, const char* key) {
    std::vector<std::pair<std::int64_t, float>> values;
    std::istringstream in(read_text(folder / file));
    for (std::string line; std::getline(in, line);) {
      const json object = json::parse(line);
      values.emplace_back(object["epoch"], object[key].get<float>());
    }
    return values;
  };
  EXPECT_EQ(losses, lines("metrics.jsonl", "loss"));
  EXPECT_EQ(errors, lines("calibration.jsonl", "ece"));
}

TEST(Train, KilledAndResumedGivesTheSameBytes) {
  const TempDir dir;
  const Words settings = {"--dataset",     "synthetic:cora@0.1",
                          "--method",      "lc",
                          "--dim",         "16",
                          "--epochs",      "400",
                          "--patience",    "0",
                          "--curriculum",  "3",
                          "--ratio",       "auto",
                          "--calibrate",   "100",
                          "--threads",     "2",
                          "--tensorboard", "--quiet"};
  const std::string whole = (dir / "whole").string();
  ASSERT_EQ(run_binary(joined({"train", "--out", whole}, settings)).status, 0);
  const std::string out = (dir / "run").string();
  run_and_kill(4, 11, [&] {
    return begin_or_resume(joined({"train", "--out", out}, settings), out);
  });
  EXPECT_EQ(read_text(dir / "run/embedding.npy"), read_text(dir / "whole/embedding.npy"));
  const std::string metrics = read_text(dir / "run/metrics.jsonl");
  EXPECT_EQ(std::count(metrics.begin(), metrics.end(), '\n'), 400);
  const std::string calibration = read_text(dir / "run/calibration.jsonl");
  EXPECT_EQ(std::count(calibration.begin(), calibration.end(), '\n'), 5);
  EXPECT_EQ(calibration, read_text(dir / "whole/calibration.jsonl"));
  expect_events_tell_of(dir / "run");
}

TEST(Train, BatchesAndSeedsThatAreKilledGoOnToTheSameBytes) {
  const Words settings = {"--dataset", "synthetic:cora@0.1", "--dim", "16", "--patience", "0",
                          "--quiet"};
  const Words batches = {"--epochs",  "25", "--batch-size", "64",
                         "--fanouts", "5",  "--threads",    "1"};
  const Words seeds = {"--epochs", "150", "--seeds", "3", "--threads", "2"};
  for (const Words& kind : {batches, seeds}) {
    const TempDir dir;
    const Words words = joined(settings, kind);
    const std::string whole = (dir / "whole").string();
    ASSERT_EQ(run_binary(joined({"train", "--out", whole}, words)).status, 0);
    const std::string out = (dir / "run").string();
    run_and_kill(2, 12, [&] {
      return begin_or_resume(joined({"train", "--out", out}, words), out);
    });
    for (const char* file : {"embedding.npy", "seed-0/embedding.npy", "seed-2/embedding.npy"}) {
      ASSERT_EQ(is_there(dir / "run" / file), is_there(dir / "whole" / file)) << file;
      if (!is_there(dir / "whole" / file)) continue;
      EXPECT_EQ(read_text(dir / "run" / file), read_text(dir / "whole" / file)) << file;
    }
  }
}

TEST(Train, AFullDiskIsAnErrorAndLeavesNoHalfFile) {
  const TempDir dir;
  RunOptions options;
  options.file_size_limit = 20'000;
  const RunResult result = run_binary(small_run((dir / "run").string()), options);
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_FALSE(std::filesystem::exists(dir / "run/checkpoint.pt"));
  EXPECT_FALSE(std::filesystem::exists(dir / "run/embedding.npy"));
}

TEST(Sweep, ComparesByValidationAndGoesOnWithWhatIsMissing) {
  const TempDir dir;
  const std::string out = (dir / "sweep.jsonl").string();
  const Words words = {"sweep",     "none",
                       "--dataset", "synthetic:cora@0.1",
                       "--dim",     "8",
                       "--epochs",  "3",
                       "--grid",    "lr=0.01,0.001",
                       "--grid",    "ratio=0,1",
                       "--seeds",   "2",
                       "--out",     out};
  const json result = run_json(words);
  ASSERT_EQ(result["points"].size(), 4);
  double before = 2;
  for (const json& point : result["points"]) {
    EXPECT_LE(point["val_accuracy"]["mean"], before);
    before = point["val_accuracy"]["mean"];
    EXPECT_FALSE(point.contains("accuracy"));  // nothing is chosen by test accuracy
  }
  EXPECT_EQ(result["best"], result["points"][0]["point"]);
  EXPECT_EQ(result["best_accuracy"]["values"].size(), 2);
  // Without its last line one point is run again, and the answer is the same.
  const std::string text = read_text(out);
  write_file(out, text.substr(0, text.rfind('\n', text.size() - 2) + 1));
  json again = run_json(words);
  for (json* part : {&again}) {
    for (json& point : (*part)["points"]) point.erase("seconds");
  }
  json expected = result;
  for (json& point : expected["points"]) point.erase("seconds");
  EXPECT_EQ(again, expected);
  // Another sweep must not mix with it.
  Words other = words;
  *std::find(other.begin(), other.end(), "3") = "4";
  const RunResult refused = run_creg(other);
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(contains(refused.err, "another sweep")) << refused.err;
}

TEST(Sweep, KilledItGoesOnToTheSamePoints) {
  const TempDir dir;
  const auto words = [&](const std::string& out) -> Words {
    return {"sweep",      "none",
            "--dataset",  "synthetic:cora@0.1",
            "--dim",      "8",
            "--epochs",   "40",
            "--patience", "0",
            "--grid",     "lr=0.01,0.001",
            "--grid",     "ratio=0,1",
            "--threads",  "2",
            "--out",      (dir / out).string(),
            "--quiet"};
  };
  const auto points = [&](const std::string& out) {
    std::set<std::string> lines;
    std::istringstream text(read_text(dir / out));
    for (std::string line; std::getline(text, line);) {
      json point = json::parse(line);
      point.erase("seconds");
      lines.insert(point.dump());
    }
    return lines;
  };
  ASSERT_EQ(run_binary(words("whole.jsonl")).status, 0);
  run_and_kill(2, 13, [&] { return words("killed.jsonl"); });
  EXPECT_EQ(points("killed.jsonl").size(), 5U);
  EXPECT_EQ(points("killed.jsonl"), points("whole.jsonl"));
}

TEST(Train, APresetIsTheMethodsOwnOrNone) {
  const auto recipe = [](const Words& words) {
    const json plan =
        run_json(joined({"train", "--dataset", "synthetic:cora@0.1", "--dry-run"}, words));
    return plan["recipe"].get<std::string>();
  };
  EXPECT_EQ(recipe({}), "recipes/ml/default.toml");
  EXPECT_EQ(recipe({"--preset", "auto"}), "recipes/ml/default.toml");
  EXPECT_EQ(recipe({"--preset", "none"}), "none");
  EXPECT_EQ(recipe({"--method", "dgi", "--preset", "auto"}), "none");
  // Features that are made of the structure have the size that suits the defaults.
  const TempDir dir;
  dir.write("edges.csv", "a,b\nb,c\nc,d\nd,a\n");
  const Words bare{"train", "--edges", (dir / "edges.csv").string()};
  EXPECT_EQ(run_json(joined(bare, {"--dry-run"}))["recipe"], "none");
  EXPECT_EQ(run_json(joined(
                bare, {"--epochs", "1", "--dim", "4", "--out", (dir / "run").string()}))["recipe"],
            "none");
  const RunResult both = run_creg({"train", "--preset", "auto", "--recipe", "none"});
  EXPECT_EQ(both.status, 2);
  EXPECT_TRUE(contains(both.err, "--recipe")) << both.err;
  EXPECT_EQ(run_creg({"train", "--preset", "fast"}).status, 2);
}

TEST(Train, APresetStandsInForTheRecipeOfADataset) {
  CREG_REQUIRE_REAL_DATA(data);
  const auto recipe = [&](const Words& words) {
    const Words cora{"train", "--dataset", "cora", "--data-dir", data.string(), "--dry-run"};
    return run_json(joined(cora, words))["recipe"];
  };
  EXPECT_EQ(recipe({}), "recipes/ml/cora.toml");
  EXPECT_EQ(recipe({"--preset", "auto"}), "recipes/ml/default.toml");
  EXPECT_EQ(recipe({"--preset", "none"}), "none");
}

TEST(Train, TheOwnRecipeIsTheSameForFeaturesOfAnySize) {
  const TempDir dir;
  dir.write("edges.csv", "a,b\nb,c\nc,d\nd,a\na,c\n");
  const auto result = [&](const std::string& name, int factor) {
    std::string table = "id,x,y\n";
    for (const char* const row : {"a 1 0", "b 2 1", "c 0 3", "d 1 1"}) {
      const std::string text = row;
      table += std::string(1, text[0]) + "," + std::to_string(factor * (text[2] - '0')) + "," +
               std::to_string(factor * (text[4] - '0')) + "\n";
    }
    dir.write(name + ".csv", table);
    const std::string out = (dir / name).string();
    const RunResult run =
        run_creg({"train", "--edges", (dir / "edges.csv").string(), "--features",
                  (dir / (name + ".csv")).string(), "--dim", "4", "--out", out, "--quiet"});
    EXPECT_EQ(run.status, 0) << run.err;
    return read_npy(map_file(dir / name / "embedding.npy")).to_matrix();
  };
  const DenseMatrix once = result("once", 1);
  const DenseMatrix hundredfold = result("hundredfold", 100);
  ASSERT_EQ(once.values.size(), hundredfold.values.size());
  for (std::int64_t i = 0; i < once.values.size(); ++i) {
    EXPECT_NEAR(once.values[i], hundredfold.values[i], 1e-3);
  }
}

TEST(Sweep, BadGridsAreNamed) {
  const auto expect = [](const Words& words, const std::string& part) {
    const RunResult result = run_creg(
        joined({"sweep", "none", "--dataset", "synthetic:cora@0.1", "--epochs", "1"}, words));
    EXPECT_EQ(result.status, 2);
    EXPECT_TRUE(contains(result.err, part)) << result.err;
  };
  expect({"--grid", "lr"}, "KEY=VALUE");
  expect({"--grid", "rate=1"}, "'rate'");
  expect({"--grid", "lr=fast"}, "'fast'");
  const RunResult recipe = run_creg({"sweep", "dgi/nothing"});
  EXPECT_EQ(recipe.status, 2);
  EXPECT_TRUE(contains(recipe.err, "ml/cora")) << recipe.err;
}

TEST(Sweep, AsCsvHasAColumnPerKeyOfTheGrid) {
  const RunResult result =
      run_creg({"sweep", "none", "--dataset", "synthetic:cora@0.1", "--dim", "8", "--epochs", "2",
                "--grid", "lr=0.01,0.001", "--grid", "ratio=1", "--format", "csv"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(result.out.starts_with("val_accuracy,val_accuracy_std,lr,ratio,seconds\n0."))
      << result.out;
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 3) << result.out;
}

TEST(Demo, ShowsTheEffectAndWhatToTryNext) {
  const RunResult result = run_creg({"demo", "--epochs", "2", "--report", "none"});
  EXPECT_EQ(result.status, 0) << result.err;
  for (const char* part : {"synthetic:citation", "mean sigma", "contrast", "creg data get cora"}) {
    EXPECT_TRUE(contains(result.out, part)) << result.out;
  }
  const json rows = run_json({"demo", "--epochs", "1", "--report", "none"})["rows"];
  ASSERT_EQ(rows.size(), 4);
  EXPECT_EQ(rows[1]["reg"], "contrast");
  EXPECT_GT(rows[0]["accuracy"]["mean"], 0.1);
}

TEST(Demo, EndsWithAPageOfItsRuns) {
  if (page_shell().empty()) GTEST_SKIP() << "this build has no page: " << why_no_page();
  const TempDir dir;
  const std::string file = (dir / "page.html").string();
  const json found = run_json({"demo", "--epochs", "1", "--report", file});
  EXPECT_EQ(found["report"], file);
  const std::string page = read_text(file);
  EXPECT_NE(page.find("\"title\":\"creg demo\""), std::string::npos);
  for (const char* run : {"ml-none", "ml-contrast", "lc-none", "lc-contrast"}) {
    EXPECT_NE(page.find("\"name\":\"" + std::string(run) + "\""), std::string::npos) << run;
  }
  for (const char* const key : {"ece", "q_positive", "mean_sigma_random", "sigma_max_mean"}) {
    int curves = 0;
    const std::string curve = "{\"key\":\"" + std::string(key) + "\",\"epochs\"";
    for (std::size_t at = page.find(curve); at != std::string::npos;
         at = page.find(curve, at + 1)) {
      ++curves;
    }
    EXPECT_EQ(curves, 4) << key;
  }
}

TEST(Demo, SaysBeforeItTrainsThatItsPageCannotBeWritten) {
  if (page_shell().empty()) GTEST_SKIP() << "this build has no page: " << why_no_page();
  const RunResult result = run_creg({"demo", "--report", "/nowhere/page.html"});
  EXPECT_EQ(result.status, 1);
  EXPECT_TRUE(contains(result.err, "/nowhere/page.html")) << result.err;
  EXPECT_FALSE(contains(result.err, "training")) << result.err;
}

TEST(TrainHelp, ShowsWhatMostPeopleNeedAndTheRestWhenAsked) {
  const auto flags = [](const std::string& text) {
    std::set<std::string> found;
    for (std::size_t at = text.find("\n  --"); at != std::string::npos;
         at = text.find("\n  --", at + 1)) {
      found.insert(text.substr(at + 3, text.find_first_of(" ,\n", at + 5) - at - 3));
    }
    return found;
  };
  const std::string usual = run_creg({"train", "--help"}).out;
  EXPECT_LE(flags(usual).size(), 16U) << usual;
  for (const char* flag : {"--edges", "--method", "--reg", "--out"}) {
    EXPECT_TRUE(flags(usual).contains(flag)) << flag << usual;
  }
  EXPECT_TRUE(contains(usual, "creg train --help-all")) << usual;
  EXPECT_TRUE(contains(usual, "creg train --method M --help")) << usual;
  const std::string of_lc = run_creg({"train", "--method", "lc", "--help"}).out;
  EXPECT_TRUE(flags(of_lc).contains("--curriculum")) << of_lc;
  EXPECT_TRUE(flags(of_lc).contains("--temperature")) << of_lc;
  EXPECT_FALSE(flags(of_lc).contains("--walk-length")) << of_lc;
  EXPECT_TRUE(contains(of_lc, "local clustering")) << of_lc;
  const std::string all = run_creg({"train", "--help-all"}).out;
  EXPECT_TRUE(flags(all).contains("--walk-length"));
  EXPECT_GT(flags(all).size(), 60U);
}

}  // namespace
}  // namespace creg::train_test
