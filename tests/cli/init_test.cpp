#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/run_creg.h"
#include "support/temp_dir.h"

namespace creg::init_test {
namespace {

using nlohmann::json;
using test::read_text;
using test::run_creg;
using test::RunResult;
using test::TempDir;
using Words = std::vector<std::string>;

class Init : public testing::Test {
 protected:
  void SetUp() override {
    dir_.write("cites.csv", "source,target\n0,1\n1,2\n2,0\n2,1\n3,4\n");
    dir_.write("classes.csv", "id,class\n0,a\n1,b\n2,a\n3,b\n4,a\n");
    dir_.write("notes.txt", "mine\n");
  }

  /// In the folder of the files.
  RunResult run(Words words) const {
    words.insert(words.begin(), "init");
    return run_creg(words, {.before = [this] { std::filesystem::current_path(dir_.path()); }});
  }
  void refused(const Words& words, const Words& parts) const {
    const RunResult result = run(words);
    EXPECT_EQ(result.status, 2) << result.out;
    for (const std::string& part : parts) {
      EXPECT_NE(result.err.find(part), std::string::npos) << part << " in " << result.err;
    }
    EXPECT_FALSE(std::filesystem::exists(dir_ / "graph.toml"));
  }

  TempDir dir_;
};

TEST_F(Init, FindsTheFilesOfAFolderAndSaysWhatItSaw) {
  const RunResult result = run({});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("graph.toml: 5 nodes, 4 edges, no features, 2 classes"),
            std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("creg train --dataset graph.toml"), std::string::npos);
  const std::string toml = read_text(dir_ / "graph.toml");
  EXPECT_NE(toml.find("1 of 4 pairs are linked both ways"), std::string::npos) << toml;
  const RunResult info = run_creg({"data", "info", (dir_ / "graph.toml").string(), "--json"});
  ASSERT_EQ(info.status, 0) << info.err;
  EXPECT_EQ(json::parse(info.out)["nodes"], 5);
  EXPECT_EQ(json::parse(info.out)["classes"], 2);
}

TEST_F(Init, AsJsonEachFileHasItsRole) {
  const RunResult result = run({dir_.path().string(), "--out", "sub.toml", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const json found = json::parse(result.out);
  EXPECT_EQ(found["files"][0]["role"], "edges");
  EXPECT_EQ(found["files"][1]["role"], "labels");
  EXPECT_TRUE(found["files"][2]["role"].is_null());
  EXPECT_EQ(found["edges"], 4);
  EXPECT_TRUE(found["features"].is_null());
}

TEST_F(Init, AFileThatIsThereIsNeverReplaced) {
  dir_.write("mine.toml", "mine");
  refused({"--out", "mine.toml"}, {"mine.toml", "not replaced"});
  EXPECT_EQ(read_text(dir_ / "mine.toml"), "mine");
}

TEST_F(Init, WhatCannotBeToldIsAskedFor) {
  dir_.write("friends.csv", "0,1\n");
  refused({}, {"two files may be the edges", "cites.csv and friends.csv", "--edges FILE"});
  EXPECT_EQ(run({"--edges", "friends.csv", "--out", "one.toml"}).status, 0);
  EXPECT_EQ(run({"cites.csv", "classes.csv", "--out", "two.toml"}).status, 0);
  refused({"notes.txt"}, {"no file of edges", "notes.txt: unknown (1 column)", "--edges FILE"});
  refused({"missing.csv"}, {"missing.csv"});
}

TEST_F(Init, FilesThatDoNotGoTogetherAreToldBeforeAnythingIsWritten) {
  dir_.write("negative.csv", "0,1\n-1,2\n");
  refused({"--edges", "negative.csv"}, {"negative.csv", "line 2"});
  dir_.write("features.csv", "0,1,2,3\n1,1,2,3\n");
  refused({"cites.csv", "features.csv"}, {"cites.csv"});
}

TEST_F(Init, AGraphNeedsNoDescription) {
  const std::string graph = (dir_ / "ready.creg").string();
  ASSERT_EQ(run_creg({"data", "convert", (dir_ / "cites.csv").string(), graph}).status, 0);
  refused({"ready.creg"}, {"a graph already", "creg train --dataset ready.creg"});
}

}  // namespace
}  // namespace creg::init_test
