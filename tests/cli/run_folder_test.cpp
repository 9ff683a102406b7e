#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "cli/run_creg.h"
#include "io/file.h"
#include "io/write_lock.h"
#include "support/temp_dir.h"

namespace creg::run_folder_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::joined;
using test::read_text;
using test::run_binary;
using test::run_creg;
using test::RunOptions;
using test::RunResult;
using test::TempDir;
using Words = std::vector<std::string>;

const Words quick = {"--dim", "4", "--epochs", "2", "--threads", "1"};

/// Thirty nodes with names and three classes.
class RunFolder : public ::testing::Test {
 protected:
  RunFolder() {
    std::string edges = "source,target\n";
    std::string features = "id,a,b\n";
    std::string labels = "id,label\n";
    for (int i = 0; i < 30; ++i) {
      const std::string name = "n" + std::to_string(i);
      edges += name + ",n" + std::to_string((i * 7 + 1) % 30) + "\n";
      features += name + "," + std::to_string(i % 3) + ",1\n";
      labels += name + "," + "xyz"[i % 3] + "\n";
    }
    dir_.write("edges.csv", edges);
    dir_.write("features.csv", features);
    dir_.write("labels.csv", labels);
  }

  std::string path(const std::string& name) const { return (dir_ / name).string(); }

  Words train(const std::string& out, const Words& more = {}) const {
    return joined(joined({"train", "--edges", path("edges.csv"), "--features", path("features.csv"),
                          "--labels", path("labels.csv"), "--out", path(out)},
                         quick),
                  more);
  }

  static RunResult succeed(const Words& words) {
    RunResult result = run_creg(words);
    EXPECT_EQ(result.status, 0) << result.err;
    return result;
  }

  static json run_json(const Words& words) {
    return json::parse(succeed(joined(words, {"--json"})).out, nullptr, false);
  }

  static void refuse(const Words& words, const Words& parts, int status = 2) {
    const RunResult result = run_creg(words);
    EXPECT_EQ(result.status, status) << result.out << result.err;
    for (const std::string& part : parts) {
      EXPECT_NE(result.err.find(part), std::string::npos) << part << " is not in " << result.err;
    }
  }

  /// Every file below with what is in it.
  std::map<std::string, std::string> files(const std::string& name) const {
    std::map<std::string, std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(dir_ / name)) {
      if (entry.is_regular_file()) found[entry.path().string()] = read_text(entry.path());
    }
    return found;
  }

  TempDir dir_;
};

TEST_F(RunFolder, ThatAnotherProcessWritesIntoIsRefusedAtOnce) {
  const Words endless = {"train",      "--dataset", "synthetic:cora@0.1", "--dim",     "16",
                         "--patience", "0",         "--epochs",           "100000000", "--out",
                         path("run")};
  RunOptions options;
  options.while_running = [&](int pid, const std::string& /*err*/) {
    while (!fs::exists(dir_ / "run/metrics.jsonl")) usleep(2000);
    const std::string record = read_text(dir_ / "run/config.toml");
    const std::string process = "process " + std::to_string(pid);
    refuse(train("run"), {path("run"), "another process is writing there", process, "--out"}, 1);
    refuse(train("run", {"--overwrite"}), {"another process", process}, 1);
    refuse({"train", "--resume", path("run")}, {"another process", process}, 1);
    EXPECT_EQ(read_text(dir_ / "run/config.toml"), record);
    kill(pid, SIGKILL);
  };
  ASSERT_EQ(run_binary(endless, options).status, 128 + SIGKILL);
  // The lock of the dead holds nobody up.
  refuse(train("run"), {"holds a run already", "of 100000000 epochs done"});
  succeed(train("run", {"--overwrite"}));
  EXPECT_FALSE(fs::exists(dir_ / "run/.creg-lock"));
}

