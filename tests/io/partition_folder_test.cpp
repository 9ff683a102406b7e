#include "io/partition_folder.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "graph/generators.h"
#include "io/checksum.h"
#include "io/npy.h"
#include "io/write_lock.h"
#include "support/damage.h"
#include "support/expect_error.h"
#include "support/graph_parts.h"
#include "support/temp_dir.h"

namespace creg::partition_folder_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Numbers = std::vector<std::int32_t>;
using Texts = std::vector<std::string>;

const Texts three_files = {"owners.npy", "part-0.creg", "part-1.creg", "part-2.creg",
                           "partition.json"};

/// A path of 8 nodes with everything, in three parts: 0 0 0 1 1 2 2 2.
Graph small_graph() {
  Graph graph = test::path_graph(8);
  std::vector<float> values;
  for (int i = 0; i < 16; ++i) values.push_back(static_cast<float>(i));
  graph.features = DenseMatrix{.rows = 8, .cols = 2, .values = values};
  graph.labels = Numbers{0, 1, 2, 0, 1, 2, 0, -1};
  graph.names = NodeNames(Texts{"a", "b", "c", "d", "e", "f", "g", "h"});
  graph.splits = {{.name = "s", .train = Numbers{0, 3, 5}, .val = Numbers{1}, .test = Numbers{7}}};
  return graph;
}

Partition small_partition() {
  return {.parts = 3, .method = PartitionMethod::streaming, .owners = {0, 0, 0, 1, 1, 2, 2, 2}};
}

PartitionManifest write_small(const fs::path& folder, IfThere if_there = IfThere::refuse) {
  return write_partition(Context({.threads = 2, .seed = 5}), folder, small_graph(),
                         small_partition(), {.source = "made", .transforms = {"binarise"}},
                         if_there);
}

TEST(PartitionFolder, PartsComeBackAndAreTheGraphTogether) {
  const test::TempDir dir;
  const PartitionManifest manifest = write_small(dir / "p");
  EXPECT_EQ(manifest.cut_entries, 4);
  EXPECT_EQ(manifest.halo(), 4);
  EXPECT_EQ(manifest.most_nodes(), 3);
  std::vector<GraphPart> parts;
  for (int p = 0; p < 3; ++p) {
    StoredPart stored = read_part(Context(), dir / "p", p);
    EXPECT_EQ(stored.manifest, manifest);
    EXPECT_EQ(stored.rank, p);
    EXPECT_EQ(Numbers(stored.owners.begin(), stored.owners.end()), small_partition().owners);
    parts.push_back(std::move(stored.part));
  }
  EXPECT_TRUE(test::same(test::put_together(parts), small_graph()));
  EXPECT_EQ(parts[1].own, 2);
  EXPECT_EQ(Numbers(parts[1].nodes.begin(), parts[1].nodes.end()), (Numbers{3, 4, 2, 5}));
  EXPECT_EQ(Numbers(parts[1].halo_owners.begin(), parts[1].halo_owners.end()), (Numbers{0, 2}));
  EXPECT_EQ(Numbers(parts[1].send_nodes.begin(), parts[1].send_nodes.end()), (Numbers{0, 1}));
  Texts files;
  for (const fs::path& path : fs::directory_iterator(dir / "p")) files.push_back(path.filename());
  std::sort(files.begin(), files.end());
  EXPECT_EQ(files, three_files);
}

TEST(PartitionFolder, TheManifestSaysWhatItIs) {
  const test::TempDir dir;
  write_small(dir.path());
  const json manifest = json::parse(test::read_text(dir / "partition.json"));
  EXPECT_EQ(manifest["format"], "creg-partition");
  EXPECT_EQ(manifest["dataset"], "path");
  EXPECT_EQ(manifest["source"], "made");
  EXPECT_EQ(manifest["transforms"], json({"binarise"}));
  EXPECT_EQ(manifest["seed"], 5);
  EXPECT_EQ(manifest["nodes"], 8);
  EXPECT_EQ(manifest["classes"], 3);
  EXPECT_EQ(manifest["feature_columns"], 2);
  EXPECT_EQ(manifest["parts"][1]["halo_from"], json({1, 0, 1}));
  EXPECT_EQ(manifest["parts"][0]["bytes"], fs::file_size(dir / "part-0.creg"));
  const Array<std::int32_t> owners = read_npy(map_file(dir / "owners.npy")).to_int32();
  EXPECT_EQ(Numbers(owners.begin(), owners.end()), small_partition().owners);
}

