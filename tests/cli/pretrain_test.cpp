#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/run_creg.h"
#include "support/temp_dir.h"

namespace creg::pretrain_test {
namespace {

using nlohmann::json;
using test::run_creg;
using test::RunOptions;
using test::RunResult;
using test::TempDir;
using Words = std::vector<std::string>;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

RunResult run(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return run_creg(words);
}

TEST(Batches, TrainAndTheCheckpointEmbedsTheSame) {
  const TempDir dir;
  const Words small = {"--dataset", "synthetic:arxiv@0.01", "--dim", "16",       "--threads",
                       "2",         "--batch-size",         "200",   "--epochs", "2"};
  const RunResult whole = run({"train", "--out", (dir / "whole").string(), "--json"}, small);
  ASSERT_EQ(whole.status, 0) << whole.err;
  EXPECT_TRUE(contains(whole.err, "in batches: encoder sage, layers 3")) << whole.err;
  const json result = json::parse(whole.out);
  EXPECT_EQ(result["config"]["batch_size"], 200);
  EXPECT_EQ(result["config"]["fanouts"], "10,10,25");
  EXPECT_EQ(result["epochs_run"], 2);
  // The embedding from the checkpoint is the same.
  const RunResult embedded =
      run_creg({"embed", "--checkpoint", (dir / "whole/checkpoint.pt").string(), "--dataset",
                "synthetic:arxiv@0.01", "--out", (dir / "again.npy").string(), "--threads", "2"});
  ASSERT_EQ(embedded.status, 0) << embedded.err;
  EXPECT_EQ(test::read_text(dir / "again.npy"), test::read_text(dir / "whole/embedding.npy"));
}

TEST(Batches, WhatDoesNotFitIsWrongUsage) {
  const TempDir dir;
  const Words words = {"train", "--dataset", "synthetic:cora@0.1", "--out", (dir / "r").string()};
  const auto refused = [&](const Words& more, const std::string& part) {
    const RunResult result = run(words, more);
    EXPECT_EQ(result.status, 2) << result.err;
    EXPECT_TRUE(contains(result.err, part)) << result.err;
  };
  refused({"--batch-size", "100000"}, "271");  // the graph's nodes
  refused({"--batch-size", "10", "--fanouts", "5", "--layers", "2"}, "one fanout per layer");
  refused({"--batch-size", "10", "--encoder", "gat", "--layers", "3"}, "--encoder sage");
  refused({"--batch-size", "10", "--method", "gcn-neg"}, "whole graph");
}

/// Pretrained once for all tests of the suite.
class Pretrained : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir_ = std::make_unique<TempDir>();
    const RunResult result =
        run_creg({"pretrain", "--dataset", "synthetic:cora@0.3", "--dim", "16", "--epochs", "3",
                  "--seeds", "2", "--threads", "2", "--out", folder()});
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_TRUE(contains(result.out, "next: creg finetune " + folder())) << result.out;
  }
  static void TearDownTestSuite() { dir_.reset(); }
  static std::string folder() { return (*dir_ / "p").string(); }

  static std::unique_ptr<TempDir> dir_;
};
std::unique_ptr<TempDir> Pretrained::dir_;