/// What was let pass when the files were read is let pass again, without a word.
TEST_F(RunFolder, KnowsWhatItsFilesMayLack) {
  dir_.write("more.csv", read_text(dir_ / "labels.csv") + "n99,x\n");
  dir_.write("own.toml",
             "edges = \"edges.csv\"\nfeatures = \"features.csv\"\nlabels = \"more.csv\"\n");
  const auto words = [&](const std::string& command, const std::string& out) {
    return joined({command, "--dataset", path("own.toml"), "--out", path(out)}, quick);
  };
  refuse(words("train", "run"), {"more.csv", "n99", "--unknown-ids drop"});
  const Words drop = {"--unknown-ids", "drop"};
  succeed(joined(words("train", "run"), drop));
  succeed({"train", "--resume", path("run")});
  succeed({"eval", "classify", path("run"), "--splits", "1"});
  succeed({"embed", "--checkpoint", path("run/checkpoint.pt"), "--out", path("again.npy")});
  succeed(joined(words("pretrain", "pre"), drop));
  succeed({"finetune", path("pre"), "--epochs", "1"});

  // The files of a folder.
  std::string graph;
  std::string group;
  for (int i = 0; i < 30; ++i) {
    graph += std::to_string(i) + "\t" + std::to_string((i * 7 + 1) % 30) + "\n";
    group += std::to_string(i) + "\t" + std::to_string(i % 3) + "\n";
  }
  dir_.write("wiki/graph.txt", graph);
  dir_.write("wiki/group.txt", group);
  dir_.write("wiki/tfidf.txt", "");
  const Words wiki = joined(
      {"train", "--dataset", path("wiki"), "--method", "node2vec", "--out", path("walks")}, quick);
  refuse(wiki, {"tfidf.txt", "no features", "--allow-empty"});
  succeed(joined(wiki, {"--allow-empty"}));
  succeed({"train", "--resume", path("walks")});
  succeed({"eval", "classify", path("walks"), "--splits", "1"});
}

TEST_F(RunFolder, EveryCommandThatWritesRespectsTheLock) {
  fs::create_directory(dir_ / "run");
  const WriteLock lock(Context(), dir_ / "run", LockMode::alone);
  const WriteLock of_file(Context(), dir_ / "sweep.jsonl", LockMode::alone);
  const Words data = {"--dataset", "synthetic:cora@0.1"};
  for (const Words& words :
       {Words{"train", "--out", path("run")}, Words{"pretrain", "--out", path("run")},
        Words{"eval", "link", "--out", path("run")},
        Words{"sweep", "none", "--out", path("sweep.jsonl")}}) {
    refuse(joined(joined(words, data), quick), {"another process is writing there"}, 1);
  }
  EXPECT_FALSE(fs::exists(dir_ / "run/config.toml"));
  EXPECT_FALSE(fs::exists(dir_ / "sweep.jsonl"));
  // Fine-tuning writes into the folder of its run.
  succeed(joined(joined({"pretrain", "--out", path("pretrained")}, data), quick));
  const WriteLock of_run(Context(), dir_ / "pretrained", LockMode::alone);
  refuse({"finetune", path("pretrained"), "--epochs", "1"}, {"another process"}, 1);
}

TEST_F(RunFolder, WithARunIsRefusedAndOverwrittenOnDemand) {
  succeed(train("run", {"--seeds", "2", "--method", "lc"}));
  dir_.write("run/notes.txt", "mine");
  const auto before = files("run");
  refuse(train("run"),
         {"holds a run already", "lc on", "seeds 0 to 1", "finished", "--overwrite", "--resume"});
  EXPECT_EQ(files("run"), before);
  refuse({"train", "--resume", path("run"), "--overwrite"}, {"--resume"});
  succeed(train("run", {"--overwrite"}));
  EXPECT_FALSE(fs::exists(dir_ / "run/seed-0"));
  EXPECT_FALSE(fs::exists(dir_ / "run/seed-1"));
  EXPECT_EQ(read_text(dir_ / "run/notes.txt"), "mine");
  succeed(train("fresh"));
  EXPECT_EQ(read_text(dir_ / "run/embedding.npy"), read_text(dir_ / "fresh/embedding.npy"));
  // Pretraining is a run as any other.
  const Words pretrain =
      joined({"pretrain", "--dataset", "synthetic:cora@0.1", "--out", path("run")}, quick);
  refuse(pretrain, {"holds a run already", "--overwrite"});
  succeed(joined(pretrain, {"--overwrite"}));
  EXPECT_FALSE(fs::exists(dir_ / "run/dataset.toml"));
  refuse(pretrain, {"pretraining by ml"});
}