// A part is a graph to whoever does not know of parts.
TEST(PartitionFolder, APartIsAGraphFile) {
  const test::TempDir dir;
  write_small(dir.path());
  CregProvenance provenance;
  const Graph graph = read_creg(Context(), map_file(dir / "part-2.creg"), &provenance);
  EXPECT_EQ(graph.nodes(), 4);
  EXPECT_EQ(graph.node_name(3), "e");
  EXPECT_EQ(provenance.source, "made");
}

TEST(PartitionFolder, GraphsWithoutAnythingAndDirectedOnes) {
  const test::TempDir dir;
  Graph bare;
  bare.directed = true;
  bare.adjacency = test::csr(3, {{0, 1}, {2, 1}, {2, 2}}, {1, 2, 3});
  write_partition(Context(), dir / "d", bare, {.parts = 2, .owners = {0, 1, 0}}, {});
  std::vector<GraphPart> parts;
  for (int p = 0; p < 2; ++p) parts.push_back(read_part(Context(), dir / "d", p).part);
  EXPECT_TRUE(test::same(test::put_together(parts), bare));
  EXPECT_EQ(read_part(Context(), dir / "d", 1).manifest.features, -1);
  Graph one;
  one.adjacency = test::csr(1, {});
  write_partition(Context(), dir / "one", one, {.parts = 1, .owners = {0}}, {});
  EXPECT_EQ(read_part(Context(), dir / "one", 0).part.graph.nodes(), 1);
}

TEST(PartitionFolder, ThreadsChangeNoByte) {
  const test::TempDir dir;
  const Graph graph = generate(Context(), parse_synthetic("synthetic:cora"));
  const auto write = [&](const std::string& name, int threads) {
    const Context context({.threads = threads});
    const Partition partition = partition_nodes(context, graph, {.parts = 4});
    write_partition(context, dir / name, graph, partition, {});
  };
  write("one", 1);
  write("four", 4);
  for (const char* file : {"owners.npy", "part-0.creg", "part-3.creg", "partition.json"}) {
    EXPECT_EQ(test::read_text(dir / "one" / file), test::read_text(dir / "four" / file)) << file;
  }
}

// ---- the folder ----

TEST(PartitionFolder, AFolderWithSomethingElseIsRefused) {
  const test::TempDir dir;
  dir.write("mine/notes.txt", "dear diary");
  for (const IfThere if_there : {IfThere::refuse, IfThere::replace}) {
    test::expect_error([&] { write_small(dir / "mine", if_there); },
                       {"mine", "no partition", "notes.txt", "--out"});
  }
  EXPECT_EQ(test::read_text(dir / "mine" / "notes.txt"), "dear diary");
  // A file with the name of an output, and no manifest of ours beside it.
  dir.write("parts/part-0.creg", "mine too");
  test::expect_error([&] { write_small(dir / "parts", IfThere::replace); }, {"part-0.creg"});
  dir.write("manifest/partition.json", "{}");
  test::expect_error([&] { write_small(dir / "manifest", IfThere::replace); }, {"partition.json"});
  dir.write("file", "");
  test::expect_error([&] { write_small(dir / "file"); }, {"a file has this name"});
  EXPECT_EQ(test::read_text(dir / "parts" / "part-0.creg"), "mine too");
}

TEST(PartitionFolder, AFinishedOneIsReplacedOnlyWhenAsked) {
  const test::TempDir dir;
  write_small(dir / "p");
  test::expect_error(
      [&] { write_small(dir / "p"); },
      {"holds a partition already", "3 parts of path by streaming, seed 5", "--overwrite"});
  test::expect_error([&] { check_partition_folder(dir / "p", IfThere::refuse); }, {"already"});
  dir.write("p/notes.txt", "stays");
  write_partition(Context(), dir / "p", small_graph(),
                  {.parts = 2, .owners = {0, 0, 0, 0, 1, 1, 1, 1}}, {}, IfThere::replace);
  EXPECT_EQ(read_part(Context(), dir / "p", 1).manifest.parts.size(), 2U);
  EXPECT_FALSE(fs::exists(dir / "p" / "part-2.creg"));
  EXPECT_EQ(test::read_text(dir / "p" / "notes.txt"), "stays");
}

