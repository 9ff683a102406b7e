// Several processes as one run: what comes of them, and what happens when one of them is lost.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <nlohmann/json.hpp>

#include "cli/batch_training.h"
#include "cli/run_creg.h"
#include "support/temp_dir.h"

namespace creg::distributed_test {

using test::batch_training;
using test::joined;
using test::RunResult;
using test::TempDir;
using Words = std::vector<std::string>;
namespace fs = std::filesystem;

int free_port() {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(::bind(descriptor, plain, length), 0);
  EXPECT_EQ(::getsockname(descriptor, plain, &length), 0);
  ::close(descriptor);
  return ntohs(address.sin_port);
}

/// What happens to one of the ranks: once `file` is there it gets the signal.
struct Strike {
  int rank = -1;
  int signal = 0;
  fs::path file;
};

/// Runs the command as each of `size` ranks, as torchrun would; `more` are words of one rank alone.
std::vector<RunResult> run_ranks(int size, const Words& words, const Strike& strike = {},
                                 const std::vector<Words>& more = {}) {
  const std::string port = std::to_string(free_port());
  std::vector<std::future<RunResult>> running;
  for (int rank = 0; rank < size; ++rank) {
    test::RunOptions options;
    options.environment = {"RANK=" + std::to_string(rank),
                           "WORLD_SIZE=" + std::to_string(size),
                           "LOCAL_RANK=" + std::to_string(rank),
                           "LOCAL_WORLD_SIZE=" + std::to_string(size),
                           "MASTER_ADDR=127.0.0.1",
                           "MASTER_PORT=" + port};
    options.seconds = 100;
    if (rank == strike.rank) {
      options.while_running = [strike](int pid, const std::string& /*err*/) {
        for (int i = 0; i < 900 && !fs::exists(strike.file); ++i) ::usleep(100000);
        ::kill(pid, strike.signal);
        if (strike.signal != SIGSTOP) return;
        // Longer than the others wait for it.
        ::usleep(11000000);
        ::kill(pid, SIGKILL);
      };
    }
    const Words own = more.empty() ? words : joined(words, more[static_cast<std::size_t>(rank)]);
    running.push_back(
        std::async(std::launch::async, [own, options] { return test::run_binary(own, options); }));
  }
  std::vector<RunResult> results;
  for (std::future<RunResult>& one : running) results.push_back(one.get());
  return results;
}

/// All that a run leaves but the times: the embedding and the settings as bytes.
struct Left {
  std::string embedding;
  std::string config;
  std::vector<nlohmann::json> metrics;