/// Where no folder is named, as where one is.
TEST_F(RunFolder, OfASecondBareRunIsRefusedWithTheWaysOn) {
  const fs::path here = fs::current_path();
  fs::current_path(dir_.path());
  const Words bare = joined({"train", "--dataset", "synthetic:cora@0.1"}, quick);
  succeed(bare);
  refuse(bare, {"runs/synthetic-cora-0.1-ml", "--out DIR", "--overwrite", "--resume runs/"});
  succeed(joined(bare, {"--overwrite"}));
  fs::current_path(here);
}

TEST_F(RunFolder, WithAUsersOwnDatasetTomlIsLeftAlone) {
  dir_.write("mine/dataset.toml", "edges = \"../edges.csv\"\n");
  const auto before = files("mine");
  for (const Words& more : {Words{}, Words{"--overwrite"}}) {
    refuse(train("mine", more), {"something that is no run", "dataset.toml"});
    EXPECT_EQ(files("mine"), before);
  }
  // Nor may a run overwrite the description of its own dataset.
  succeed(train("run"));
  refuse(
      joined({"train", "--dataset", path("run/dataset.toml"), "--out", path("run"), "--overwrite"},
             quick),
      {"run/dataset.toml", "would be overwritten"});
  EXPECT_TRUE(fs::exists(dir_ / "run/embedding.npy"));
}

TEST_F(RunFolder, IsStartedAndGoneOnWithAfterAKill) {
  dir_.write("run/.creg-lock", "1 gone\n");
  dir_.write("run/config.toml.part-99-0", "half");
  succeed(train("run", {"--seeds", "2"}));
  EXPECT_FALSE(fs::exists(dir_ / "run/config.toml.part-99-0"));
  const std::string embedding = read_text(dir_ / "run/seed-1/embedding.npy");
  const std::string record = read_text(dir_ / "run/seed-1/config.toml");
  // As if it had been killed before it came to the second seed.
  fs::remove_all(dir_ / "run/seed-1");
  fs::remove(dir_ / "run/result.json");
  dir_.write("run/seed-0/checkpoint.pt.part-99-0", "half");
  succeed({"train", "--resume", path("run")});
  EXPECT_FALSE(fs::exists(dir_ / "run/seed-0/checkpoint.pt.part-99-0"));
  EXPECT_EQ(read_text(dir_ / "run/seed-1/embedding.npy"), embedding);
  EXPECT_TRUE(fs::exists(dir_ / "run/seed-1/config.toml"));
}

/// What is wrong with a run may show when it starts, and then it is started once more.
TEST_F(RunFolder, OfARunThatNeverBeganIsFree) {
  const Words agc = {"--method", "agc", "--clusters", "1000"};
  refuse(train("run", agc), {"so many clusters"});
  EXPECT_TRUE(files("run").empty());
  succeed(train("run", {"--seeds", "2"}));
  refuse(train("run", joined(agc, {"--overwrite"})), {"so many clusters"});
  EXPECT_TRUE(files("run").empty());
  succeed(train("run"));
}

TEST_F(RunFolder, OfAFinishedRunIsNotClearedForASlip) {
  succeed(train("run"));
  const auto before = files("run");
  refuse(train("run", {"--batch-size", "1000", "--overwrite"}), {"larger than the nodes"});
  EXPECT_EQ(files("run"), before);
}

