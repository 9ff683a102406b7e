// Training on a graph in parts by real processes, a part each, as a launcher starts them.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "cli/run_creg.h"
#include "comm/ranks.h"
#include "io/file.h"
#include "io/npy.h"
#include "support/temp_dir.h"

namespace creg::train_parts_test {
namespace {

using Words = std::vector<std::string>;

/// The same command on all ranks, by the variables of torchrun; `more` are words of one rank.
std::vector<test::RunResult> run_on_ranks(int size, const Words& words,
                                          const std::function<void(int pid)>& with_last = {},
                                          const std::vector<Words>& more = {}) {
  const std::string port = std::to_string(test::free_port());
  std::vector<std::future<test::RunResult>> running;
  for (int rank = 0; rank < size; ++rank) {
    running.push_back(std::async(std::launch::async, [=] {
      std::function<void(int, const std::string&)> looking;
      if (with_last && rank + 1 == size) {
        looking = [=](int pid, const std::string& /*err*/) { with_last(pid); };
      }
      const std::string number = std::to_string(rank);
      const std::string all = std::to_string(size);
      const Words own =
          more.empty() ? words : test::joined(words, more[static_cast<std::size_t>(rank)]);
      return test::run_binary(
          own, {.environment = {"RANK=" + number, "WORLD_SIZE=" + all, "LOCAL_RANK=" + number,
                                "LOCAL_WORLD_SIZE=" + all, "MASTER_ADDR=127.0.0.1",
                                "MASTER_PORT=" + port},
                .seconds = 120,
                .while_running = looking});
    }));
  }
  std::vector<test::RunResult> results;
  for (auto& one : running) results.push_back(one.get());
  return results;
}

nlohmann::json json_of(const std::filesystem::path& file) {
  return nlohmann::json::parse(map_file(file).text(), nullptr, false);
}

std::vector<double> losses_of(const std::filesystem::path& run) {
  std::ifstream lines(run / "metrics.jsonl");
  std::vector<double> losses;
  for (std::string line; std::getline(lines, line);) {
    losses.push_back(nlohmann::json::parse(line).at("loss").get<double>());
  }
  return losses;
}

DenseMatrix embedding_of(const std::filesystem::path& run) {
  return read_npy(map_file(run / "embedding.npy")).to_matrix();
}

double largest_difference(const DenseMatrix& a, const DenseMatrix& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.cols, b.cols);
  double largest = 0;
  for (std::int64_t i = 0; i < std::min(a.values.size(), b.values.size()); ++i) {
    largest = std::max<double>(largest, std::abs(a.values[i] - b.values[i]));
  }
  return largest;
}

class TrainParts : public ::testing::Test {
 protected:
  static constexpr const char* dataset = "synthetic:cora@0.1";

  std::string partition(int parts) const {
    const std::string folder = (dir_ / ("parts-" + std::to_string(parts))).string();
    const test::RunResult made = test::run_creg(
        {"data", "partition", dataset, "--parts", std::to_string(parts), "--out", folder});
    EXPECT_EQ(made.status, 0) << made.err;
    return folder;
  }

  Words train_words(const std::string& from, const std::string& out, const Words& more = {}) const {
    return test::joined(
        {"train", "--dataset", from,       "--recipe", "none",     "--reg", "contrast",
         "--dim", "16",        "--layers", "2",        "--epochs", "10",    "--patience",
         "0",     "--threads", "1",        "--seed",   "3",        "--out", (dir_ / out).string()},
        more);
  }

