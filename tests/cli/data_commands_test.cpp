#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "cli/run_creg.h"
#include "support/temp_dir.h"
#include "support/test_data.h"

namespace creg::data_commands_test {
namespace {

using nlohmann::json;
using test::run_binary;
using test::run_creg;
using test::RunResult;
using Words = std::vector<std::string>;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

json run_json(Words words, const test::RunOptions& options = {}) {
  words.emplace_back("--json");
  const RunResult result = run_creg(words, options);
  EXPECT_EQ(result.status, 0) << result.err;
  return json::parse(result.out, nullptr, false);
}

// Checks the keys that `expected` has.
void expect_figures(const json& found, const json& expected, const std::string& name) {
  for (const auto& [key, value] : expected.items()) {
    ASSERT_TRUE(found.contains(key)) << name << " lacks " << key;
    EXPECT_EQ(found[key], value) << name << ": " << key;
  }
}

TEST(DataInfo, RealDatasetsHaveTheirVerifiedFigures) {
  CREG_REQUIRE_REAL_DATA(data);
  const json figures = json::parse(R"({
    "cora": {"nodes": 2708, "entries": 10858, "edges": 5278, "directed_edges": 10556,
      "self_loops": 0, "features": 1433, "nonzeros": 49216, "classes": 7, "unlabelled": 0,
      "isolated": 0, "components": 78, "largest_component_nodes": 2485,
      "train": 140, "val": 500, "test": 1000, "protocol": "public"},
    "citeseer": {"nodes": 3327, "entries": 9464, "edges": 4552, "directed_edges": 9104,
      "self_loops": 124, "features": 3703, "nonzeros": 105165, "classes": 6, "unlabelled": 15,
      "isolated": 48, "components": 438, "largest_component_nodes": 2120,
      "train": 120, "val": 500, "test": 1000},
    "cora-npz": {"nodes": 2708, "entries": 5429, "edges": 5278, "features": 1433,
      "nonzeros": 49216, "classes": 7, "train": null, "val": null, "test": null},
    "citeseer-directed": {"nodes": 3312, "entries": 4715, "edges": 4536, "self_loops": 124,
      "features": 3703, "nonzeros": 105165, "classes": 6, "isolated": 48,
      "largest_component_nodes": 2110, "largest_component_edges": 3668},
    "cora-ml": {"nodes": 2995, "entries": 8416, "edges": 8158, "self_loops": 0, "features": 2879,
      "nonzeros": 151171, "classes": 7, "largest_component_nodes": 2810,
      "largest_component_edges": 7981},
    "computers": {"nodes": 13752, "entries": 287209, "edges": 245861, "self_loops": 0,
      "features": 767, "nonzeros": 3675081, "classes": 10, "isolated": 281,
      "largest_component_nodes": 13381, "largest_component_edges": 245778},
    "photo": {"nodes": 7650, "entries": 143663, "edges": 119081, "directed_edges": 143662,
      "self_loops": 1, "features": 745, "nonzeros": 1979909, "classes": 8, "isolated": 115,
      "largest_component_nodes": 7487, "largest_component_edges": 119043},
    "wiki": {"nodes": 2405, "entries": 17981, "edges": 11596, "directed_edges": 15358,
      "self_loops": 1165, "features": 4973, "nonzeros": 1556595, "classes": 17,
      "unlabelled": 0, "isolated": 42, "train": null}
  })");
  const json after = json::parse(R"({
    "cora": {"entries": 10556, "self_loops": 0},
    "citeseer": {"entries": 9104, "self_loops": 0, "unlabelled": 15},
    "cora-npz": {"entries": 10556},
    "citeseer-directed": {"edges": 4536, "self_loops": 0},
    "cora-ml": {"entries": 8416, "directed_edges": 8416},
    "computers": {"entries": 491722, "nodes": 13752},
    "photo": {"entries": 238162, "nodes": 7650, "self_loops": 0},
    "wiki": {"entries": 23192, "self_loops": 0, "nonzeros": 1556595}
  })");
  for (const auto& [name, expected] : figures.items()) {
    const json found = run_json({"data", "info", name, "--data-dir", data.string()});
    ASSERT_TRUE(found.is_object()) << name;
    EXPECT_EQ(found["name"], name);
    expect_figures(found, expected, name);
    expect_figures(found["after_transforms"], after[name], name + " after transforms");
  }
}