/// Paths may be any bytes: what a run wrote about them can be read again.
TEST_F(RunFolder, OfADatasetWithAnyNameIsReadAgain) {
  fs::create_directory(dir_ / "d\xe9");
  const std::string toml = "d\xe9/gr\xe4ph.toml";
  dir_.write(toml,
             "edges = \"../edges.csv\"\nfeatures = \"../features.csv\"\n"
             "labels = \"../labels.csv\"\n");
  const Words by_toml = joined({"train", "--dataset", path(toml), "--out", path("toml")}, quick);
  succeed(by_toml);
  fs::copy(dir_ / "edges.csv", dir_ / "d\xe9/edges.csv");
  Words by_edges = train("edges", {"--seeds", "2"});
  *std::find(by_edges.begin(), by_edges.end(), path("edges.csv")) = path("d\xe9/edges.csv");
  succeed(by_edges);
  for (const char* run : {"toml", "edges"}) {
    succeed({"eval", "classify", path(run), "--splits", "2"});
    succeed({"train", "--resume", path(run)});
  }
  const std::string found = read_text(dir_ / "toml/config.toml");
  EXPECT_NE(found.find("d\xe9/gr\xe4ph.toml\""), std::string::npos) << found;

  const Words sweep = joined(
      {"sweep", "none", "--dataset", path(toml), "--grid", "lr=0.1", "--out", path("sweep.jsonl")},
      quick);
  succeed(sweep);
  const std::string points = read_text(dir_ / "sweep.jsonl");
  succeed(sweep);
  EXPECT_EQ(read_text(dir_ / "sweep.jsonl"), points);

  succeed({"data", "convert", path(toml), path("g.creg")});
  const json info = run_json({"data", "info", path("g.creg")});
  EXPECT_EQ(info["name"], "gr\\xe4ph") << info.dump();
  succeed({"data", "partition", path(toml), "--parts", "2", "--method", "streaming", "--out",
           path("parts")});
}

/// The folder would hold the settings of one run and the embedding of another.
TEST_F(RunFolder, IsNotWrittenIntoByOtherCommands) {
  succeed(train("run"));
  succeed(train("other"));
  const auto before = files("run");
  const std::string checkpoint = path("other/checkpoint.pt");
  const std::string ours = "what the run in this folder writes itself";
  refuse({"embed", "--checkpoint", checkpoint, "--out", path("run/embedding.npy")}, {ours});
  refuse({"data", "convert", path("other"), path("run/embedding.npy")}, {ours});
  refuse({"data", "split", path("run/dataset.toml"), "--protocol", "random-10-10-80", "--out",
          path("run/result.json")},
         {ours});
  refuse({"neighbors", path("run"), "n1", "--out", path("run/nodes.tsv")}, {ours});
  refuse({"report", path("run"), "-o", path("run/config.toml")}, {ours});
  refuse({"completion", "bash", "--out", path("run/checkpoint.pt")}, {ours});
  EXPECT_EQ(files("run"), before);
  // Any other name is free.
  succeed({"embed", "--checkpoint", checkpoint, "--out", path("run/other.npy")});
  // And a file beside the output that was there without it is somebody's.
  dir_.write("mine.npy.nodes.tsv", "mine\n");
  refuse({"embed", "--checkpoint", checkpoint, "--out", path("mine.npy")},
         {"mine.npy.nodes.tsv", "would be replaced"});
  EXPECT_EQ(read_text(dir_ / "mine.npy.nodes.tsv"), "mine\n");
}

