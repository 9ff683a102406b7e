#include "run/claimed_folder.h"

#include <gtest/gtest.h>

#include "creg/creg.h"
#include "io/file.h"
#include "run/folder_contents.h"
#include "support/attributed_graph.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace creg::claimed_folder_test {
namespace {

namespace fs = std::filesystem;
using test::expect_error;
using test::TempDir;
using Names = std::vector<std::string>;

std::string record(const std::string& more = "") {
  return "# A run of creg train; `creg train --resume` reads it.\n"
         "dataset = \"cora\"\nrecipe = \"none\"\nseed = 3\n" +
         more + "threads = 1\nmethod = \"lc\"\nepochs = 300\n";
}

void claim(const fs::path& directory, Claim how) {
  const ClaimedFolder folder(Context(), directory, how);
}

/// All paths below, sorted.
Names everything(const fs::path& directory) {
  Names names;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    names.push_back(entry.path().lexically_relative(directory).string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

TEST(ClaimedFolder, IsMadeAndLockedWhileItIsHeld) {
  const TempDir dir;
  {
    const ClaimedFolder folder(Context(), dir / "deep/run", Claim::fresh);
    expect_error([&] { claim(dir / "deep/run", Claim::fresh); },
                 {"deep/run", "another process is writing there"}, ErrorKind::environment);
    expect_error([&] { claim(dir / "deep/run", Claim::overwrite); }, {"another process"},
                 ErrorKind::environment);
  }
  EXPECT_TRUE(everything(dir / "deep/run").empty());
  claim(dir / "deep/run", Claim::fresh);
}

TEST(ClaimedFolder, SeedsOfOneRunAreWrittenTogetherButNotBesideTheWhole) {
  const TempDir dir;
  dir.write("run/config.toml", record("seeds = 2\n"));
  dir.write("run/seed-0/config.toml", record());
  dir.write("run/seed-1/config.toml", record());
  {
    const ClaimedFolder one(Context(), dir / "run/seed-0", Claim::resume);
    const ClaimedFolder other(Context(), dir / "run/seed-1/", Claim::resume);
    expect_error([&] { claim(dir / "run", Claim::overwrite); }, {"another process"},
                 ErrorKind::environment);
  }
  const ClaimedFolder whole(Context(), dir / "run", Claim::resume);
  expect_error([&] { claim(dir / "run/seed-0", Claim::resume); }, {"another process"},
               ErrorKind::environment);
}

TEST(ClaimedFolder, WithARunSaysWhatItHoldsAndHowToGoOn) {
  const TempDir dir;
  dir.write("one/config.toml", record());
  dir.write("one/metrics.jsonl", "{}\n{}\n{");
  const auto refused = [&](const std::string& name, const std::string& holds) {
    const Names before = everything(dir / name);
    expect_error([&] { claim(dir / name, Claim::fresh); },
                 {name, holds, "--overwrite", "--out", "creg train --resume"});
    EXPECT_EQ(everything(dir / name), before);
  };
  refused("one", "lc on cora, seed 3, 2 of 300 epochs done");
  dir.write("one/result.json", "{}");
  refused("one", "lc on cora, seed 3, finished");
  dir.write("many/config.toml", record("seeds = 10\n"));
  dir.write("many/seed-0/config.toml", record());
  dir.write("many/seed-0/result.json", "{}");
  refused("many", "lc on cora, seeds 0 to 9, 1 of 10 seeds finished");
  dir.write("damaged/config.toml", record() + "= 3\n");
  refused("damaged", "cannot be read");
  for (const char* name : {"one", "many", "damaged"}) claim(dir / name, Claim::resume);
}

TEST(ClaimedFolder, OverwritingRemovesWhatRunsWroteAndNothingElse) {
  const TempDir dir;
  dir.write("run/config.toml", record("seeds = 2\n"));
  for (const char* output :
       {"result.json", "finetune.json", "parts.json", "edge-split.json", "events.out.tfevents",
        "calibration.jsonl", "nodes.tsv", "embedding.npy", "checkpoint.pt"}) {
    dir.write(std::string("run/") + output, "x");
  }
  dir.write("run/dataset.toml", "# The files of a run of creg train.\nedges = \"a\"\n");
  dir.write("run/notes.txt", "mine");
  dir.write("run/figures/loss.svg", "mine");
  dir.write("run/seed-0/config.toml", record());
  dir.write("run/seed-0/embedding.npy", "x");
  dir.write("run/seed-0/.creg-lock", "1 killed\n");
  dir.write("run/seed-5/config.toml", record());
  dir.write("run/seed-5/metrics.jsonl.part-7-0", "x");
  dir.write("run/seed-5/notes.txt", "mine");
  claim(dir / "run", Claim::overwrite);
  EXPECT_EQ(everything(dir / "run"),
            (Names{"figures", "figures/loss.svg", "notes.txt", "seed-5", "seed-5/notes.txt"}));
}

TEST(ClaimedFolder, OverwritingTakesARunApartSoThatTheRestIsKnown) {
  const TempDir dir;
  dir.write("run/config.toml", record("seeds = 1\n"));
  dir.write("run/result.json", "{}");
  dir.write("run/seed-0/config.toml", record());
  dir.write("run/seed-0/embedding.npy", "x");
  // Whenever it is stopped, the next one can still tell whose the rest is.
  std::vector<fs::path> outputs = look_into(dir / "run").outputs;
  ASSERT_EQ(outputs.size(), 4U);
  for (const fs::path& output : outputs) {
    EXPECT_TRUE(look_into(dir / "run").foreign.empty()) << output;
    EXPECT_TRUE(look_into(dir / "run").others.empty()) << output;
    fs::remove(output);
  }
  EXPECT_TRUE(look_into(dir / "run").free());
}

TEST(ClaimedFolder, ForeignFilesAreRefusedBeforeAnythingIsWritten) {
  const TempDir dir;
  for (const char* name : {"dataset.toml", "embedding.npy", "config.toml", "link.json",
                           "thesis.tex", "seed-0/config.toml"}) {
    const TempDir own;
    own.write(std::string("run/") + name,
              name == std::string("seed-0/config.toml") ? record() : "");
    const Names before = everything(own / "run");
    for (const Claim how : {Claim::fresh, Claim::overwrite, Claim::extend}) {
      expect_error([&] { claim(own / "run", how); },
                   {"something that is no run", fs::path(name).begin()->string()});
    }
    EXPECT_EQ(everything(own / "run"), before);
  }
  // Also beside a run: a user's dataset.toml is not what the run wrote.
  dir.write("run/config.toml", record());
  dir.write("run/embedding.npy", "x");
  dir.write("run/dataset.toml", "edges = \"mine.csv\"\n");
  expect_error([&] { claim(dir / "run", Claim::overwrite); },
               {"run/dataset.toml", "no run wrote this"});
  EXPECT_EQ(everything(dir / "run"), (Names{"config.toml", "dataset.toml", "embedding.npy"}));
  claim(dir / "run", Claim::resume);
  EXPECT_EQ(test::read_text(dir / "run/dataset.toml"), "edges = \"mine.csv\"\n");
}

TEST(ClaimedFolder, LinksToFoldersAreNotFollowed) {
  const TempDir dir;
  dir.write("elsewhere/config.toml", record());
  dir.write("elsewhere/embedding.npy", "x");
  dir.write("run/config.toml", record("seeds = 1\n"));
  fs::create_directory_symlink(dir / "elsewhere", dir / "run/seed-0");
  expect_error([&] { claim(dir / "run", Claim::overwrite); }, {"run/seed-0", "no run wrote this"});
  EXPECT_EQ(everything(dir / "elsewhere"), (Names{"config.toml", "embedding.npy"}));
  claim(dir / "run", Claim::resume);
}

TEST(ClaimedFolder, LeftoversOfKilledProcessesNeitherBlockNorStay) {
  const TempDir dir;
  dir.write("run/.creg-lock", "12 somewhere\n");
  dir.write("run/config.toml.part-12-0", "half");
  dir.write("run/dataset.toml", "# The files of a run of creg train.\nedges = \"a\"\n");
  fs::create_directory(dir / "run/seed-0");
  claim(dir / "run", Claim::fresh);
  EXPECT_EQ(everything(dir / "run"), Names{"seed-0"});
  // Only those of outputs: the rest may be anybody's.
  dir.write("run/thesis.tex.part-12-0", "mine");
  expect_error([&] { claim(dir / "run", Claim::fresh); }, {"thesis.tex.part-12-0"});
  dir.write("run/config.toml", record());
  dir.write("run/seed-0/checkpoint.pt.part-1-2", "half");
  claim(dir / "run", Claim::resume);
  EXPECT_EQ(everything(dir / "run"), (Names{"config.toml", "seed-0", "thesis.tex.part-12-0"}));
}

TEST(ClaimedFolder, OfLinkPredictionIsExtendedOrOverwritten) {
  const TempDir dir;
  dir.write("links/link.json", "{}");
  dir.write("links/notes.txt", "mine");
  dir.write("links/split-0/config.toml", record("seeds = 1\n"));
  dir.write("links/split-0/seed-0/config.toml", record());
  claim(dir / "links", Claim::extend);
  expect_error([&] { claim(dir / "links", Claim::fresh); },
               {"runs of creg eval link", "1 edge split", "lc on cora", "--overwrite"});
  claim(dir / "links", Claim::overwrite);
  EXPECT_EQ(everything(dir / "links"), Names{"notes.txt"});
  dir.write("run/config.toml", record());
  expect_error([&] { claim(dir / "run", Claim::extend); }, {"holds a run already"});
}

TEST(ClaimedFolder, OfTheLibraryIsRefusedUnlessTheSpecSaysOverwrite) {
  const TempDir dir;
  const Context context({.threads = 1});
  const Data data = load(context, test::two_groups());
  RunSpec spec{.settings = {{"dim", "4"}, {"epochs", "2"}}, .out = dir / "run"};
  const RunResult first = train(context, data, spec);
  expect_error([&] { train(context, data, spec); }, {"holds a run already", "finished"});
  expect_error([&] { save(first, dir / "run"); }, {"holds a run already"});
  spec.overwrite = true;
  spec.seeds = 1;
  const RunResult second = train(context, data, spec);
  EXPECT_FALSE(is_there(dir / "run/embedding.npy"));
  EXPECT_TRUE(is_there(dir / "run/seed-0/embedding.npy"));
  save(second, dir / "run");
  EXPECT_TRUE(is_there(dir / "run/seed-0/embedding.npy"));
}

}  // namespace
}  // namespace creg::claimed_folder_test