  bool operator==(const Left& other) const = default;
};

Left left_in(const fs::path& folder) {
  Left left{.embedding = test::read_text(folder / "embedding.npy"),
            .config = test::read_text(folder / "config.toml")};
  std::ifstream lines(folder / "metrics.jsonl");
  for (std::string line; std::getline(lines, line);) {
    left.metrics.push_back(nlohmann::json::parse(line));
    left.metrics.back().erase("seconds");
  }
  return left;
}

/// Of a build without Gloo there is one answer.
bool connects() {
  const RunResult info = test::run_creg({"info", "--json"});
  return nlohmann::json::parse(info.out).at("gloo").get<bool>();
}

#define CREG_REQUIRE_GLOO() \
  if (!connects()) GTEST_SKIP() << "this build connects no processes"

TEST(Distributed, BytesDoNotDependOnTheNumberOfRanks) {
  CREG_REQUIRE_GLOO();
  const TempDir dir;
  // 271 nodes are 9 batches: two updates of four, and one of one.
  const Words words = joined(batch_training(), {"--epochs", "3"});
  const RunResult plain = test::run_creg(joined(words, {"--out", (dir / "alone").string()}));
  ASSERT_EQ(plain.status, 0) << plain.err;
  const Left expected = left_in(dir / "alone");
  EXPECT_EQ(expected.metrics.size(), 3U);
  for (const int size : {1, 2, 3, 4}) {
    const fs::path out = dir / ("of" + std::to_string(size));
    const std::vector<RunResult> ranks =
        run_ranks(size, joined(words, {"--distributed", "--out", out.string()}));
    for (int rank = 0; rank < size; ++rank) {
      EXPECT_EQ(ranks[rank].status, 0) << ranks[rank].err;
      EXPECT_EQ(ranks[rank].err, "");
      EXPECT_EQ(ranks[rank].out.empty(), rank > 0);
    }
    EXPECT_TRUE(left_in(out) == expected) << size << " ranks";
  }
}

TEST(Distributed, AKilledRankIsNamedAndTheRunGoesOnWithOthers) {
  CREG_REQUIRE_GLOO();
  const TempDir dir;
  const Words words = joined(batch_training(), {"--epochs", "700"});
  ASSERT_EQ(test::run_creg(joined(words, {"--out", (dir / "alone").string()})).status, 0);
  const fs::path out = dir / "run";
  const std::vector<RunResult> ranks =
      run_ranks(3, joined(words, {"--distributed", "--out", out.string()}),
                {.rank = 1, .signal = SIGKILL, .file = out / "checkpoint.pt"});
  EXPECT_EQ(ranks[1].status, 128 + SIGKILL);
  for (const int rank : {0, 2}) {
    EXPECT_EQ(ranks[rank].status, 1);
    EXPECT_NE(ranks[rank].err.find("rank 1 ("), std::string::npos) << ranks[rank].err;
  }
  for (const RunResult& rank :
       run_ranks(2, {"train", "--resume", out.string(), "--distributed", "--quiet"})) {
    EXPECT_EQ(rank.status, 0) << rank.err;
  }
  EXPECT_TRUE(left_in(out) == left_in(dir / "alone"));
}

TEST(Distributed, AStoppedRankIsNamedAfterTheTimeout) {
  CREG_REQUIRE_GLOO();
  const TempDir dir;
  const fs::path out = dir / "run";
  const std::vector<RunResult> ranks =
      run_ranks(2,
                joined(batch_training(), {"--epochs", "1000000", "--distributed", "--dist-timeout",
                                          "8", "--out", out.string()}),
                {.rank = 1, .signal = SIGSTOP, .file = out / "checkpoint.pt"});
  EXPECT_EQ(ranks[0].status, 1);
  EXPECT_NE(ranks[0].err.find("rank 1 ("), std::string::npos) << ranks[0].err;
  EXPECT_NE(ranks[0].err.find("not been heard of for 8 s"), std::string::npos) << ranks[0].err;
}

TEST(Distributed, CtrlCOnOneRankStopsAllWithACheckpoint) {
  CREG_REQUIRE_GLOO();
  const TempDir dir;
  const fs::path out = dir / "run";
  const Words words = joined(batch_training(), {"--epochs", "1000000", "--out", out.string()});
  for (const RunResult& rank :
       run_ranks(2, joined(words, {"--distributed"}),
                 {.rank = 1, .signal = SIGINT, .file = out / "checkpoint.pt"})) {
    EXPECT_EQ(rank.status, 130) << rank.err;
    EXPECT_NE(rank.err.find("stopped"), std::string::npos) << rank.err;
  }
}

TEST(Distributed, SeveralSeedsGoOnOneAfterTheOther) {
  CREG_REQUIRE_GLOO();
  const TempDir dir;
  Words words = joined(batch_training(), {"--seeds", "2", "--epochs", "60"});
  // Two of them would be enough for both seeds at a time.
  *(std::find(words.begin(), words.end(), "--threads") + 1) = "2";
  const Words together = joined(words, {"--distributed", "--out"});
  for (const RunResult& rank : run_ranks(2, joined(together, {(dir / "whole").string()}))) {
    ASSERT_EQ(rank.status, 0) << rank.err;
  }
  const fs::path out = dir / "run";
  for (const RunResult& rank :
       run_ranks(2, joined(together, {out.string()}),
                 {.rank = 1, .signal = SIGINT, .file = out / "config.toml"})) {
    ASSERT_EQ(rank.status, 130) << rank.err;
  }
  for (const RunResult& rank :
       run_ranks(2, {"train", "--resume", out.string(), "--distributed", "--quiet"})) {
    EXPECT_EQ(rank.status, 0) << rank.err;
  }
  for (const char* const seed : {"seed-0", "seed-1"}) {
    EXPECT_TRUE(left_in(out / seed) == left_in(dir / "whole" / seed)) << seed;
  }
}

TEST(Distributed, ARankLostAtTheVeryBeginningLeavesARunToGoOnWith) {
  CREG_REQUIRE_GLOO();
  const TempDir dir;
  const Words words = joined(batch_training(), {"--epochs", "60"});
  ASSERT_EQ(test::run_creg(joined(words, {"--out", (dir / "alone").string()})).status, 0);
  const fs::path out = dir / "run";
  const std::vector<RunResult> ranks =
      run_ranks(2, joined(words, {"--distributed", "--out", out.string()}),
                {.rank = 1, .signal = SIGKILL, .file = out / "config.toml"});
  ASSERT_EQ(ranks[0].status, 1);
  EXPECT_NE(ranks[0].err.find("creg train --resume"), std::string::npos) << ranks[0].err;
  EXPECT_FALSE(fs::exists(out / "checkpoint.pt"));
  for (const RunResult& rank :
       run_ranks(2, {"train", "--resume", out.string(), "--distributed", "--quiet"})) {
    EXPECT_EQ(rank.status, 0) << rank.err;
  }
  EXPECT_TRUE(left_in(out) == left_in(dir / "alone"));
}

TEST(Distributed, RanksWithOtherSeedsAreRefusedAtTheStart) {
  CREG_REQUIRE_GLOO();
  const TempDir dir;
  const fs::path out = dir / "run";
  for (const RunResult& rank :
       run_ranks(2, joined(batch_training(), {"--distributed", "--out", out.string()}), {},
                 {{"--seeds", "2"}, {"--seeds", "3"}})) {
    EXPECT_EQ(rank.status, 2);
    EXPECT_NE(rank.err.find("--seeds: 0 1 on rank 0, 0 1 2 on rank 1 ("), std::string::npos)
        << rank.err;
  }
  EXPECT_FALSE(fs::exists(out));
}

TEST(Distributed, RanksWithOtherSettingsAreRefused) {
  CREG_REQUIRE_GLOO();
  const TempDir dir;
  const fs::path out = dir / "run";
  const std::vector<RunResult> ranks = run_ranks(
      2, joined(batch_training(), {"--epochs", "2", "--distributed", "--out", out.string()}), {},
      {{"--lr", "0.5"}, {"--lr", "0.25"}});
  for (const RunResult& rank : ranks) {
    EXPECT_EQ(rank.status, 2);
    EXPECT_NE(rank.err.find("lr: 0.5 on rank 0, 0.25 on rank 1 ("), std::string::npos) << rank.err;
  }
  EXPECT_TRUE(fs::is_empty(out));
}

TEST(Distributed, ARankThatFailsTellsTheOthersWhy) {
  CREG_REQUIRE_GLOO();
  const TempDir dir;
  const std::vector<RunResult> ranks = run_ranks(
      2, {"train", "--batch-size", "32", "--distributed", "--out", (dir / "run").string()}, {},
      {{"--dataset", "synthetic:cora@0.1"}, {"--dataset", (dir / "nowhere.creg").string()}});
  EXPECT_EQ(ranks[1].status, 2);
  EXPECT_EQ(ranks[0].status, 1);
  EXPECT_NE(ranks[0].err.find("rank 1 ("), std::string::npos) << ranks[0].err;
  EXPECT_NE(ranks[0].err.find("nowhere.creg"), std::string::npos) << ranks[0].err;
}

TEST(Distributed, WhatMakesNoSense) {
  const RunResult alone = test::run_creg(joined(batch_training(), {"--distributed"}));
  EXPECT_EQ(alone.status, 2);
  EXPECT_NE(alone.err.find("no launcher"), std::string::npos) << alone.err;
  const Words ranks{"RANK=0", "WORLD_SIZE=8", "LOCAL_RANK=0", "MASTER_ADDR=127.0.0.1",
                    "MASTER_PORT=1"};
  const RunResult few = test::run_creg(joined(batch_training(), {"--distributed", "--dry-run"}),
                                       {.environment = ranks});
  EXPECT_EQ(few.status, 2);
  EXPECT_NE(few.err.find("more ranks than batches of an update"), std::string::npos) << few.err;
  const RunResult whole =
      test::run_creg({"train", "--distributed", "--dry-run"}, {.environment = ranks});
  EXPECT_EQ(whole.status, 2);
  EXPECT_NE(whole.err.find("--batch-size"), std::string::npos) << whole.err;
  const RunResult nothing = test::run_creg({"train", "--batches-per-update", "2", "--dry-run"});
  EXPECT_EQ(nothing.status, 2);
  EXPECT_NE(nothing.err.find("--batch-size"), std::string::npos) << nothing.err;
}

TEST(Distributed, ADryRunSaysWhatTheNetworkCarries) {
  const RunResult dry = test::run_creg(
      {"train", "--dataset", "synthetic:cora@0.1", "--batch-size", "32", "--distributed",
       "--dry-run", "--json"},
      {.environment = {"RANK=0", "WORLD_SIZE=4", "LOCAL_RANK=0", "LOCAL_WORLD_SIZE=4",
                       "MASTER_ADDR=127.0.0.1", "MASTER_PORT=1"}});
  ASSERT_EQ(dry.status, 0) << dry.err;
  const nlohmann::json network = nlohmann::json::parse(dry.out).at("network");
  EXPECT_EQ(network.at("ranks"), 4);
  EXPECT_EQ(network.at("batches_per_update"), 4);
  EXPECT_EQ(network.at("updates_per_epoch"), 3);
  EXPECT_GT(network.at("bytes_per_epoch"), network.at("bytes_per_update"));
  // Of 271 nodes 68 are a rank's; it tells three others the numbers of three layers, and those of
  // the product of sparse features and weights.
  EXPECT_EQ(network.at("bytes_of_embedding"), 3 * 68 * 4 * (512 + 3 * 512));
  // All of them are on this host, and share its memory.
  EXPECT_EQ(nlohmann::json::parse(dry.out).at("memory").at("ranks"), 4);
}

bool is_installed(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

/// torchrun says of every line where it comes from.
std::string without(std::string text, const std::string& word) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word)) {
    text.erase(at, word.size());
  }
  return text;
}