TEST_F(RunFolder, OfLinkPredictionIsExtendedOrOverwritten) {
  const Words links = joined({"eval", "link", "--dataset", "synthetic:cora@0.1", "--splits", "1",
                              "--seeds", "1", "--predictor-epochs", "2", "--out", path("links")},
                             quick);
  dir_.write("links/link.json", "of the user");
  refuse(links, {"something that is no run", "link.json"});
  EXPECT_EQ(files("links").size(), 1U);
  fs::remove(dir_ / "links/link.json");
  refuse(joined(links, {"--batch-size", "100000"}), {"larger than the nodes"});
  EXPECT_TRUE(files("links").empty());
  succeed(links);
  refuse(joined(links, {"--lr", "0.5"}), {"another lr", "--overwrite"});
  succeed(joined(links, {"--lr", "0.5", "--overwrite"}));
  refuse(train("links"), {"runs of creg eval link", "ml on synthetic:cora@0.1"});
  succeed(train("run"));
  Words into_run = links;
  *(std::find(into_run.begin(), into_run.end(), "--out") + 1) = path("run");
  refuse(into_run, {"holds a run already"});
}

TEST_F(RunFolder, OfASweepIsAFileThatBeginsAnewOnDemand) {
  const Words sweep = joined({"sweep", "none", "--dataset", "synthetic:cora@0.1", "--grid",
                              "lr=0.1", "--calibrate", "1", "--out", path("sweep.jsonl")},
                             quick);
  succeed(sweep);
  const std::string first = read_text(dir_ / "sweep.jsonl");
  const Words other = joined(sweep, {"--reg", "none"});
  refuse(other, {"another sweep", "--overwrite"});
  dir_.write("sweep.calibration/lr=0.1/seed-7/calibration.jsonl", "{}\n");
  dir_.write("sweep.jsonl.part-9-0", "half");
  dir_.write("other.jsonl.part-9-0", "not of this sweep");
  succeed(joined(other, {"--overwrite"}));
  EXPECT_NE(read_text(dir_ / "sweep.jsonl"), first);
  EXPECT_FALSE(fs::exists(dir_ / "sweep.calibration/lr=0.1/seed-7/calibration.jsonl"));
  EXPECT_FALSE(fs::exists(dir_ / "sweep.jsonl.part-9-0"));
  EXPECT_TRUE(fs::exists(dir_ / "other.jsonl.part-9-0"));
  dir_.write("sweep.jsonl", "{\"mine\": 1}\n");
  refuse(joined(sweep, {"--overwrite"}), {"not a line of a sweep"});
  EXPECT_EQ(read_text(dir_ / "sweep.jsonl"), "{\"mine\": 1}\n");
}

TEST_F(RunFolder, GivesTheNamesBackInEveryForm) {
  succeed(train("run"));
  const auto expect_names = [&](const std::string& tsv) {
    const std::string text = read_text(dir_ / tsv);
    EXPECT_TRUE(text.starts_with("n0\t")) << text;
    EXPECT_NE(text.find("\nn29\t"), std::string::npos) << text;
  };
  succeed({"data", "convert", path("run/embedding.npy"), path("file.tsv")});
  expect_names("file.tsv");
  succeed({"data", "convert", path("run"), path("folder.tsv")});
  EXPECT_EQ(read_text(dir_ / "folder.tsv"), read_text(dir_ / "file.tsv"));

  // The dataset is the run's own where none is named.
  succeed({"embed", "--checkpoint", path("run/checkpoint.pt"), "--out", path("e.npy")});
  EXPECT_EQ(read_text(dir_ / "e.npy"), read_text(dir_ / "run/embedding.npy"));
  EXPECT_EQ(read_text(dir_ / "e.npy.nodes.tsv"), read_text(dir_ / "run/nodes.tsv"));
  succeed({"data", "convert", path("e.npy"), path("e.tsv")});
  EXPECT_EQ(read_text(dir_ / "e.tsv"), read_text(dir_ / "file.tsv"));
  succeed({"data", "convert", path("e.npy"), path("copy.npy")});
  EXPECT_EQ(read_text(dir_ / "copy.npy.nodes.tsv"), read_text(dir_ / "run/nodes.tsv"));

  succeed(train("seeds", {"--seeds", "2"}));
  refuse({"data", "convert", path("seeds"), path("s.tsv")}, {"per seed", "seeds/seed-0"});
  succeed({"data", "convert", path("seeds/seed-1"), path("s.tsv")});
  expect_names("s.tsv");
}