TEST(DataInfo, PubmedSaysWhichFileIsMissingAndWhatToDo) {
  CREG_REQUIRE_REAL_DATA(data);
  const RunResult result =
      run_creg({"data", "info", "pubmed"}, {.environment = {"CREG_DATA=" + data.string()}});
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(contains(result.err, "ind.pubmed.allx")) << result.err;
  EXPECT_TRUE(contains(result.err, "creg data get pubmed")) << result.err;
  EXPECT_EQ(result.out, "");
}

TEST(DataInfo, APathWithTheCataloguesBytesIsThatDataset) {
  CREG_REQUIRE_REAL_DATA(data);
  const json folder = run_json({"data", "info", (data / "cora").string()});
  EXPECT_EQ(folder["name"], "cora");
  EXPECT_EQ(folder["protocol"], "public");
  EXPECT_FALSE(folder["transforms"].empty());

  const test::TempDir dir;
  std::filesystem::copy(data / "cora", dir / "copy");
  std::filesystem::permissions(dir / "copy" / "ind.cora.test.index",
                               std::filesystem::perms::owner_write,
                               std::filesystem::perm_options::add);
  // Without the last line end it is the same graph, but not the catalogue's bytes.
  std::string index = test::read_text(data / "cora" / "ind.cora.test.index");
  index.pop_back();
  dir.write("copy/ind.cora.test.index", index);
  const json copy = run_json({"data", "info", (dir / "copy").string()});
  EXPECT_EQ(copy["nodes"], 2708);
  EXPECT_TRUE(copy["transforms"].empty()) << copy["transforms"];
  EXPECT_TRUE(copy["licence"].is_null());
}

TEST(DataInfo, ANamedDatasetWithWrongBytesIsRefused) {
  CREG_REQUIRE_REAL_DATA(data);
  const test::TempDir dir;
  std::filesystem::copy(data / "cora", dir / "cora");
  std::filesystem::permissions(dir / "cora" / "ind.cora.y", std::filesystem::perms::owner_write,
                               std::filesystem::perm_options::add);
  std::string bytes = test::read_text(dir / "cora" / "ind.cora.y");
  bytes[bytes.size() / 2] ^= 1;
  dir.write("cora/ind.cora.y", bytes);
  const RunResult result = run_creg({"data", "info", "cora", "--data-dir", dir.path().string()});
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(contains(result.err, "ind.cora.y")) << result.err;
  EXPECT_TRUE(contains(result.err, "94465c14eb53")) << result.err;  // the expected digest
}

TEST(DataInfo, UnknownNamesAreSuggested) {
  const RunResult result = run_creg({"data", "info", "citeser"});
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(contains(result.err, "citeseer")) << result.err;
  const RunResult synthetic = run_creg({"data", "info", "synthetic:crora"});
  EXPECT_EQ(synthetic.status, 2);
  EXPECT_TRUE(contains(synthetic.err, "cora")) << synthetic.err;
  const RunResult path = run_creg({"data", "info", "./none.csv"});
  EXPECT_EQ(path.status, 2);
  EXPECT_TRUE(contains(path.err, "no such file")) << path.err;
}

TEST(DataInfo, SyntheticGraphsHaveTheirCounts) {
  const json cora = run_json({"data", "info", "synthetic:cora"});
  expect_figures(cora, {{"nodes", 2708}, {"edges", 5278}, {"features", 1433}, {"classes", 7}},
                 "cora");
  const json tenth = run_json({"data", "info", "synthetic:pubmed@0.1"});
  expect_figures(tenth, {{"nodes", 1972}, {"edges", 4432}, {"features", 500}}, "a tenth of pubmed");
}