TEST(PartitionFolder, WhatAKilledProcessLeftIsNoObstacle) {
  const test::TempDir dir;
  dir.write("p/partition.json", detail::unfinished_manifest_text());
  dir.write("p/part-0.creg", "half");
  dir.write("p/part-1.creg.part-123-4", "a quarter");
  test::expect_error([&] { read_part(Context(), dir / "p", 0); }, {"never finished"});
  write_small(dir / "p");
  EXPECT_EQ(read_part(Context(), dir / "p", 0).part.own, 3);
  EXPECT_FALSE(fs::exists(dir / "p" / "part-1.creg.part-123-4"));
}

TEST(PartitionFolder, AFailureLeavesNothing) {
  const test::TempDir dir;
  // As on a full disk: the parts do not fit.
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  void (*const handler)(int) = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit little{.rlim_cur = 200, .rlim_max = old.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &little), 0);
  test::expect_error(
      [&] { write_partition(Context(), dir / "p", small_graph(), small_partition(), {}); },
      {"cannot write"}, ErrorKind::environment);
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(fs::is_empty(dir / "p"));
}

TEST(PartitionFolder, AFolderThatIsBeingWrittenIsRefused) {
  const test::TempDir dir;
  const WriteLock lock(Context(), dir.path(), LockMode::alone);
  test::expect_error([&] { write_small(dir.path()); }, {"another process is writing"},
                     ErrorKind::environment);
}

// ---- what can be wrong with it ----

/// The parts of a partition as values that a test changes; checksums are made right afterwards.
class SpoiledPartition : public ::testing::Test {
 protected:
  SpoiledPartition() {
    write_small(dir_.path());
    manifest_text_ = test::read_text(dir_ / "partition.json");
    owners_text_ = test::read_text(dir_ / "owners.npy");
    part_text_ = test::read_text(dir_ / "part-1.creg");
  }

  static Bytes bytes(std::string text, const char* name) {
    return Bytes::from_string(std::move(text), name);
  }

  StoredPart read(const std::string& manifest, const std::string& owners, const std::string& part,
                  int rank = 1) const {
    return read_part(Context(), bytes(manifest, "partition.json"), bytes(owners, "owners.npy"),
                     bytes(part, "part.creg"), rank);
  }

  void expect_manifest_refused(const std::function<void(json&)>& spoil,
                               std::initializer_list<std::string> words) const {
    json manifest = json::parse(manifest_text_);
    spoil(manifest);
    test::expect_error([&] { read(manifest.dump(), owners_text_, part_text_); }, words);
  }

  void expect_owners_refused(const Numbers& owners,
                             std::initializer_list<std::string> words) const {
    const test::TempDir dir;
    write_npy(dir / "o.npy", std::span(owners));
    const std::string text = test::read_text(dir / "o.npy");
    json manifest = json::parse(manifest_text_);
    manifest["owners_bytes"] = text.size();
    manifest["owners_crc32c"] = crc32c(std::as_bytes(std::span(text)));
    test::expect_error([&] { read(manifest.dump(), text, part_text_); }, words);
  }

  void expect_part_refused(const std::function<void(GraphPart&)>& spoil,
                           std::initializer_list<std::string> words) const {
    const test::TempDir dir;
    GraphPart part = read(manifest_text_, owners_text_, part_text_).part;
    spoil(part);
    const CregIdentity identity = write_creg_part(Context(), dir / "p.creg", part, {});
    json manifest = json::parse(manifest_text_);
    manifest["parts"][1]["bytes"] = identity.bytes;
    manifest["parts"][1]["checksum"] = identity.checksum;
    test::expect_error(
        [&] { read(manifest.dump(), owners_text_, test::read_text(dir / "p.creg")); }, words);
  }

  test::TempDir dir_;
  std::string manifest_text_;
  std::string owners_text_;
  std::string part_text_;
};