  test::TempDir dir_;
};

TEST_F(TrainParts, IsTheRunOfOneProcess) {
  const test::RunResult one = test::run_creg(train_words(dataset, "one"));
  ASSERT_EQ(one.status, 0) << one.err;
  const auto accuracy = [&](const std::string& run) {
    return json_of(dir_ / run / "result.json")["metrics"]["accuracy"]["mean"].get<double>();
  };
  for (const int size : {1, 4}) {
    const std::string many = "of-" + std::to_string(size);
    const auto results =
        run_on_ranks(size, train_words(partition(size), many, {"--distributed", "--json"}));
    for (const test::RunResult& result : results) ASSERT_EQ(result.status, 0) << result.err;
    // One rank prints.
    for (int rank = 1; rank < size; ++rank) EXPECT_EQ(results[rank].out + results[rank].err, "");
    EXPECT_EQ(nlohmann::json::parse(results[0].out), json_of(dir_ / many / "result.json"));

    const std::vector<double> here = losses_of(dir_ / many);
    const std::vector<double> there = losses_of(dir_ / "one");
    ASSERT_EQ(here.size(), 10);
    for (std::size_t i = 0; i < here.size(); ++i) EXPECT_NEAR(here[i], there[i], 1e-5 * there[i]);
    EXPECT_LT(largest_difference(embedding_of(dir_ / many), embedding_of(dir_ / "one")), 1e-3);
    EXPECT_NEAR(accuracy(many), accuracy("one"), 0.02);
  }

  // Gone on with, by others and on other parts of the same graph: nothing is left to be trained.
  const auto resumed = run_on_ranks(2, {"train", "--distributed", "--resume",
                                        (dir_ / "of-4").string(), "--dataset", partition(2)});
  for (const test::RunResult& result : resumed) ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_LT(largest_difference(embedding_of(dir_ / "of-4"), embedding_of(dir_ / "one")), 1e-3);
}

/// Ctrl-C on one rank ends all after the same epoch, and what goes on ends at the same bytes.
TEST_F(TrainParts, StopsTogetherAndGoesOn) {
  const std::string parts = partition(2);
  const Words more = {"--distributed", "--epochs", "100"};
  Words words = train_words(parts, "whole");
  std::erase(words, "10");
  std::erase(words, "--epochs");
  for (const auto& result : run_on_ranks(2, test::joined(words, more))) {
    ASSERT_EQ(result.status, 0) << result.err;
  }
  std::replace(words.begin(), words.end(), (dir_ / "whole").string(), (dir_ / "stopped").string());
  const auto stopped = run_on_ranks(2, test::joined(words, more), [&](int pid) {
    // Written when all ranks are about to train.
    for (int i = 0; i < 6000 && !is_there(dir_ / "stopped/config.toml"); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ::kill(pid, SIGINT);
  });
  for (const auto& result : stopped) EXPECT_EQ(result.status, 130) << result.err;
  EXPECT_TRUE(is_there(dir_ / "stopped/checkpoint.pt"));
  EXPECT_FALSE(is_there(dir_ / "stopped/embedding.npy"));
  const std::string folder = (dir_ / "stopped").string();
  for (const auto& result : run_on_ranks(2, {"train", "--distributed", "--resume", folder})) {
    ASSERT_EQ(result.status, 0) << result.err;
  }
  EXPECT_EQ(map_file(dir_ / "stopped/embedding.npy").text(),
            map_file(dir_ / "whole/embedding.npy").text());
}

TEST_F(TrainParts, SelectsByWhatAllEmbeddingsAreWorth) {
  const Words words = {"--method", "gcn-supervised", "--select", "val"};
  const test::RunResult one = test::run_creg(train_words(dataset, "one", words));
  ASSERT_EQ(one.status, 0) << one.err;
  const auto results =
      run_on_ranks(2, train_words(partition(2), "many", test::joined(words, {"--distributed"})));
  for (const test::RunResult& result : results) ASSERT_EQ(result.status, 0) << result.err;
  const nlohmann::json here = json_of(dir_ / "many/result.json");
  const nlohmann::json there = json_of(dir_ / "one/result.json");
  EXPECT_EQ(here["best_epoch"], there["best_epoch"]);
  EXPECT_EQ(here["metrics"]["val_accuracy"]["mean"], there["metrics"]["val_accuracy"]["mean"]);
}

TEST_F(TrainParts, WhatDoesNotGoTogetherIsRefused) {
  const std::string parts = partition(2);
  const auto refused = [](const test::RunResult& result, const Words& words) {
    EXPECT_EQ(result.status, 2) << result.out << result.err;
    for (const std::string& word : words) {
      EXPECT_NE(result.err.find(word), std::string::npos) << word << " is not in " << result.err;
    }
  };
  refused(test::run_creg(train_words(parts, "a")), {"in parts", "--distributed"});
  refused(test::run_creg(train_words(parts, "a", {"--distributed"})), {"mpirun", "--distributed"});
  refused(run_on_ranks(3, train_words(parts, "a", {"--distributed"})).front(),
          {"2 parts", "3 ranks", "creg data partition"});
  const auto others =
      run_on_ranks(2, train_words(parts, "a", {"--distributed", "--method", "grace"}));
  for (const test::RunResult& result : others) refused(result, {"grace", "--method"});

  // Ranks of which one does something else; what differs is named, and nothing beside it.
  Words words = train_words(parts, "a", {"--distributed"});
  words.erase(std::find(words.begin(), words.end(), "--threads"),
              std::find(words.begin(), words.end(), "--seed"));
  const auto unlike = [&](const Words& first, const Words& second) {
    return run_on_ranks(2, words, {}, {first, second});
  };
  for (const auto& result : unlike({"--threads", "1"}, {"--threads", "2"})) {
    refused(result, {"same build", "threads: 1 on rank 0, 2 on rank 1 ("});
    EXPECT_EQ(result.err.find(';'), std::string::npos) << result.err;
  }
  words.erase(std::find(words.begin(), words.end(), "--dataset"),
              std::find(words.begin(), words.end(), "--recipe"));
  for (const auto& result : unlike(
           {"--dataset", parts},
           {"--dataset", dataset, "--encoder", "sage", "--fanouts", "4,4", "--batch-size", "64"})) {
    refused(result, {"what the ranks share: the parts of a graph on rank 0, the batches of a graph "
                     "on rank 1 ("});
    EXPECT_EQ(result.err.find(';'), std::string::npos) << result.err;
  }
  EXPECT_FALSE(std::filesystem::exists(dir_ / "a"));
}

TEST_F(TrainParts, OfADryRunOneRankTells) {
  const auto ranks =
      run_on_ranks(2, train_words(partition(2), "a", {"--distributed", "--dry-run"}));
  EXPECT_FALSE(ranks[0].out.empty());
  EXPECT_EQ(ranks[1].out + ranks[1].err, "");
}

TEST_F(TrainParts, ADryRunSaysWhatIsSent) {
  const test::RunResult dry =
      test::run_creg(train_words(partition(2), "a", {"--distributed", "--dry-run", "--json"}));
  ASSERT_EQ(dry.status, 0) << dry.err;
  const nlohmann::json plan = nlohmann::json::parse(dry.out);
  EXPECT_EQ(plan["nodes"], 271);
  ASSERT_EQ(plan["ranks"].size(), 2);
  std::int64_t sent = 0;
  for (const auto& rank : plan["ranks"]) {
    EXPECT_GT(rank["memory_bytes"].get<std::int64_t>(), 0);
    sent += rank["sent_bytes"].get<std::int64_t>();
  }
  EXPECT_EQ(plan["sent_bytes"], sent);
  EXPECT_FALSE(std::filesystem::exists(dir_ / "a"));
}

}  // namespace
}  // namespace creg::train_parts_test