TEST_F(RunFolder, SomeNodesAreEmbeddedAlone) {
  succeed(train("run"));
  dir_.write("new.txt", "n7\nn3\n");
  const json made = run_json({"embed", "--checkpoint", path("run/checkpoint.pt"), "--only",
                              path("new.txt"), "--out", path("some.csv")});
  EXPECT_EQ(made["nodes"], 2);
  succeed({"embed", "--checkpoint", path("run/checkpoint.pt"), "--only", path("new.txt"), "--out",
           path("some.npy")});
  EXPECT_EQ(read_text(dir_ / "some.npy.nodes.tsv"), "n7\nn3\n");
  EXPECT_TRUE(read_text(dir_ / "some.csv").starts_with("node,x1,x2,x3,x4\nn7,"));
  dir_.write("wrong.txt", "n7\nm3\n");
  refuse({"embed", "--checkpoint", path("run/checkpoint.pt"), "--only", path("wrong.txt"), "--out",
          path("none.npy")},
         {"wrong.txt", "unknown node", "m3"});
  EXPECT_FALSE(fs::exists(dir_ / "none.npy"));
}

TEST_F(RunFolder, ItsEmbeddingGoesToTheProjectorWithNamesAndLabels) {
  succeed(train("run"));
  const json made =
      run_json({"data", "convert", path("run"), path("x.tsv"), "--metadata", "labels"});
  EXPECT_EQ(made["metadata"], path("x.metadata.tsv"));
  const std::string metadata = read_text(dir_ / "x.metadata.tsv");
  EXPECT_TRUE(metadata.starts_with("name\tlabel\nn0\tx\nn1\ty\nn2\tz\nn3\tx\n")) << metadata;
  const std::string vectors = read_text(dir_ / "x.tsv");
  succeed({"data", "convert", path("run"), path("x.tsv"), "--metadata", "names"});
  EXPECT_EQ(read_text(dir_ / "x.metadata.tsv"), read_text(dir_ / "run/nodes.tsv"));
  EXPECT_EQ(read_text(dir_ / "x.tsv"), vectors);
  // The same numbers as with the names before them.
  succeed({"data", "convert", path("run"), path("named.tsv")});
  const std::string named = read_text(dir_ / "named.tsv");
  EXPECT_EQ(named.substr(0, named.find('\n')), "n0\t" + vectors.substr(0, vectors.find('\n')));
  succeed({"data", "convert", path("run"), path("named.csv")});
  EXPECT_TRUE(read_text(dir_ / "named.csv").starts_with("node,x1,x2,x3,x4\nn0,"));

  // A bare file has the labels of files that are named.
  fs::copy(dir_ / "run/embedding.npy", dir_ / "bare.npy");
  refuse({"data", "convert", path("bare.npy"), path("y.tsv"), "--metadata", "labels"},
         {"bare.npy", "labels", "the folder of a run, or --edges and --labels"});
  succeed({"data", "convert", path("bare.npy"), path("y.tsv"), "--metadata", "labels", "--edges",
           path("edges.csv"), "--features", path("features.csv"), "--labels", path("labels.csv")});
  EXPECT_EQ(read_text(dir_ / "y.metadata.tsv"), metadata);
  refuse({"data", "convert", path("run"), path("x.csv"), "--metadata", "labels"}, {".tsv"});
  refuse({"data", "convert", path("run"), path("x.tsv"), "--metadata", "colours"},
         {"--metadata", "labels or names"});
  refuse({"data", "convert", "synthetic:cora@0.1", path("x.tsv"), "--metadata", "names"},
         {"--metadata", "the folder of a run"});
}