TEST(DataInfo, OwnFilesByFlagsAndByToml) {
  const test::TempDir dir;
  dir.write("edges.csv", "source,target\nann,bob\nbob,cy\ncy,cy\nann,bob\n");
  dir.write("features.csv", "id,a,b\nann,1,0\nbob,0,2\ncy,1,1\ndi,0,0\n");
  dir.write("labels.csv", "ann,red\nbob,blue\ncy,red\n");
  dir.write("graph.toml",
            "edges = 'edges.csv'\nfeatures = 'features.csv'\nlabels = 'labels.csv'\n");
  const json by_flags =
      run_json({"data", "info", "--edges", (dir / "edges.csv").string(), "--features",
                (dir / "features.csv").string(), "--labels", (dir / "labels.csv").string()});
  const json by_toml = run_json({"data", "info", (dir / "graph.toml").string()});
  for (const json& found : {by_flags, by_toml}) {
    expect_figures(found,
                   {{"nodes", 4},
                    {"entries", 4},
                    {"edges", 2},
                    {"self_loops", 1},
                    {"features", 2},
                    {"classes", 2},
                    {"unlabelled", 1},
                    {"isolated", 1}},
                   "own files");
    expect_figures(found["after_transforms"], {{"entries", 4}, {"self_loops", 0}}, "for training");
  }
  const RunResult notes = run_creg({"data", "info", (dir / "graph.toml").string()});
  EXPECT_TRUE(contains(notes.err, "self loop")) << notes.err;
  EXPECT_FALSE(contains(notes.out, "note")) << notes.out;
}

TEST(DataInfo, BadOwnFilesNameTheLine) {
  const test::TempDir dir;
  dir.write("edges.csv", "0,1\n1,-2\n");
  const RunResult negative = run_creg({"data", "info", (dir / "edges.csv").string()});
  EXPECT_EQ(negative.status, 2);
  EXPECT_TRUE(contains(negative.err, "line 2")) << negative.err;
  EXPECT_TRUE(contains(negative.err, "-2")) << negative.err;

  dir.write("good.csv", "0,1\n1,2\n");
  dir.write("features.csv", "0,1.5\n1,nan\n2,0\n");
  const RunResult nan = run_creg({"data", "info", "--edges", (dir / "good.csv").string(),
                                  "--features", (dir / "features.csv").string()});
  EXPECT_EQ(nan.status, 2);
  EXPECT_TRUE(contains(nan.err, "features.csv: line 2")) << nan.err;

  const RunResult both = run_creg({"data", "info", "cora", "--edges", (dir / "good.csv").string()});
  EXPECT_EQ(both.status, 2);
  EXPECT_TRUE(contains(both.err, "two datasets")) << both.err;
  const RunResult alone = run_creg({"data", "info", "--labels", (dir / "good.csv").string()});
  EXPECT_EQ(alone.status, 2);
  EXPECT_TRUE(contains(alone.err, "--edges")) << alone.err;
}

TEST(DataInfo, UnknownIdsAreToldOrDropped) {
  const test::TempDir dir;
  const std::string edges = dir.write("e.csv", "a,b\n").string();
  const std::string features = dir.write("x.csv", "a,1\nb,2\n").string();
  const std::string labels = dir.write("y.csv", "a,0\nq,1\nb,0\nr,1\n").string();
  Words words = {"data", "info", "--edges", edges, "--features", features, "--labels", labels};
  const RunResult refused = run_creg(words);
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(contains(refused.err, "2 unknown node ids: found 'q' (line 2) and 'r' (line 4)"))
      << refused.err;
  words.insert(words.end(), {"--unknown-ids", "drop"});
  const RunResult dropped = run_creg(words);
  EXPECT_EQ(dropped.status, 0) << dropped.err;
  EXPECT_TRUE(contains(dropped.err, "dropped 2 ids")) << dropped.err;
  words.back() = "maybe";
  EXPECT_EQ(run_creg(words).status, 2);
}

