#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/run_creg.h"
#include "support/temp_dir.h"

namespace creg::general_test {
namespace {

using nlohmann::json;
using test::run_binary;
using test::RunResult;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Cli, VersionAndHelpSucceed) {
  const RunResult version = run_binary({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_EQ(version.out, "creg 0.1.0\n");
  const RunResult help = run_binary({"--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_TRUE(contains(help.out, "data")) << help.out;
  EXPECT_TRUE(contains(help.out, "--threads")) << help.out;
}

TEST(Cli, NothingAskedShowsHelpAndFails) {
  const RunResult result = run_binary({});
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(contains(result.out, "data"));
}

TEST(Cli, UnknownWordsGetASuggestion) {
  const RunResult command = run_binary({"inof"});
  EXPECT_EQ(command.status, 2);
  EXPECT_TRUE(contains(command.err, "did you mean info?")) << command.err;
  const RunResult option = run_binary({"data", "list", "--markdwon"});
  EXPECT_EQ(option.status, 2);
  EXPECT_TRUE(contains(option.err, "did you mean --markdown?")) << option.err;
  EXPECT_TRUE(contains(option.err, "creg data list --help")) << option.err;
  EXPECT_EQ(option.out, "");
}

TEST(Cli, ValuesOutOfRangeAreNamed) {
  const RunResult threads = run_binary({"info", "--threads", "-3"});
  EXPECT_EQ(threads.status, 2);
  EXPECT_TRUE(contains(threads.err, "--threads")) << threads.err;
  const RunResult word = run_binary({"info", "--threads", "many"});
  EXPECT_EQ(word.status, 2);
  EXPECT_TRUE(contains(word.err, "--threads")) << word.err;
  const RunResult progress = run_binary({"info", "--progress", "fancy"});
  EXPECT_EQ(progress.status, 2);
  EXPECT_TRUE(contains(progress.err, "auto, bar, lines, json or none")) << progress.err;
}

TEST(Cli, InfoTellsTheBuild) {
  const RunResult table = run_binary({"info"});
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_TRUE(contains(table.out, "libtorch"));
  const RunResult result = run_binary({"info", "--json", "--threads", "1"});
  ASSERT_EQ(result.status, 0) << result.err;
  const json info = json::parse(result.out);
  EXPECT_EQ(info["version"], "0.1.0");
  EXPECT_EQ(info["threads"], 1);
  EXPECT_TRUE(info.contains("blas"));
  EXPECT_EQ(info["devices"][0], "cpu");
}

// Fails without the new start where OpenBLAS is older than the processor.
TEST(Cli, OpenBlasUsesTheWideKernelsUnlessToldOtherwise) {
  const json info = json::parse(run_binary({"info", "--json"}).out);
  const std::string blas = info["blas"].is_string() ? info["blas"] : "";
  if (!contains(blas, "OpenBLAS") || !contains(info["instruction_set"], "AVX")) {
    GTEST_SKIP() << "needs OpenBLAS on a processor with AVX2";
  }
  EXPECT_FALSE(contains(blas, "Prescott")) << blas;
  const RunResult told =
      run_binary({"info", "--json"}, {.environment = {"OPENBLAS_CORETYPE=Prescott"}});
  EXPECT_TRUE(contains(json::parse(told.out)["blas"], "Prescott")) << told.out;
}

TEST(Cli, AFullOutputIsAFailure) {
  const RunResult result = run_binary({"info"}, {.stdout_path = "/dev/full"});
  EXPECT_EQ(result.status, 1);
  EXPECT_TRUE(contains(result.err, "No space left on device")) << result.err;
}

}  // namespace
}  // namespace creg::general_test
