// Ranks that are killed, frozen or told to stop at random moments: no run hangs, the others name
// the one that is lost, and what goes on ends at the bytes of a run that nobody touched.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "cli/batch_training.h"
#include "cli/run_creg.h"
#include "comm/communicator.h"
#include "comm/ranks.h"
#include "support/temp_dir.h"

namespace creg::strikes_test {
namespace {

using Words = std::vector<std::string>;
using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

constexpr int strikes = 10;             // of each way to train
constexpr double timeout_seconds = 3;   // of those who wait for a frozen one
constexpr double longest_seconds = 60;  // what takes longer hangs

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The ranks of a run as a launcher starts them.
class Ranks {
 public:
  Ranks(int size, const Words& words, const fs::path& folder) : folder_(folder) {
    const std::string port = std::to_string(test::free_port());
    fs::create_directories(folder_);
    for (int rank = 0; rank < size; ++rank) {
      const std::string number = std::to_string(rank);
      Words all{"/usr/bin/env",
                "RANK=" + number,
                "LOCAL_RANK=" + number,
                "WORLD_SIZE=" + std::to_string(size),
                "LOCAL_WORLD_SIZE=" + std::to_string(size),
                "MASTER_ADDR=127.0.0.1",
                "MASTER_PORT=" + port,
                CREG_BINARY};
      all.insert(all.end(), words.begin(), words.end());
      std::vector<char*> argv;
      for (std::string& word : all) argv.push_back(word.data());
      argv.push_back(nullptr);
      const std::string err = said_file(rank);
      const pid_t pid = ::fork();
      if (pid == 0) {
        if (std::freopen(err.c_str(), "w", stderr) == nullptr ||
            std::freopen("/dev/null", "w", stdout) == nullptr) {
          ::_exit(99);
        }
        ::execv(argv.front(), argv.data());
        ::_exit(98);
      }
      pids_.push_back(pid);
      statuses_.push_back(-1);
    }
  }
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  ~Ranks() {
    for (std::size_t i = 0; i < pids_.size(); ++i) {
      if (statuses_[i] >= 0) continue;
      ::kill(pids_[i], SIGKILL);
      ::waitpid(pids_[i], nullptr, 0);
    }
  }

  void strike(int rank, int signal) const { ::kill(pids_[static_cast<std::size_t>(rank)], signal); }

  /// Whether all but this one end in time.
  bool end(int but = -1) {
    const Clock::time_point start = Clock::now();
    while (seconds_since(start) < longest_seconds) {
      bool running = false;
      for (std::size_t i = 0; i < pids_.size(); ++i) {
        int status = 0;
        if (statuses_[i] < 0 && ::waitpid(pids_[i], &status, WNOHANG) == pids_[i]) {
          statuses_[i] = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        }
        running |= statuses_[i] < 0 && static_cast<int>(i) != but;
      }
      if (!running) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }

  int status(int rank) const { return statuses_[static_cast<std::size_t>(rank)]; }
  std::string said(int rank) const { return test::read_text(said_file(rank)); }

 private:
  fs::path said_file(int rank) const { return folder_ / ("rank-" + std::to_string(rank)); }

  fs::path folder_;
  std::vector<pid_t> pids_;
  std::vector<int> statuses_;
};

/// `resumed_by`: ranks that may go on with it.
void strike_at_random(const Words& words, int size, const std::vector<int>& resumed_by,
                      unsigned seed) {
  const test::TempDir dir;
  const Words together = test::joined(words, {"--distributed", "--dist-timeout",
                                              std::to_string(static_cast<int>(timeout_seconds))});
  const auto out_of = [](const fs::path& folder) { return Words{"--out", folder.string()}; };
  const Clock::time_point start = Clock::now();
  {
    Ranks ranks(size, test::joined(together, out_of(dir / "whole")), dir / "said");
    ASSERT_TRUE(ranks.end());
    for (int rank = 0; rank < size; ++rank) ASSERT_EQ(ranks.status(rank), 0) << ranks.said(rank);
  }
  const double whole_seconds = seconds_since(start);
  const std::string expected = test::read_text(dir / "whole/embedding.npy");
  std::mt19937 draw(seed);
  const auto below = [&](std::size_t end) { return static_cast<std::size_t>(draw()) % end; };
  const std::vector<int> signals{SIGKILL, SIGKILL, SIGKILL, SIGTERM, SIGSTOP};
  for (int number = 0; number < strikes; ++number) {
    const int signal = signals[static_cast<std::size_t>(number) % signals.size()];
    const int victim = static_cast<int>(below(static_cast<std::size_t>(size)));
    // From the first instant, when libraries are being loaded, to the last words.
    const double share = static_cast<double>(below(1000)) / 1000;
    const int others = resumed_by[below(resumed_by.size())];
    SCOPED_TRACE("strike " + std::to_string(number) + ": signal " + std::to_string(signal) +
                 " to rank " + std::to_string(victim) + " at " + std::to_string(share));
    const fs::path out = dir / ("run-" + std::to_string(number));
    {
      Ranks ranks(size, test::joined(together, out_of(out)), dir / "said");
      std::this_thread::sleep_for(std::chrono::duration<double>(share * whole_seconds));
      ranks.strike(victim, signal);
      ASSERT_TRUE(ranks.end(signal == SIGSTOP ? victim : -1)) << "it hangs";
      for (int rank = 0; rank < size; ++rank) {
        const int status = ranks.status(rank);
        // Done before it, stopped with the struck one, or without it and with its name.
        if (rank == victim || status == 0 || (status == 130 && signal == SIGTERM)) continue;
        EXPECT_EQ(status, 1) << ranks.said(rank);
        const std::string said = ranks.said(rank);
        const bool named = said.find("rank " + std::to_string(victim)) != std::string::npos;
        // While the connections are made nobody knows yet whose is whose.
        EXPECT_TRUE(named || said.find("cannot connect to each other") != std::string::npos)
            << said;
      }
    }
    const bool begun = fs::exists(out / "config.toml");
    Ranks ranks(others,
                begun ? Words{"train", "--resume", out.string(), "--distributed", "--quiet"}
                      : test::joined(together, out_of(out)),
                dir / "said");
    ASSERT_TRUE(ranks.end());
    for (int rank = 0; rank < others; ++rank) EXPECT_EQ(ranks.status(rank), 0) << ranks.said(rank);
    EXPECT_TRUE(test::read_text(out / "embedding.npy") == expected);
    for (const fs::directory_entry& entry : fs::directory_iterator(out)) {
      EXPECT_FALSE(entry.path().filename().string().starts_with(".")) << entry.path();
    }
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Strikes, OnBatches) {
  if (!has_communication()) GTEST_SKIP() << "this build connects no processes";
  strike_at_random(test::joined(test::batch_training(), {"--epochs", "40"}), 2, {1, 2, 3}, 21);
}

TEST(Strikes, OnParts) {
  if (!has_communication()) GTEST_SKIP() << "this build connects no processes";
  const test::TempDir dir;
  const std::string parts = (dir / "parts").string();
  ASSERT_EQ(
      test::run_creg({"data", "partition", "synthetic:cora@0.1", "--parts", "2", "--out", parts})
          .status,
      0);
  strike_at_random({"train", "--dataset", parts, "--recipe", "none", "--dim", "16", "--patience",
                    "0", "--threads", "1", "--epochs", "120", "--quiet"},
                   2, {2}, 22);
}

}  // namespace
}  // namespace creg::strikes_test