TEST_F(Pretrained, IsFinetunedBesideAFreshEncoder) {
  const RunResult result =
      run_creg({"finetune", folder(), "--epochs", "30", "--threads", "2", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report["task"], "finetune");
  EXPECT_EQ(report["parts"]["pretrain"], 568);  // of 812 nodes
  EXPECT_EQ(report["parts"]["train"], 81);
  EXPECT_EQ(report["parts"]["test"], 82);
  EXPECT_EQ(report["metrics"]["accuracy"]["values"].size(), 2);
  EXPECT_EQ(report["metrics"]["accuracy_no_pretraining"]["values"].size(), 2);
  EXPECT_NEAR(report["metrics"]["gain"]["mean"].get<double>(),
              report["metrics"]["accuracy"]["mean"].get<double>() -
                  report["metrics"]["accuracy_no_pretraining"]["mean"].get<double>(),
              1e-12);
  EXPECT_EQ(report["config"]["encoder"], "sage");
  EXPECT_EQ(test::read_text(*dir_ / "p/finetune.json"), result.out);
}

TEST_F(Pretrained, ACheckpointFitsAnyGraphOfItsWidthAndNoOther) {
  const std::string checkpoint = (*dir_ / "p/seed-1/checkpoint.pt").string();
  const RunResult other =
      run_creg({"finetune", "--checkpoint", checkpoint, "--dataset", "synthetic:cora@0.2",
                "--epochs", "2", "--no-baseline", "--pretrain-share", "0.5", "--json"});
  ASSERT_EQ(other.status, 0) << other.err;
  const json report = json::parse(other.out);
  EXPECT_EQ(report["parts"]["pretrain"], 271);  // of 542 nodes
  EXPECT_TRUE(report["metrics"]["accuracy_no_pretraining"].is_null());
  const RunResult refused =
      run_creg({"finetune", "--checkpoint", checkpoint, "--dataset", "synthetic:pubmed@0.02"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(contains(refused.err, "500 features")) << refused.err;
  EXPECT_TRUE(contains(refused.err, "1433")) << refused.err;
}

TEST_F(Pretrained, WrongUsageIsExplained) {
  const auto refused = [](const Words& words, const std::string& part) {
    const RunResult result = run_creg(words);
    EXPECT_EQ(result.status, 2) << result.err;
    EXPECT_TRUE(contains(result.err, part)) << result.err;
  };
  refused({"finetune"}, "the folder of creg pretrain");
  refused({"pretrain", "--dataset", "synthetic:cora@0.1", "--parts", "halves", "--out",
           (*dir_ / "q").string()},
          "stored-train");
  refused({"pretrain", "--dataset", "synthetic:cora@0.1", "--pretrain-share", "1.5", "--out",
           (*dir_ / "q").string()},
          "less than 1");
  const RunResult plain = run_creg({"train", "--dataset", "synthetic:cora@0.1", "--epochs", "1",
                                    "--dim", "8", "--out", (*dir_ / "plain").string()});
  ASSERT_EQ(plain.status, 0) << plain.err;
  refused({"finetune", (*dir_ / "plain").string()}, "not pretrained on a part");
}

/// A finished run goes on with nothing, on the same part.
TEST_F(Pretrained, GoesOnOnItsPart) {
  const std::string before = test::read_text(*dir_ / "p/seed-0/embedding.npy");
  const RunResult result = run_creg({"pretrain", "--resume", folder(), "--threads", "2"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(test::read_text(*dir_ / "p/seed-0/embedding.npy"), before);
}

/// Killed when its record was written and the parts were not: all else is gone.
TEST_F(Pretrained, GoesOnWithoutKeptParts) {
  const auto files = [](const std::filesystem::path& folder) {
    return std::vector<std::string>{test::read_text(folder / "parts.json"),
                                    test::read_text(folder / "seed-0/embedding.npy"),
                                    test::read_text(folder / "seed-1/embedding.npy")};
  };
  const auto expect_again = [&](const std::string& name) {
    const std::filesystem::path folder = *dir_ / name;
    const std::vector<std::string> before = files(folder);
    std::filesystem::remove(folder / "parts.json");
    std::filesystem::remove_all(folder / "seed-0");
    std::filesystem::remove_all(folder / "seed-1");
    std::filesystem::remove(folder / "result.json");
    const RunResult result = run_creg({"pretrain", "--resume", folder.string(), "--threads", "2"});
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(files(folder), before) << name;
  };
  expect_again("p");
  const Words quick = {"--dataset", "synthetic:cora@0.1", "--dim", "4", "--epochs", "1", "--seeds",
                       "2",         "--threads",          "2"};
  const RunResult third = run({"pretrain", "--pretrain-share", "0.3", "--out"},
                              test::joined({(*dir_ / "third").string()}, quick));
  ASSERT_EQ(third.status, 0) << third.err;
  expect_again("third");
  // Parts of a file are those of the file, wherever the resumed run is started.
  std::filesystem::copy(*dir_ / "third/parts.json", *dir_ / "split.json");
  RunOptions here;
  here.before = [] {
    if (chdir(dir_->path().c_str()) != 0) _exit(97);
  };
  const RunResult of_file =
      run_creg(test::joined({"pretrain", "--parts", "split.json", "--out", "file"}, quick), here);
  ASSERT_EQ(of_file.status, 0) << of_file.err;
  EXPECT_EQ(files(*dir_ / "file"), files(*dir_ / "third"));
  expect_again("file");
}

/// A record that does not say how the parts were chosen: only the kept ones will do.
TEST_F(Pretrained, WithoutPartsAndHowTheyWereChosenIsRefused) {
  std::string record = test::read_text(*dir_ / "p/config.toml");
  const std::size_t begin = record.find("parts = ");
  ASSERT_NE(begin, std::string::npos);
  record.erase(begin, record.find("\n", record.find("pretrain_share = ")) + 1 - begin);
  dir_->write("old/config.toml", record);
  const RunResult result = run_creg({"pretrain", "--resume", (*dir_ / "old").string()});
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(contains(result.err, "parts.json")) << result.err;
}

}  // namespace
}  // namespace creg::pretrain_test