TEST(DataInfo, OneNodeAndNoEdges) {
  const test::TempDir dir;
  dir.write("empty.csv", "");
  dir.write("one.csv", "id,x\nonly,1\n");
  const RunResult empty = run_creg({"data", "info", (dir / "empty.csv").string()});
  EXPECT_EQ(empty.status, 2);
  EXPECT_TRUE(contains(empty.err, "empty")) << empty.err;
  dir.write("comment.csv", "# no edges yet\n");
  const RunResult none = run_creg({"data", "info", "--edges", (dir / "comment.csv").string(),
                                   "--features", (dir / "one.csv").string()});
  EXPECT_EQ(none.status, 2);
  EXPECT_TRUE(contains(none.err, "comment.csv: no edges in this file")) << none.err;
  EXPECT_TRUE(contains(none.err, "--allow-empty")) << none.err;
  const json one = run_json({"data", "info", "--edges", (dir / "comment.csv").string(),
                             "--features", (dir / "one.csv").string(), "--allow-empty"});
  expect_figures(one, {{"nodes", 1}, {"entries", 0}, {"components", 1}, {"isolated", 1}},
                 "one node");
}

TEST(DataConvert, CregKeepsTheGraph) {
  const test::TempDir dir;
  const std::string file = (dir / "small.creg").string();
  const RunResult convert = run_creg({"data", "convert", "synthetic:cora", file});
  ASSERT_EQ(convert.status, 0) << convert.err;
  const json before = run_json({"data", "info", "synthetic:cora"})["after_transforms"];
  const json after = run_json({"data", "info", file})["after_transforms"];
  EXPECT_EQ(before, after);
  EXPECT_EQ(dir.list(), Words{"small.creg"});
}

TEST(DataConvert, OtherFormsAndBack) {
  const test::TempDir dir;
  const std::string npz = (dir / "small.npz").string();
  ASSERT_EQ(run_creg({"data", "convert", "synthetic:cora@0.1", npz}).status, 0);
  const json back = run_json({"data", "info", npz});
  EXPECT_EQ(back["format"], "gnn-benchmark");
  EXPECT_EQ(back["edges"], 528);
  const RunResult unknown =
      run_creg({"data", "convert", "synthetic:cora@0.1", (dir / "x.foo").string()});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_TRUE(contains(unknown.err, ".creg")) << unknown.err;
}

TEST(DataConvert, AFullDiskLeavesNothingUnderTheName) {
  const test::TempDir dir;
  const RunResult result =
      run_creg({"data", "convert", "synthetic:pubmed", (dir / "big.creg").string()},
               {.file_size_limit = 100000});
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_TRUE(contains(result.err, "big.creg")) << result.err;
  EXPECT_EQ(dir.list(), Words{});
}

TEST(DataConvert, ADamagedFileIsRefused) {
  const test::TempDir dir;
  const std::string file = (dir / "small.creg").string();
  ASSERT_EQ(run_creg({"data", "convert", "synthetic:cora@0.1", file}).status, 0);
  std::string bytes = test::read_text(file);
  bytes[bytes.size() / 2] ^= 0x20;
  dir.write("bad.creg", bytes);
  const RunResult flipped = run_creg({"data", "info", (dir / "bad.creg").string()});
  EXPECT_EQ(flipped.status, 2);
  EXPECT_TRUE(contains(flipped.err, "bad.creg")) << flipped.err;
  dir.write("cut.creg", bytes.substr(0, bytes.size() / 3));
  EXPECT_EQ(run_creg({"data", "info", (dir / "cut.creg").string()}).status, 2);
}