TEST_F(SpoiledPartition, TheManifest) {
  expect_manifest_refused([](json& m) { m["format"] = "x"; }, {"not the manifest", "'x'"});
  expect_manifest_refused([](json& m) { m["version"] = 2; }, {"newer format", "1 at most"});
  expect_manifest_refused([](json& m) { m["version"] = 0; }, {"version", "out of range"});
  expect_manifest_refused([](json& m) { m["finished"] = false; }, {"never finished"});
  expect_manifest_refused([](json& m) { m["finished"] = 1; }, {"neither true nor false"});
  for (const char* key : {"format",         "version",           "finished",        "dataset",
                          "source",         "transforms",        "writer",          "nodes",
                          "entries",        "directed",          "feature_columns", "classes",
                          "edges_checksum", "features_checksum", "method",          "seed",
                          "cut_entries",    "owners_bytes",      "owners_crc32c",   "parts"}) {
    expect_manifest_refused([&](json& m) { m.erase(key); }, {"a key is missing", key});
    expect_manifest_refused([&](json& m) { m[key] = json::object(); }, {key});
  }
  for (const char* key : {"nodes", "entries", "halo", "bytes", "checksum", "halo_from"}) {
    expect_manifest_refused([&](json& m) { m["parts"][2].erase(key); },
                            {"parts[2]", "a key is missing", key});
    expect_manifest_refused([&](json& m) { m["parts"][0][key] = "many"; }, {"parts[0]", key});
  }
  expect_manifest_refused([](json& m) { m["nodes"] = 0; }, {"nodes", "out of range"});
  expect_manifest_refused([](json& m) { m["nodes"] = 9; }, {"not the whole graph", "8 nodes"});
  expect_manifest_refused([](json& m) { m["nodes"] = 18446744073709551615ULL; }, {"out of range"});
  expect_manifest_refused([](json& m) { m["nodes"] = 8.5; }, {"out of range", "8.5"});
  expect_manifest_refused([](json& m) { m["entries"] = 15; }, {"not the whole graph"});
  expect_manifest_refused([](json& m) { m["entries"] = -1; }, {"out of range", "-1"});
  expect_manifest_refused([](json& m) { m["cut_entries"] = 15; }, {"cut_entries"});
  expect_manifest_refused([](json& m) { m["method"] = "auto"; }, {"unknown method", "'auto'"});
  expect_manifest_refused([](json& m) { m["seed"] = -1; }, {"seed"});
  expect_manifest_refused([](json& m) { m["owners_crc32c"] = 4294967296; }, {"owners_crc32c"});
  expect_manifest_refused([](json& m) { m["parts"] = json::array(); }, {"number of parts"});
  expect_manifest_refused([](json& m) { m["transforms"][0] = 1; }, {"transforms", "not a text"});
  expect_manifest_refused([](json& m) { m["parts"][1] = 7; }, {"parts[1]", "not a JSON object"});
  expect_manifest_refused([](json& m) { m["parts"][0]["nodes"] = 0; }, {"parts[0]", "nodes"});
  expect_manifest_refused([](json& m) { m["parts"][0]["halo"] = 2; }, {"parts[0]", "not the sum"});
  expect_manifest_refused([](json& m) { m["parts"][0]["halo"] = 6; }, {"halo", "0 to 5"});
  expect_manifest_refused(
      [](json& m) {
        m["parts"][0]["halo_from"] = {0, 1};
      },
      {"a number for each part"});
  expect_manifest_refused(
      [](json& m) {
        m["parts"][0]["halo_from"] = {1, 0, 0};
      },
      {"none of its own"});
  expect_manifest_refused([](json& m) { m["parts"][0]["halo_from"] = {0, 2, -1}; }, {"halo_from"});
  expect_manifest_refused(
      [](json& m) {
        m["parts"][0]["halo"] = 3;
        m["parts"][0]["halo_from"] = {0, 3, 0};
      },
      {"more nodes of a part than that has"});
  test::expect_error([&] { read("[]", owners_text_, part_text_); }, {"not a JSON object"});
  test::expect_error([&] { read("{", owners_text_, part_text_); }, {"not valid JSON"});
  for (const int rank : {-1, 3}) {
    test::expect_error([&] { read(manifest_text_, owners_text_, part_text_, rank); },
                       {"no part of this number", std::to_string(rank), "0 to 2"});
  }
}