TEST_F(RunFolder, NamesThatDoNotFitTheRowsAreRefused) {
  succeed(train("run"));
  dir_.write("run/nodes.tsv", "n0\nn1\n");
  refuse({"data", "convert", path("run"), path("x.tsv")},
         {"run/nodes.tsv", "2 lines", "30, the rows of " + path("run/embedding.npy")});
  EXPECT_FALSE(fs::exists(dir_ / "x.tsv"));
  // A graph without names takes away those of another that the file was of.
  dir_.write("e.npy", "old");
  dir_.write("e.npy.nodes.tsv", "old\n");
  succeed(joined({"train", "--dataset", "synthetic:cora@0.1", "--out", path("plain")}, quick));
  succeed({"embed", "--checkpoint", path("plain/checkpoint.pt"), "--out", path("e.npy")});
  EXPECT_FALSE(fs::exists(dir_ / "e.npy.nodes.tsv"));
}

TEST_F(RunFolder, TellsTheDatasetOfTheFileInIt) {
  succeed(train("run", {"--final-norm"}));
  for (const Words& judge :
       {Words{"eval", "classify"}, Words{"eval", "cluster", "--k", "2"}, Words{"calibrate"}}) {
    json of_folder = run_json(joined(judge, {path("run")}));
    json of_file = run_json(joined(judge, {path("run/embedding.npy")}));
    EXPECT_EQ(of_file, of_folder) << judge.back();
  }
  succeed(joined(
      {"train", "--dataset", "synthetic:cora@0.1", "--edge-split", "0", "--out", path("links")},
      quick));
  const Words predictor = {"--predictor-epochs", "2"};
  EXPECT_EQ(run_json(joined({"eval", "link", path("links/embedding.npy"), "--edge-split",
                             path("links/edge-split.json")},
                            predictor))["metrics"],
            run_json(joined({"eval", "link", path("links")}, predictor))["metrics"]);
}

TEST_F(RunFolder, IsAskedForWhereNoDatasetIsKnown) {
  succeed(train("run"));
  fs::copy(dir_ / "run/embedding.npy", dir_ / "bare.npy");
  fs::copy(dir_ / "run/checkpoint.pt", dir_ / "bare.pt");
  dir_.write("recipe.toml", "source = \"made up\"\nmethod = \"lc\"\n");
  for (const Words& words :
       {Words{"eval", "classify", path("bare.npy")}, Words{"eval", "cluster", path("bare.npy")},
        Words{"calibrate", path("bare.npy")}, Words{"eval", "link"},
        Words{"eval", "link", "--recipe", path("recipe.toml")},
        Words{"eval", "link", path("bare.npy"), "--edge-split", path("labels.csv")},
        Words{"embed", "--checkpoint", path("bare.pt"), "--out", path("e.npy")},
        Words{"finetune", "--checkpoint", path("bare.pt")}, Words{"data", "info"},
        Words{"data", "split", "--out", path("split.json")},
        Words{"data", "convert", "--out", path("graph.creg")}}) {
    refuse(words, {"no dataset was named", "--dataset", "--edges"});
  }
}

TEST_F(RunFolder, OfTrainingWithoutADatasetSaysWhatItIsOf) {
  const RunResult bare = run_creg(
      {"train", "--dim", "4", "--epochs", "1", "--out", path("run"), "--eval-splits", "1"});
  EXPECT_EQ(bare.status, 0) << bare.err;
  for (const char* part : {"no dataset was named", "synthetic:citation", "--edges edges.csv"}) {
    EXPECT_NE(bare.err.find(part), std::string::npos) << part << " is not in " << bare.err;
  }
  const RunResult named = succeed(train("own"));
  EXPECT_EQ(named.err.find("synthetic:citation"), std::string::npos) << named.err;
}

}  // namespace
}  // namespace creg::run_folder_test
