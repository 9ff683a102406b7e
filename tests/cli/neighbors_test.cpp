#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/run_creg.h"
#include "io/npy.h"
#include "support/temp_dir.h"

namespace creg::neighbors_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::joined;
using test::run_creg;
using test::RunResult;
using Words = std::vector<std::string>;

/// Five nodes on a line, whose embedding is a circle: a, b, c … are a right angle and less apart.
class Neighbors : public ::testing::Test {
 protected:
  Neighbors() {
    dir_.write("edges.csv", "source,target\nann,bob\nbob,cy\ncy,dan\ndan,eve\n");
    dir_.write("features.csv", "id,x\nann,1\nbob,2\ncy,3\ndan,4\neve,5\n");
    dataset_ = dir_.write("line.toml",
                          "edges = \"edges.csv\"\nfeatures = \"features.csv\"\nname = \"line\"\n")
                   .string();
    std::vector<float> values = {10, 0, 9, 1, 8, 4, 4, 8, 0, 1};
    embedding_ = path("e.npy");
    write_npy(embedding_, DenseMatrix{.rows = 5, .cols = 2, .values = std::move(values)});
  }

  std::string path(const std::string& name) const { return (dir_ / name).string(); }

  static RunResult succeed(const Words& words) {
    RunResult result = run_creg(joined({"neighbors"}, words));
    EXPECT_EQ(result.status, 0) << result.err;
    return result;
  }
  static json run_json(const Words& words) {
    return json::parse(succeed(joined(words, {"--json"})).out, nullptr, false);
  }
  static void refuse(const Words& words, const Words& parts) {
    const RunResult result = run_creg(joined({"neighbors"}, words));
    EXPECT_EQ(result.status, 2) << result.out;
    EXPECT_EQ(result.out, "");
    for (const std::string& part : parts) {
      EXPECT_NE(result.err.find(part), std::string::npos) << part << " is not in " << result.err;
    }
  }
  static Words names(const json& of) {
    Words out;
    for (const json& one : of["neighbours"]) out.push_back(one["node"]);
    return out;
  }

  test::TempDir dir_;
  std::string dataset_;
  std::string embedding_;
};

TEST_F(Neighbors, AreNamedScoredAndMarked) {
  const json found = run_json({embedding_, "cy", "ann", "--dataset", dataset_, "-k", "3"});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0]["node"], "cy");
  EXPECT_EQ(names(found[0]), (Words{"bob", "ann", "dan"}));
  EXPECT_NEAR(found[0]["neighbours"][1]["score"].get<double>(), 8 / std::sqrt(80.0), 1e-6);
  EXPECT_EQ(found[0]["neighbours"][0]["edge"], true);
  EXPECT_EQ(found[0]["neighbours"][1]["edge"], false);
  EXPECT_EQ(found[1]["node"], "ann");
  EXPECT_EQ(names(found[1]), (Words{"bob", "cy", "dan"}));
}

TEST_F(Neighbors, MayLeaveOutThoseOfTheGraphAndGoByTheProduct) {
  const json others = run_json(
      {embedding_, "cy", "--dataset", dataset_, "-k", "2", "--graph-neighbours", "exclude"});
  EXPECT_EQ(names(others[0]), (Words{"ann", "eve"}));
  const json products =
      run_json({embedding_, "cy", "--dataset", dataset_, "-k", "2", "--similarity", "dot"});
  EXPECT_EQ(names(products[0]), (Words{"ann", "bob"}));
  EXPECT_EQ(products[0]["neighbours"][0]["score"], 80);
}

TEST_F(Neighbors, OfABareFileGoByRowNumbersOrTheNamesBesideIt) {
  const json bare = run_json({embedding_, "2", "-k", "1"});
  EXPECT_EQ(bare[0]["node"], "2");
  EXPECT_EQ(names(bare[0]), Words{"1"});
  EXPECT_TRUE(bare[0]["neighbours"][0]["edge"].is_null());
  dir_.write("e.npy.nodes.tsv", "p\nq\nr\ns\nt\n");
  EXPECT_EQ(names(run_json({embedding_, "r", "-k", "1"})[0]), Words{"q"});
}

TEST_F(Neighbors, KnowTheDatasetOfARun) {
  const RunResult trained =
      run_creg({"train", "--dataset", dataset_, "--method", "ml", "--dim", "4", "--epochs", "2",
                "--threads", "1", "--out", path("run")});
  ASSERT_EQ(trained.status, 0) << trained.err;
  const json found = run_json({path("run"), "dan", "-k", "4"});
  ASSERT_EQ(found[0]["neighbours"].size(), 4U);
  for (const json& one : found[0]["neighbours"]) {
    EXPECT_EQ(one["edge"], one["node"] == "cy" || one["node"] == "eve") << one;
  }
  fs::create_directory(dir_ / "seeds");
  fs::rename(dir_ / "run", dir_ / "seeds/seed-0");
  fs::copy(dir_ / "seeds/seed-0", dir_ / "seeds/seed-1");
  refuse({path("seeds"), "dan"}, {"per seed", "seeds/seed-0"});
}