TEST_F(SpoiledPartition, TheOwners) {
  expect_owners_refused({0, 0, 0, 1, 1, 2, 2}, {"owners.npy", "not an owner for each node"});
  expect_owners_refused({0, 0, 0, 1, 1, 2, 2, 3}, {"belongs to no part", "node 7"});
  expect_owners_refused({0, 0, 0, 1, 1, 2, 2, -1}, {"belongs to no part", "-1"});
  expect_owners_refused({0, 0, 1, 1, 1, 2, 2, 2}, {"other nodes than the manifest says"});
  // As many of each, but others.
  expect_owners_refused({0, 0, 1, 0, 1, 2, 2, 2}, {"an own node belongs to another part"});
  expect_owners_refused({0, 0, 2, 1, 1, 0, 2, 2}, {"a halo node belongs to another part"});
}

TEST_F(SpoiledPartition, ThePart) {
  const auto refused = [&](const std::function<void(GraphPart&)>& spoil,
                           std::initializer_list<std::string> words) {
    expect_part_refused(spoil, words);
  };
  refused([](GraphPart& p) { p.nodes = Numbers{3, 4, 2}; }, {"numbers of nodes", "3", "4"});
  refused([](GraphPart& p) { p.nodes = Numbers{4, 3, 2, 5}; }, {"do not ascend"});
  refused([](GraphPart& p) { p.nodes = Numbers{3, 3, 2, 5}; }, {"do not ascend"});
  refused([](GraphPart& p) { p.nodes = Numbers{3, 8, 2, 5}; }, {"out of range", "8"});
  refused([](GraphPart& p) { p.nodes = Numbers{-1, 4, 2, 5}; }, {"out of range", "-1"});
  refused([](GraphPart& p) { p.nodes = Numbers{2, 4, 2, 5}; }, {"belongs to another part"});
  refused([](GraphPart& p) { p.nodes = Numbers{3, 4, 2, 8}; }, {"halo node 1", "out of range"});
  refused([](GraphPart& p) { p.nodes = Numbers{3, 4, 2, -7}; }, {"halo node 1", "-7"});
  refused([](GraphPart& p) { p.nodes = Numbers{3, 4, 5, 2}; }, {"halo node 0", "part 2"});
  refused([](GraphPart& p) { p.nodes = Numbers{3, 4, 2, 2}; }, {"halo node 1"});
  refused(
      [](GraphPart& p) {
        p.nodes = Numbers{3, 4, 5, 2};
        p.halo_owners = Numbers{2, 0};
      },
      {"not in the order of owners"});
  refused(
      [](GraphPart& p) {
        p.nodes = Numbers{3, 4, 2, 2};
        p.halo_owners = Numbers{0, 0};
      },
      {"not in the order of owners"});
  refused(
      [](GraphPart& p) {
        p.nodes = Numbers{3, 4, 1, 2};
        p.halo_owners = Numbers{0, 0};
      },
      {"halo nodes of part 0", "2", "1"});
  refused(
      [](GraphPart& p) {
        p.nodes = Numbers{3, 4, 2, 4};
        p.halo_owners = Numbers{0, 1};
      },
      {"not this one"});
  refused([](GraphPart& p) { p.halo_owners = Numbers{0}; }, {"owners of the halo"});
  refused([](GraphPart& p) { p.halo_owners = Numbers{0, 9}; }, {"halo node 1", "part 9"});
  using Offsets = std::vector<std::int64_t>;
  refused([](GraphPart& p) { p.send_offsets = Offsets{0, 1, 2}; }, {"lists to send"});
  refused([](GraphPart& p) { p.send_offsets = Offsets{0, 2, 2, 2}; }, {"its receiver expects"});
  refused([](GraphPart& p) { p.send_offsets = Offsets{1, 1, 1, 2}; }, {"its receiver expects"});
  refused([](GraphPart& p) { p.send_offsets = Offsets{0, 1, 1, 99}; }, {"its receiver expects"});
  refused([](GraphPart& p) { p.send_nodes = Numbers{0}; }, {"nodes to send", "1", "2"});
  refused([](GraphPart& p) { p.send_nodes = Numbers{0, 2}; }, {"rows to send", "0 to 1"});
  refused([](GraphPart& p) { p.send_nodes = Numbers{0, -1}; }, {"rows to send", "-1"});
  refused([](GraphPart& p) { p.graph.labels = Numbers{0, 1, 0, -1}; }, {"a halo node has a label"});
  refused([](GraphPart& p) { p.graph.labels = Numbers{0, 3, -1, -1}; }, {"classes"});
  refused(
      [](GraphPart& p) {
        p.graph.splits[0].train = Numbers{0, 2};
      },
      {"a split has a halo node"});
  refused([](GraphPart& p) { p.graph.features = {}; }, {"feature columns"});
  refused([](GraphPart& p) { p.graph.directed = true; }, {"directed in one place"});
  refused([](GraphPart& p) { p.graph.adjacency = test::csr(4, {{0, 1}}); }, {"adjacency entries"});
  refused(
      [](GraphPart& p) {
        p.graph.adjacency = test::csr(4, {{0, 1}, {1, 0}, {1, 3}, {2, 0}});
      },
      {"a row of its own"});
  refused([](GraphPart& p) { p.graph = test::path_graph(3); }, {"nodes", "3", "4"});
}