/// `creg info --distributed --json` of two ranks that this command line starts.
void expect_two_ranks(const Words& launcher, const std::string& name) {
  test::RunOptions options;
  options.binary = "/usr/bin/env";
  options.seconds = 100;
  const RunResult run =
      test::run_binary(joined(launcher, {CREG_BINARY, "info", "--distributed", "--json"}), options);
  ASSERT_EQ(run.status, 0) << run.err;
  const std::string object = without(run.out, "[default0]:");
  const nlohmann::json found = nlohmann::json::parse(object.substr(object.find('{')));
  EXPECT_EQ(found.at("launcher"), name);
  EXPECT_EQ(found.at("size"), 2);
  EXPECT_EQ(found.at("ranks").size(), 2U);
  ASSERT_EQ(found.at("links").size(), 1U);
  EXPECT_GT(found.at("links")[0].at("bytes_per_second"), 0);
}

/// The bytes of one process from two that this command line starts.
void expect_same_training(const Words& launcher) {
  const TempDir dir;
  const Words words = joined(batch_training(), {"--epochs", "3"});
  ASSERT_EQ(test::run_creg(joined(words, {"--out", (dir / "alone").string()})).status, 0);
  test::RunOptions options;
  options.binary = "/usr/bin/env";
  options.seconds = 100;
  const RunResult run =
      test::run_binary(joined(joined(launcher, {CREG_BINARY}),
                              joined(words, {"--distributed", "--out", (dir / "run").string()})),
                       options);
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(left_in(dir / "run") == left_in(dir / "alone"));
}

