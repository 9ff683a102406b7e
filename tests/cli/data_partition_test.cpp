#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/run_creg.h"
#include "creg/core/context.h"
#include "io/partition_folder.h"
#include "support/temp_dir.h"

namespace creg::data_partition_test {
namespace {

using nlohmann::json;
using test::run_binary;
using test::run_creg;
using test::RunResult;
using Words = std::vector<std::string>;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

RunResult run_partition(const std::string& dataset, const std::string& parts,
                        const std::filesystem::path& out, const Words& more = {}) {
  return run_creg(
      test::joined({"data", "partition", dataset, "--parts", parts, "--out", out.string()}, more));
}

TEST(DataPartition, SaysWhatItDidAndTheFolderHoldsIt) {
  const test::TempDir dir;
  const RunResult result =
      run_partition("synthetic:cora", "3", dir / "p", {"--method", "streaming", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const json said = json::parse(result.out);
  EXPECT_EQ(said["dataset"], "synthetic:cora");
  EXPECT_EQ(said["nodes"], 2708);
  EXPECT_EQ(said["entries"], 10556);
  EXPECT_EQ(said["parts"], 3);
  EXPECT_EQ(said["method"], "streaming");
  EXPECT_EQ(said["per_part"].size(), 3U);
  EXPECT_GT(said["memory"], 0);
  EXPECT_GE(said["seconds"], said["partition_seconds"]);
  EXPECT_LE(said["balance"], 1.04);
  std::int64_t nodes = 0;
  std::int64_t halo = 0;
  for (int rank = 0; rank < 3; ++rank) {
    const StoredPart stored = read_part(Context(), dir / "p", rank);
    const json& row = said["per_part"][rank];
    EXPECT_EQ(row["part"], rank);
    EXPECT_EQ(row["nodes"], stored.part.own);
    EXPECT_EQ(row["halo"], stored.part.halo());
    EXPECT_EQ(row["sends"], stored.part.send_nodes.size());
    EXPECT_EQ(row["entries"], stored.part.graph.adjacency.nonzeros());
    EXPECT_EQ(said["cut_entries"], stored.manifest.cut_entries);
    nodes += stored.part.own;
    halo += stored.part.halo();
  }
  EXPECT_EQ(nodes, 2708);
  EXPECT_EQ(said["halo"], halo);
  EXPECT_DOUBLE_EQ(said["cut"], said["cut_entries"].get<double>() / 10556);
}

TEST(DataPartition, ForPeopleATable) {
  const test::TempDir dir;
  const RunResult result = run_partition("synthetic:citation", "2", dir / "p");
  ASSERT_EQ(result.status, 0) << result.err;
  for (const char* word : {"2 parts by", "halo", "edges cut", "%", "most memory"}) {
    EXPECT_TRUE(contains(result.out, word)) << result.out;
  }
  EXPECT_EQ(run_creg({"data", "info", (dir / "p" / "part-1.creg").string()}).status, 0);
}

TEST(DataPartition, TheSeedDecidesNotTheThreads) {
  const test::TempDir dir;
  const auto owners = [&](const std::string& name, const Words& more) {
    EXPECT_EQ(run_partition("synthetic:citation", "4", dir / name, more).status, 0);
    return test::read_text(dir / name / "owners.npy");
  };
  const std::string first = owners("a", {"--seed", "1", "--threads", "1"});
  EXPECT_EQ(first, owners("b", {"--seed", "1", "--threads", "3"}));
  EXPECT_NE(first, owners("c", {"--seed", "2"}));
}

TEST(DataPartition, ANodeAloneAndTransforms) {
  const test::TempDir dir;
  dir.write("edges.csv", "a,b\nb,c\nx,y\n");
  const std::string edges = (dir / "edges.csv").string();
  EXPECT_EQ(run_partition(edges, "5", dir / "all").status, 0);
  const RunResult refused =
      run_partition(edges, "4", dir / "largest", {"--transform", "largest-component"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(contains(refused.err, "4 parts of 3 nodes")) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(dir / "largest"));
  const StoredPart last = read_part(Context(), dir / "all", 4);
  EXPECT_EQ(last.part.own, 1);
  EXPECT_EQ(last.part.graph.node_name(0).size(), 1U);
}

TEST(DataPartition, Errors) {
  const test::TempDir dir;
  const auto refused = [&](const Words& words, const std::string& part) {
    const RunResult result = run_creg(test::joined({"data", "partition"}, words));
    EXPECT_EQ(result.status, 2) << result.err;
    EXPECT_TRUE(contains(result.err, part)) << result.err;
  };
  const std::string out = (dir / "p").string();
  refused({"synthetic:cora", "--out", out}, "--parts");
  refused({"synthetic:cora", "--parts", "2"}, "--out");
  refused({"--parts", "2", "--out", out}, "no dataset was named");
  refused({"synthetic:cora", "--parts", "0", "--out", out}, "1 to 1,024");
  refused({"synthetic:cora", "--parts", "2000", "--out", out}, "1 to 1,024");
  refused({"synthetic:cora", "--parts", "two", "--out", out}, "--parts");
  refused({"synthetic:cora", "--parts", "2", "--out", out, "--method", "magic"}, "streaming");
  refused({"synthetic:cara", "--parts", "2", "--out", out}, "cora");
  EXPECT_EQ(dir.list(), Words{});

  ASSERT_EQ(run_partition("synthetic:citation", "2", out).status, 0);
  refused({"synthetic:citation", "--parts", "3", "--out", out}, "holds a partition already");
  EXPECT_EQ(run_partition("synthetic:citation", "3", out, {"--overwrite"}).status, 0);
  dir.write("mine/notes.txt", "dear diary");
  refused({"synthetic:citation", "--parts", "3", "--out", (dir / "mine").string(), "--overwrite"},
          "notes.txt");
}

TEST(DataPartition, AFullDiskLeavesNothing) {
  const test::TempDir dir;
  const RunResult result = run_creg(
      {"data", "partition", "synthetic:pubmed", "--parts", "2", "--out", (dir / "p").string()},
      {.file_size_limit = 200000});
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_TRUE(contains(result.err, "part-0.creg")) << result.err;
  EXPECT_TRUE(std::filesystem::is_empty(dir / "p"));
}

#ifndef __clang__  // with which sanitizers are built: they need more address space than there is
TEST(DataPartition, WhatDoesNotFitIntoMemoryIsRefusedBeforeItIsMade) {
  const test::TempDir dir;
  const RunResult result = run_binary(
      {"data", "partition", "synthetic:products", "--parts", "4", "--out", (dir / "p").string()},
      {.address_space_limit = std::int64_t{1} << 30});
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_TRUE(contains(result.err, "more memory than there is")) << result.err;
  EXPECT_TRUE(contains(result.err, "ulimit -v")) << result.err;
  EXPECT_EQ(dir.list(), Words{});
}
#endif

}  // namespace
}  // namespace creg::data_partition_test