TEST_F(SpoiledPartition, ADirectedEdgeOutOfThePart) {
  const test::TempDir dir;
  Graph graph;
  graph.directed = true;
  graph.adjacency = test::csr(3, {{0, 1}, {1, 2}});
  write_partition(Context(), dir.path(), graph, {.parts = 2, .owners = {0, 1, 1}}, {});
  GraphPart part = read_part(Context(), dir.path(), 1).part;
  part.graph.adjacency = test::csr(3, {{0, 1}, {0, 2}});
  const CregIdentity identity = write_creg_part(Context(), dir / "part-1.creg", part, {});
  json manifest = json::parse(test::read_text(dir / "partition.json"));
  manifest["parts"][1]["bytes"] = identity.bytes;
  manifest["parts"][1]["checksum"] = identity.checksum;
  dir.write("partition.json", manifest.dump());
  test::expect_error([&] { read_part(Context(), dir.path(), 1); }, {"an edge ends outside"});
}

TEST_F(SpoiledPartition, FilesOfAnotherPartitionOrNone) {
  test::expect_error(
      [&] { read(manifest_text_, owners_text_, test::read_text(dir_ / "part-2.creg")); },
      {"not the file that the manifest names"});
  test::expect_error([&] { read(manifest_text_, owners_text_, "x"); }, {"not a .creg file"});
  test::expect_error([&] { read(manifest_text_, "x", part_text_); }, {"owners.npy", "bytes"});
  // The graph of a part without its arrays.
  const test::TempDir dir;
  write_creg(Context(), dir / "g.creg", small_graph(), {});
  json manifest = json::parse(manifest_text_);
  const CregIdentity identity = creg_identity(map_file(dir / "g.creg"));
  manifest["parts"][1]["bytes"] = identity.bytes;
  manifest["parts"][1]["checksum"] = identity.checksum;
  test::expect_error([&] { read(manifest.dump(), owners_text_, test::read_text(dir / "g.creg")); },
                     {"section 'part nodes' is missing"});
  fs::remove(dir_ / "part-1.creg");
  EXPECT_EQ(read_part(Context(), dir_.path(), 0).part.own, 3);  // that one is not looked at
  test::expect_error([&] { read_part(Context(), dir_.path(), 1); }, {"part-1.creg"});
}

TEST_F(SpoiledPartition, EveryFlippedBitIsSeen) {
  const int flips = 300;
  const auto refused_of = [&](const std::string& whole, auto read_it) {
    return test::read_damaged(whole, read_it, flips);
  };
  // 16 cuts too. All bytes of owners and part are under a checksum.
  EXPECT_EQ(
      refused_of(owners_text_, [&](const std::string& t) { read(manifest_text_, t, part_text_); }),
      flips + 16);
  EXPECT_EQ(
      refused_of(part_text_, [&](const std::string& t) { read(manifest_text_, owners_text_, t); }),
      flips + 16);
  EXPECT_GT(
      refused_of(manifest_text_, [&](const std::string& t) { read(t, owners_text_, part_text_); }),
      flips / 3);
}

}  // namespace
}  // namespace creg::partition_folder_test
