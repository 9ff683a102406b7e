#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/run_creg.h"

namespace creg::bench_commands_test {
namespace {

using nlohmann::json;
using test::run_creg;
using test::RunResult;

std::vector<std::string> bench(const std::string& what, const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"bench",         what,   "--dataset", "synthetic:cora@0.05",
                                        "--repetitions", "3",    "--threads", "1",
                                        "--progress",    "none", "--device",  "cpu"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

json result_of(const std::vector<std::string>& arguments) {
  const RunResult result = run_creg(arguments);
  EXPECT_EQ(result.status, 0) << result.err;
  return result.status == 0 ? json::parse(result.out) : json();
}

void expect_times(const json& out, bool compared) {
  for (const char* key :
       {"ms", "ms_p10", "ms_p90", "peak_bytes", "repetitions", "threads", "cpu_ms"}) {
    EXPECT_TRUE(out[key].is_number()) << key << " in " << out;
  }
  // Of the card, and this is the CPU.
  for (const char* key : {"device_peak_bytes", "baseline_device_peak_bytes"}) {
    ASSERT_TRUE(out.contains(key)) << key;
    EXPECT_TRUE(out[key].is_null()) << key;
  }
  EXPECT_LE(out["ms_p10"], out["ms"]);
  EXPECT_LE(out["ms"], out["ms_p90"]);
  for (const char* key : {"baseline_ms", "baseline_ms_p10", "baseline_ms_p90", "speedup",
                          "speedup_p10", "speedup_p90", "baseline_peak_bytes", "baseline_cpu_ms"}) {
    ASSERT_TRUE(out.contains(key)) << key;
    EXPECT_EQ(out[key].is_number(), compared) << key << " in " << out;
    EXPECT_EQ(out[key].is_null(), !compared) << key;
  }
  if (!compared) return;
  EXPECT_DOUBLE_EQ(out["speedup"].get<double>(),
                   out["baseline_ms"].get<double>() / out["ms"].get<double>());
}

TEST(BenchCommand, EpochsBesidePlainOnes) {
  const json out = result_of(bench("epoch", {"--method", "lc", "--score", "bilinear", "--reg",
                                             "contrast", "--compare", "plain", "--json"}));
  expect_times(out, true);
  EXPECT_EQ(out["bench"], "epoch");
  EXPECT_EQ(out["dataset"], "synthetic:cora@0.05");
  EXPECT_EQ(out["method"], "lc");
  EXPECT_EQ(out["score"], "bilinear");
  EXPECT_EQ(out["reg"], "contrast");
  EXPECT_EQ(out["threads"], 1);
  EXPECT_EQ(out["repetitions"], 3);
  EXPECT_EQ(out["baseline"], "plain");
  EXPECT_EQ(out["baseline_memory"], "libtorch");
  EXPECT_EQ(out["epochs_per_round"], 1);
  EXPECT_NEAR(out["first_loss"].get<double>(), out["baseline_first_loss"].get<double>(), 1e-4);
}

TEST(BenchCommand, TheBaselineMayHaveOurMemory) {
  const json out = result_of(
      bench("epoch", {"--dim", "16", "--compare", "plain", "--plain-memory", "same", "--json"}));
  expect_times(out, true);
  EXPECT_EQ(out["baseline_memory"], "same");
}

TEST(BenchCommand, EpochsAlone) {
  const json out = result_of(bench("epoch", {"--encoder", "gat", "--dim", "16", "--json"}));
  expect_times(out, false);
  EXPECT_TRUE(out["baseline"].is_null());
  EXPECT_TRUE(out["baseline_first_loss"].is_null());
  EXPECT_TRUE(out["positives"].is_null());
}

TEST(BenchCommand, SelectionsAndProducts) {
  const json select = result_of(bench("select", {"--dim", "32", "--compare", "plain", "--json"}));
  expect_times(select, true);
  EXPECT_EQ(select["k"], 5);
  EXPECT_LT(select["entropy_difference"].get<double>(), 1e-3);
  const json entropies =
      result_of(bench("select", {"--k", "0", "--dim", "32", "--compare", "plain", "--json"}));
  EXPECT_LT(entropies["entropy_difference"].get<double>(), 1e-3);
  EXPECT_TRUE(entropies["value_difference"].is_null());
  const json spmm = result_of(bench("spmm", {"--dim", "32", "--compare", "plain", "--json"}));
  expect_times(spmm, true);
  EXPECT_GT(spmm["gb_per_second"].get<double>(), 0);
  EXPECT_GT(spmm["copy_gb_per_second"].get<double>(), 0);
  EXPECT_LT(spmm["largest_difference"].get<double>(), 1e-5);
  expect_times(result_of(bench("spmm", {"--json"})), false);
}

TEST(BenchCommand, InfoNce) {
  const json out = result_of(bench("infonce", {"--dim", "8", "--compare", "plain", "--json"}));
  expect_times(out, true);
  EXPECT_EQ(out["dim"], 8);
  EXPECT_LT(out["gradient_difference"].get<double>(), 1e-4);
  expect_times(result_of(bench("infonce", {"--dim", "8", "--json"})), false);
}

TEST(BenchCommand, Sampling) {
  const json out = result_of(
      bench("sample", {"--fanouts", "3,-1", "--batch-size", "20", "--compare", "plain", "--json"}));
  expect_times(out, true);
  EXPECT_EQ(out["bench"], "sample");
  EXPECT_EQ(out["fanouts"], json({3, -1}));
  EXPECT_EQ(out["batch_size"], 20);
  EXPECT_EQ(out["with_replacement"], false);
  EXPECT_GT(out["nodes_per_batch"].get<double>(), 15);
  EXPECT_GT(out["baseline_edges_per_batch"].get<double>(), 15);
  EXPECT_NEAR(out["edges_per_second"].get<double>(),
              out["edges_per_batch"].get<double>() / out["ms"].get<double>() * 1e3, 1);
  const json alone =
      result_of(bench("sample", {"--batch-size", "20", "--with-replacement", "--json"}));
  expect_times(alone, false);
  EXPECT_EQ(alone["with_replacement"], true);
  EXPECT_TRUE(alone["baseline_edges_per_second"].is_null());
}

TEST(BenchCommand, BatchesAreTimedOneByOne) {
  const std::vector<std::string> flags = {
      "--encoder", "sage", "--layers", "2", "--fanouts", "3,2", "--batch-size", "16", "--dim", "8"};
  std::vector<std::string> json_flags = flags;
  json_flags.emplace_back("--json");
  const json out = result_of(bench("epoch", json_flags));
  expect_times(out, false);
  EXPECT_EQ(out["batch_size"], 16);
  EXPECT_GT(out["first_loss"].get<double>(), 0);
  const RunResult words = run_creg(bench("epoch", flags));
  EXPECT_NE(words.out.find("one batch of 16 of ml"), std::string::npos) << words.out;
  EXPECT_TRUE(result_of(bench("epoch", {"--dim", "8", "--json"}))["batch_size"].is_null());
}

TEST(BenchCommand, TablesForPeople) {
  const RunResult epoch = run_creg(bench("epoch", {"--compare", "plain", "--dim", "16"}));
  EXPECT_EQ(epoch.status, 0) << epoch.err;
  for (const char* part : {"creg", "plain libtorch", "faster", "peak memory", "same pairs"}) {
    EXPECT_NE(epoch.out.find(part), std::string::npos) << part << " in " << epoch.out;
  }
  const RunResult spmm = run_creg(bench("spmm", {"--dim", "16"}));
  EXPECT_EQ(spmm.status, 0) << spmm.err;
  EXPECT_NE(spmm.out.find("GB/s"), std::string::npos) << spmm.out;
  const RunResult csv =
      run_creg(bench("spmm", {"--dim", "16", "--compare", "plain", "--format", "csv"}));
  EXPECT_EQ(csv.out.substr(0, csv.out.find(',', csv.out.find('\n'))),
            "way,ms,ms_p10,ms_p90,cpu_ms,peak_bytes\ncreg");
  EXPECT_NE(csv.out.find("\nATen's CSR product,"), std::string::npos) << csv.out;
  const RunResult sample = run_creg(bench("sample", {"--batch-size", "20"}));
  EXPECT_EQ(sample.status, 0) << sample.err;
  EXPECT_NE(sample.out.find("million edges/s"), std::string::npos) << sample.out;
}

TEST(BenchCommand, WrongUsageIsNamed) {
  const auto expect_refused = [](const std::vector<std::string>& arguments,
                                 const std::string& part) {
    const RunResult result = run_creg(arguments);
    EXPECT_EQ(result.status, 2) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  };
  expect_refused({"bench", "epochs"}, "epoch");
  expect_refused(bench("epoch", {"--compare", "pyg"}), "plain");
  expect_refused(bench("epoch", {"--method", "lm"}), "ml, lc");
  expect_refused(bench("epoch", {"--encoder", "sage", "--fanouts", "3", "--batch-size", "16",
                                 "--compare", "plain"}),
                 "whole graph at once");
  expect_refused(bench("epoch", {"--encoder", "gat", "--compare", "plain"}), "--encoder");
  expect_refused(bench("epoch", {"--method", "lc", "--curriculum", "3", "--compare", "plain"}),
                 "all nodes are seeds");
  expect_refused(bench("sample", {"--batch-size", "1000"}), "1,000");
  expect_refused(bench("sample", {"--batch-size", "20", "--fanouts", "5,0"}), "fanout");
  expect_refused(bench("select", {"--k", "-1"}), "--k");
  expect_refused(bench("select", {"--k", "900"}), "k");
  expect_refused(bench("spmm", {"--dim", "0"}), "--dim");
  expect_refused(bench("spmm", {"--warm-up", "-1"}), "--warm-up");
}

}  // namespace
}  // namespace creg::bench_commands_test