TEST(Distributed, StartedByOpenMpi) {
  CREG_REQUIRE_GLOO();
  if (!is_installed("mpirun")) GTEST_SKIP() << "no mpirun here";
  const Words launcher{"OMPI_ALLOW_RUN_AS_ROOT=1",
                       "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                       "mpirun",
                       "--oversubscribe",
                       "-n",
                       "2"};
  expect_two_ranks(launcher, "Open MPI");
  expect_same_training(launcher);
}

TEST(Distributed, StartedByTorchrun) {
  CREG_REQUIRE_GLOO();
  if (!is_installed("torchrun") || std::system("torchrun --help >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "no torchrun here";
  }
  const TempDir work;
  int started = 0;
  const auto launcher = [&](bool by_file) {
    const fs::path folder = work / std::to_string(++started);
    fs::create_directory(folder);
    Words words{"TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1", "torchrun"};
    const Words meeting = by_file ? Words{"--rdzv_backend",  "c10d",
                                          "--rdzv_endpoint", (folder / "meeting").string(),
                                          "--rdzv_conf",     "store_type=file"}
                                  : Words{"--master_port", std::to_string(free_port())};
    words = joined(words, meeting);
    // That of Debian 12 fails unless it is told where both outputs go, and 1 is all that it knows.
    return joined(words, {"--nnodes", "1", "--nproc_per_node", "2", "--log_dir", folder.string(),
                          "-r", "1", "-t", "1", "--no_python"});
  };
  // That of Debian 13 opens no port for its processes to meet at: its PyTorch lacks libuv.
  test::RunOptions options;
  options.binary = "/usr/bin/env";
  const bool by_file = test::run_binary(joined(launcher(false), {"true"}), options).status != 0;
  expect_two_ranks(launcher(by_file), "torchrun");
  expect_same_training(launcher(by_file));
}

TEST(Distributed, DevicesAreRanksThatTheCommandStarts) {
  CREG_REQUIRE_GLOO();
  const TempDir dir;
  const Words words = joined(batch_training(), {"--epochs", "3"});
  ASSERT_EQ(test::run_creg(joined(words, {"--out", (dir / "alone").string()})).status, 0);
  const fs::path out = dir / "run";
  const RunResult run = test::run_binary(
      joined(words, {"--json", "--devices", "3", "--out", out.string()}), {.seconds = 100});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");
  // One of them prints.
  EXPECT_EQ(nlohmann::json::parse(run.out),
            nlohmann::json::parse(test::read_text(out / "result.json")));
  EXPECT_TRUE(left_in(out) == left_in(dir / "alone"));

  // What is wrong is said once.
  const RunResult few = test::run_binary(
      joined(words, {"--devices=5", "--out", (dir / "five").string()}), {.seconds = 100});
  EXPECT_EQ(few.status, 2);
  const std::size_t said = few.err.find("more ranks than batches of an update");
  EXPECT_NE(said, std::string::npos) << few.err;
  EXPECT_EQ(few.err.find("more ranks than", said + 1), std::string::npos) << few.err;
  EXPECT_EQ(test::run_creg(joined(words, {"--devices", "2", "--distributed"})).status, 2);
}

/// The processes that a process has started.
std::vector<pid_t> children_of(int pid) {
  std::vector<pid_t> children;
  std::ifstream list("/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) + "/children");
  for (pid_t child = 0; list >> child;) children.push_back(child);
  return children;
}

TEST(Distributed, DevicesHaveOneEnd) {
  CREG_REQUIRE_GLOO();
  const TempDir dir;
  const auto run = [&](const fs::path& out, const std::function<void(int pid)>& strike) {
    std::vector<pid_t> started;
    const RunResult result = test::run_binary(
        joined(batch_training(), {"--epochs", "1000000", "--devices", "2", "--out", out.string()}),
        {.seconds = 100, .while_running = [&](int pid, const std::string& /*err*/) {
           for (int i = 0; i < 900 && !fs::exists(out / "checkpoint.pt"); ++i) ::usleep(100000);
           started = children_of(pid);
           strike(pid);
         }});
    EXPECT_EQ(started.size(), 2U);
    // All are gone with it, at the latest when they learn of it.
    for (const pid_t child : started) {
      for (int i = 0; i < 100 && ::kill(child, 0) == 0; ++i) ::usleep(100000);
      EXPECT_NE(::kill(child, 0), 0);
    }
    return result;
  };
  const RunResult stopped = run(dir / "stopped", [](int pid) { ::kill(pid, SIGINT); });
  EXPECT_EQ(stopped.status, 130);
  EXPECT_EQ(stopped.err, "creg: stopped\n");
  const RunResult lost =
      run(dir / "lost", [](int pid) { ::kill(children_of(pid).back(), SIGKILL); });
  EXPECT_EQ(lost.status, 1);
  EXPECT_NE(lost.err.find("rank 1 ("), std::string::npos) << lost.err;
  EXPECT_EQ(run(dir / "killed", [](int pid) { ::kill(pid, SIGKILL); }).status, 128 + SIGKILL);
}

}  // namespace creg::distributed_test
