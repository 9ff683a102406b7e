// A file that is mapped, and what others do to it meanwhile.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "faults/fault_library.h"
#include "faults/faulted_runs.h"

namespace creg::truncated_file_test {
namespace {

using test::fault_environment;
using test::run_creg;
using test::RunOptions;
using test::RunResult;
using test::TempDir;
using Words = std::vector<std::string>;

class TruncatedFile : public ::testing::Test {
 protected:
  TruncatedFile() {
    std::filesystem::create_directories(dir_ / "in");
    const RunResult made = run_creg({"data", "convert", "synthetic:cora@0.2", file_, "--quiet"});
    EXPECT_EQ(made.status, 0) << made.err;
  }

  /// The process stops after this call on a file below `under`, and goes on after `then`.
  RunResult run_with(const Words& words, const std::string& call,
                     const std::filesystem::path& under,
                     const std::function<void(int pid)>& then) const {
    RunOptions options;
    options.environment = fault_environment(under, dir_ / "log", call + ":STOP");
    options.before = [] { creg_faults_arm(); };
    options.while_running = [&](int pid, const std::string& /*err*/) {
      siginfo_t seen{};
      ::waitid(P_PID, static_cast<id_t>(pid), &seen, WSTOPPED | WEXITED | WNOWAIT);
      EXPECT_EQ(seen.si_code, CLD_STOPPED);
      then(pid);
      ::kill(pid, SIGCONT);
    };
    return run_creg(words, options);
  }

  void cut(std::int64_t bytes) const { EXPECT_EQ(::truncate(file_.c_str(), bytes), 0); }

  TempDir dir_;
  std::string file_ = (dir_ / "in/graph.creg").string();
};

TEST_F(TruncatedFile, IsNamed) {
  const RunResult result = run_with({"data", "info", file_, "--json"}, "map:4", dir_ / "in",
                                    [&](int /*pid*/) { cut(0); });
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_NE(result.err.find("creg: " + file_ + ": the file became shorter"), std::string::npos)
      << result.err;
  const auto object = nlohmann::json::parse(result.out, nullptr, false);
  ASSERT_TRUE(object.contains("error")) << result.out;
  EXPECT_EQ(object["error"]["file"], file_);
  EXPECT_EQ(object["error"].size(), 6U) << result.out;
}

TEST_F(TruncatedFile, IsNamedWhileItIsTranslated) {
  dir_.write("out/graph.creg", "old");
  const RunResult result =
      run_with({"data", "convert", file_, (dir_ / "out/graph.creg").string(), "--quiet"}, "open:1",
               dir_ / "out", [&](int /*pid*/) { cut(4096); });
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_NE(result.err.find(file_ + ": the file became shorter"), std::string::npos) << result.err;
  // What was half written is gone.
  EXPECT_EQ(test::files_below(dir_ / "out"), (test::Files{{"graph.creg", "old"}}));
}

#ifdef CREG_HAS_TORCH
TEST_F(TruncatedFile, IsNamedInTraining) {
  const std::string out = (dir_ / "run").string();
  const RunResult result = run_with({"train", "--dataset", file_, "--out", out, "--dim", "4",
                                     "--epochs", "2", "--threads", "2", "--quiet"},
                                    "open:1", out, [&](int /*pid*/) { cut(4096); });
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_NE(result.err.find(file_ + ": the file became shorter"), std::string::npos) << result.err;
}
#endif

TEST_F(TruncatedFile, OneThatIsReplacedByAnotherStaysUsable) {
  const Words words = {"data", "info", file_, "--json"};
  const RunResult before = run_creg(words);
  dir_.write("in/other", "nothing of a graph");
  // Told apart and measured it is mapped three times before it is read.
  const RunResult result = run_with(words, "map:4", dir_ / "in", [&](int /*pid*/) {
    std::filesystem::rename(dir_ / "in/other", file_);
  });
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, before.out);
}

TEST_F(TruncatedFile, ABusErrorFromOutsideIsNobodysFile) {
  const RunResult result = run_with({"data", "info", file_, "--json"}, "map:1", dir_ / "in",
                                    [](int pid) { ::kill(pid, SIGBUS); });
  EXPECT_EQ(result.status, 128 + SIGBUS) << result.err;
  EXPECT_EQ(result.err, "");
}

}  // namespace
}  // namespace creg::truncated_file_test