TEST(DataSplit, WritesSeededDisjointPartsThatCanBeReadBack) {
  const test::TempDir dir;
  const auto split = [&](const std::string& seed, const std::string& name) {
    const RunResult result =
        run_creg({"data", "split", "synthetic:cora", "--protocol", "random-10-10-80", "--seed",
                  seed, "--out", (dir / name).string()});
    EXPECT_EQ(result.status, 0) << result.err;
    return json::parse(test::read_text(dir / name));
  };
  const json first = split("1", "a.json");
  EXPECT_EQ(first, split("1", "b.json"));
  EXPECT_NE(first, split("2", "c.json"));
  std::set<std::string> seen;
  for (const char* part : {"train", "val", "test"}) {
    for (const json& node : first[part]) EXPECT_TRUE(seen.insert(node.get<std::string>()).second);
  }
  EXPECT_EQ(seen.size(), 2708U);
  const RunResult unknown = run_creg({"data", "split", "synthetic:cora", "--protocol", "randm",
                                      "--out", (dir / "d.json").string()});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_TRUE(contains(unknown.err, "random")) << unknown.err;
}

TEST(DataGet, FromAMirrorFolderOnceOnly) {
  CREG_REQUIRE_REAL_DATA(data);
  const test::TempDir dir;
  const Words get = {
      "data", "get", "cora", "--mirror", data.string(), "--data-dir", dir.path().string()};
  const RunResult first = run_creg(get);
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(run_json({"data", "info", "cora", "--data-dir", dir.path().string()})["nodes"], 2708);
  const json second = run_json(get);
  for (const json& file : second["files"]) EXPECT_EQ(file["outcome"], "already there") << file;
}

TEST(DataGet, NamesWhatItCannotFind) {
  const test::TempDir dir;
  const RunResult unknown = run_creg({"data", "get", "coraa"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_TRUE(contains(unknown.err, "cora")) << unknown.err;
  const RunResult missing = run_creg({"data", "get", "cora", "--mirror", dir.path().string(),
                                      "--data-dir", (dir / "to").string()});
  EXPECT_NE(missing.status, 0);
  EXPECT_TRUE(contains(missing.err, "ind.cora.")) << missing.err;
}

TEST(DataInfo, TablesForPeopleAndAsCsv) {
  const RunResult text = run_creg({"data", "info", "synthetic:cora@0.1"});
  EXPECT_EQ(text.status, 0) << text.err;
  for (const char* part : {"figure                  as stored  for training\n",
                           "\nundirected edges              528           528\n",
                           "\ngraph for training  undirected\n"}) {
    EXPECT_TRUE(contains(text.out, part)) << part << " in\n" << text.out;
  }
  const RunResult csv = run_creg({"data", "info", "synthetic:cora@0.1", "--format", "csv"});
  EXPECT_TRUE(csv.out.starts_with("figure,stored,after_transforms\nnodes,271,271\nentries,"))
      << csv.out;
}

TEST(DataList, ShowsEveryName) {
  const json list = run_json({"data", "list"});
  EXPECT_EQ(list["datasets"].size(), 15U);
  const RunResult table = run_creg({"data", "list"});
  for (const char* name : {"cora", "citeseer-directed", "wikics", "physics", "synthetic:"}) {
    EXPECT_TRUE(contains(table.out, name)) << table.out;
  }
}

TEST(DataConvert, CtrlCLeavesNothingAndSays130) {
  const test::TempDir dir;
  const RunResult result = run_binary(
      {"data", "convert", "synthetic:products", (dir / "out.creg").string(), "--progress", "json"},
      {.while_running = [](int pid, const std::string& err) {
        // The first line of progress shows that the work is under way.
        siginfo_t ended{};
        while (test::read_text(err).empty() && ended.si_pid == 0) {
          ::waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOHANG | WNOWAIT);
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        ::kill(pid, SIGINT);
      }});
  EXPECT_EQ(result.status, 130) << result.err;
  EXPECT_TRUE(contains(result.err, "stopped")) << result.err;
  EXPECT_EQ(dir.list(), Words{});
}

}  // namespace
}  // namespace creg::data_commands_test