TEST_F(Neighbors, TakeNamesFromAFileOrStandardInput) {
  dir_.write("some.txt", "eve\n\nann\r\n");
  const json found =
      run_json({embedding_, "bob", "--nodes", path("some.txt"), "--dataset", dataset_, "-k", "1"});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0]["node"], "bob");
  EXPECT_EQ(found[1]["node"], "eve");
  EXPECT_EQ(found[2]["node"], "ann");
}

TEST_F(Neighbors, OfAllNodesGoToAFile) {
  const json found =
      run_json({embedding_, "--all", "--dataset", dataset_, "-k", "2", "--out", path("nn.tsv")});
  EXPECT_EQ(found["nodes"], 5);
  EXPECT_EQ(found["graph"], "line");
  EXPECT_EQ(found["approximate"], false);
  EXPECT_TRUE(found["recall"].is_null());
  std::istringstream lines(test::read_text(path("nn.tsv")));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "node\trank\tneighbour\tscore\tedge");
  std::getline(lines, line);
  EXPECT_EQ(line.substr(0, 10), "ann\t1\tbob\t");
  EXPECT_EQ(line.substr(line.size() - 2), "\t1");
  std::getline(lines, line);
  EXPECT_EQ(line.substr(0, 9), "ann\t2\tcy\t");
  EXPECT_EQ(line.substr(line.size() - 2), "\t0");
  int more = 0;
  while (std::getline(lines, line)) ++more;
  EXPECT_EQ(more, 8);
}

TEST_F(Neighbors, AFileOfSomeNodesHasTheSameRows) {
  const Words by = {"-k", "2", "--similarity", "dot"};
  succeed(joined({embedding_, "--all", "--out", path("all.csv")}, by));
  succeed(joined({embedding_, "0", "1", "2", "3", "4", "--out", path("some.csv")}, by));
  EXPECT_EQ(test::read_text(path("some.csv")), test::read_text(path("all.csv")));
}

TEST_F(Neighbors, WhatIsWrongIsRefused) {
  refuse({embedding_, "bbo", "--dataset", dataset_}, {"unknown node", "bbo", "did you mean 'bob'"});
  refuse({embedding_, "7"}, {"unknown node", "0 to 4"});
  refuse({embedding_}, {"no node is named", "--nodes FILE", "--all"});
  refuse({embedding_, "--all"}, {"--out"});
  refuse({embedding_, "1", "--all", "--out", path("x.tsv")}, {"--all"});
  refuse({embedding_, "1", "-k", "5"}, {"k, the number of neighbours", "1 to 4"});
  refuse({embedding_, "1", "-k", "0"}, {"1 to 4"});
  refuse({embedding_, "1", "--similarity", "angle"}, {"--similarity", "cosine or dot"});
  refuse({embedding_, "1", "--graph-neighbours", "exclude"}, {"where there is a graph"});
  refuse({embedding_, "1", "--approximate"}, {"--approximate", "--all"});
  refuse({embedding_, "--all", "--exact", "--approximate", "--out", path("x.tsv")}, {"opposites"});
  refuse({embedding_, "--all", "--out", path("x.npz")}, {"x.npz", ".tsv or .csv"});
  refuse({path("edges.csv"), "1"}, {"not an .npy file", "edges.csv"});
  EXPECT_FALSE(fs::exists(dir_ / "x.tsv"));
}

/// Whoever types names into it can still end it.
TEST_F(Neighbors, CtrlCEndsTheWaitForStandardInput) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  test::RunOptions options;
  options.before = [&] { ::dup2(ends[0], STDIN_FILENO); };
  options.seconds = 60;
  options.while_running = [&](int pid, const std::string& /*err*/) {
    // Once it reads from the pipe, as /proc shows: the number of the call, then the descriptor.
    const std::string call = "/proc/" + std::to_string(pid) + "/syscall";
    std::string now;
    for (int i = 0; i < 2000 && !now.starts_with("0 0x0 "); ++i) {
      ::usleep(2000);
      std::ifstream in(call);
      if (!std::getline(in, now)) break;
    }
    ::kill(pid, SIGINT);
  };
  const RunResult result = run_creg({"neighbors", embedding_, "--nodes", "-"}, options);
  ::close(ends[0]);
  ::close(ends[1]);
  EXPECT_EQ(result.status, 130) << result.err;
}

}  // namespace
}  // namespace creg::neighbors_test
