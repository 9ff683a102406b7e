#include "io/formats/planetoid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "support/damage.h"
#include "support/expect_error.h"
#include "support/graphs.h"
#include "support/pickle_builder.h"
#include "support/planetoid_sample.h"
#include "support/temp_dir.h"
#include "support/test_data.h"

namespace creg::planetoid_test {
namespace {

using test::Edges;
using test::expect_error;
using test::pickle_file;
using test::raw;

using Files = std::map<std::string, std::string>;
using Ints = std::vector<std::int32_t>;

Graph read(const Files& files) {
  const auto get = [&](const std::string& part) {
    return Bytes::from_string(files.at(part), "ind.tiny." + part);
  };
  return read_planetoid(Context(),
                        {.x = get("x"),
                         .y = get("y"),
                         .tx = get("tx"),
                         .ty = get("ty"),
                         .allx = get("allx"),
                         .ally = get("ally"),
                         .graph = get("graph"),
                         .test_index = get("test.index")},
                        "tiny");
}

void refuse(const std::string& part, const std::string& contents,
            std::initializer_list<std::string> words) {
  Files files = test::planetoid_sample();
  files[part] = contents;
  expect_error([&] { read(files); }, words);
}

Ints list(const Array<std::int32_t>& array) {
  return {array.begin(), array.end()};
}

TEST(Planetoid, ReadsTheGraphAsStored) {
  const Graph graph = read(test::planetoid_sample());
  EXPECT_EQ(graph.name, "tiny");
  EXPECT_FALSE(graph.directed);
  EXPECT_EQ(test::entries(graph.adjacency),
            (Edges{{0, 1}, {0, 1}, {1, 0}, {1, 0}, {2, 2}, {2, 2}, {3, 4}, {4, 3}}));
  EXPECT_EQ(list(graph.labels), (Ints{1, 0, 1, 1, unlabelled, 0}));
  ASSERT_EQ(graph.splits.size(), 1U);
  EXPECT_EQ(graph.splits[0].name, "public");
  EXPECT_EQ(list(graph.splits[0].train), (Ints{0}));
  EXPECT_EQ(list(graph.splits[0].val), (Ints{1, 2}));
  EXPECT_EQ(list(graph.splits[0].test), (Ints{3, 5}));
}

TEST(Planetoid, PlacesTestRowsByTheirIds) {
  const DenseMatrix features = to_dense(read(test::planetoid_sample()).features);
  const std::vector<float> expected = {0, 1, 0, 0,  //
                                       0, 0, 0, 0,  //
                                       1, 0, 1, 0,  //
                                       0, 0, 1, 0,  // line 2 of test.index
                                       0, 0, 0, 0,  // in no file
                                       1, 0, 0, 1};
  EXPECT_EQ(std::vector<float>(features.values.begin(), features.values.end()), expected);
}

TEST(Planetoid, KeepsValuesThatAreNotAllOne) {
  Files files = test::planetoid_sample();
  files["tx"] = pickle_file(test::pickled_csr(2, 4, {0, 2, 3}, {0, 3, 2}, {0.5F, 1, 1}));
  const DenseMatrix features = to_dense(read(files).features);
  EXPECT_EQ(features.row(5)[0], 0.5F);
  EXPECT_EQ(features.row(0)[1], 1);
}

TEST(Planetoid, OneClassIsOneHotToo) {
  Files files = test::planetoid_sample();
  files["y"] = test::pickled_one_hot({1}, 1);
  files["ty"] = test::pickled_one_hot({1, 1}, 1);
  files["ally"] = test::pickled_one_hot({1, 1, 1}, 1);
  EXPECT_EQ(list(read(files).labels), (Ints{0, 0, 0, 0, unlabelled, 0}));
}

TEST(Planetoid, RefusesFilesThatDoNotMatch) {
  refuse("x", pickle_file(test::pickled_csr(1, 3, {0, 1}, {1}, {1})),
         {"ind.tiny.x", "features do not match", "found 3", "4, as in allx"});
  refuse("x", pickle_file(test::pickled_csr(2, 4, {0, 1, 1}, {1}, {1})),
         {"ind.tiny.y", "rows do not match", "2, as in x"});
  refuse("y", test::pickled_one_hot({1, 0}, 2), {"ind.tiny.y", "not the first ones of ally"});
  refuse("y", test::pickled_one_hot({0, 1, 0}, 3), {"ind.tiny.y", "classes do not match"});
  refuse("y", test::pickled_one_hot({1, 1}, 2), {"ind.tiny.y", "not one-hot"});
  refuse("tx", pickle_file(test::pickled_csr(2, 5, {0, 2, 3}, {0, 3, 2}, {1, 1, 1})),
         {"ind.tiny.tx", "found 5"});
  refuse("ty", test::pickled_one_hot({1, 0}, 2),
         {"ind.tiny.ty", "rows do not match", "2, as in tx"});
  refuse("ty", test::pickled_one_hot({1, 0, 2, 1}, 2), {"ind.tiny.ty", "not one-hot"});
  refuse("ally", test::pickled_one_hot({0, 1, 1, 0}, 2), {"ind.tiny.ally", "rows do not match"});
  refuse("test.index", "5\n", {"ind.tiny.test.index", "lines do not match", "2, as in tx"});
  refuse("test.index", "5\n5\n", {"ind.tiny.test.index", "listed twice", "node 5"});
  refuse("test.index", "5\n2\n", {"ind.tiny.test.index", "node 2", "3 or more"});
  refuse("test.index", "5\nx\n", {"ind.tiny.test.index: line 2", "'x'"});
  refuse("test.index", "5\n\n3\n", {"line 2", "''"});
  refuse("test.index", "5\n-3\n", {"line 2", "'-3'"});
  refuse("test.index", "3\n99999999999\n", {"line 2", "'99999999999'"});
  refuse("test.index", "3\n2147483646\n",
         {"ind.tiny.graph", "nodes do not match", "2,147,483,647, as in allx and test.index"});
}

TEST(Planetoid, RefusesAGraphThatDoesNotMatch) {
  refuse("graph", pickle_file(test::pickled_graph({{1}, {0}})),
         {"ind.tiny.graph", "found 2", "expected 6"});
  refuse("graph", pickle_file(test::pickled_graph({{6}, {}, {}, {}, {}, {}})),
         {"ind.tiny.graph: node 0", "the number 6", "0 to 5"});
  refuse("graph", pickle_file(test::pickled_graph({{-1}, {}, {}, {}, {}, {}})), {"number -1"});
  refuse("graph", pickle_file("]"), {"a list of 0", "a dict"});
  const std::string twice("}(K\0]K\1]K\2]K\3]K\4]K\4]u", 21);
  refuse("graph", pickle_file(twice), {"listed twice", "node 4"});
  const std::string not_a_list("}(K\0]K\1]K\2]K\3]K\4]K\5Nu", 21);
  refuse("graph", pickle_file(not_a_list), {"node 5", "None", "a list"});
}

TEST(Planetoid, OneListForAllNodesCannotFillTheMemory) {
  // A list of a thousand, referred to by every node.
  constexpr int nodes = 6;
  std::string shared = "}(";
  for (int node = 0; node < nodes; ++node) {
    shared += test::pickled(node) + (node == 0 ? "]q\x01(" : "h\x01");
    if (node > 0) continue;
    for (int i = 0; i < 1000; ++i) shared += test::pickled(1);
    shared += "e";
  }
  refuse("graph", pickle_file(shared + "u"), {"more neighbours than the file has bytes"});
}

TEST(Planetoid, SurvivesDamageInAnyFile) {
  for (const auto& [part, contents] : test::planetoid_sample()) {
    test::read_damaged(
        contents,
        [&, part = part](std::string bytes) {
          Files files = test::planetoid_sample();
          files[part] = std::move(bytes);
          read(files);
        },
        100);
  }
}

TEST(PlanetoidFolder, SaysWhatIsMissingAndWhereItIs) {
  const test::TempDir dir;
  for (const auto& [part, contents] : test::planetoid_sample())
    dir.write("ind.tiny." + part, contents);
  dir.write("ind.other.x", "");
  dir.write("ind.x", "");
  dir.write("readme", "");
  EXPECT_EQ(planetoid_names(dir.path()), (std::vector<std::string>{"other", "tiny"}));
  EXPECT_EQ(read_planetoid(Context(), dir.path(), "tiny").nodes(), 6);
  std::filesystem::remove(dir / "ind.tiny.ty");
  expect_error(
      [&] { read_planetoid(Context(), dir.path(), "tiny"); },
      {"ind.tiny.ty", "a file of this dataset is missing",
       "https://github.com/kimiyoung/planetoid/raw/master/data/ind.tiny.ty", "creg data get tiny"});
  std::filesystem::remove(dir / "ind.tiny.graph");
  expect_error([&] { read_planetoid(Context(), dir.path(), "tiny"); },
               {"files of this dataset are missing", "no ind.tiny.ty or ind.tiny.graph"});
  expect_error([&] { planetoid_names(dir / "none"); }, {"none", "no such folder"});
}

struct Known {
  const char* name;
  std::int64_t nodes, entries, features, nonzeros;
  std::int32_t classes;
  std::int64_t edges, loops, isolated, unlabelled_nodes, train;
};

class RealPlanetoid : public testing::TestWithParam<Known> {};

TEST_P(RealPlanetoid, HasTheKnownFigures) {
  CREG_REQUIRE_REAL_DATA(data);
  const Known& known = GetParam();
  EXPECT_EQ(planetoid_names(data / known.name), std::vector<std::string>{known.name});
  const Graph graph = read_planetoid(Context(), data / known.name, known.name);
  EXPECT_EQ(graph.nodes(), known.nodes);
  EXPECT_EQ(graph.adjacency.nonzeros(), known.entries);
  EXPECT_EQ(feature_cols(graph.features), known.features);
  EXPECT_EQ(feature_nonzeros(graph.features), known.nonzeros);
  EXPECT_TRUE(std::get<CsrMatrix>(graph.features).values.empty());
  EXPECT_EQ(graph.classes(), known.classes);
  EXPECT_EQ(std::count(graph.labels.begin(), graph.labels.end(), unlabelled),
            known.unlabelled_nodes);
  std::set<std::pair<std::int32_t, std::int32_t>> pairs;
  std::set<std::int32_t> loops;
  std::set<std::int32_t> linked;
  for (const auto& [u, v] : test::entries(graph.adjacency)) {
    if (u == v) {
      loops.insert(u);
    } else {
      pairs.emplace(std::min(u, v), std::max(u, v));
      linked.insert(u);
    }
  }
  EXPECT_EQ(static_cast<std::int64_t>(pairs.size()), known.edges);
  EXPECT_EQ(static_cast<std::int64_t>(loops.size()), known.loops);
  EXPECT_EQ(known.nodes - static_cast<std::int64_t>(linked.size()), known.isolated);
  ASSERT_EQ(graph.splits.size(), 1U);
  const Split& split = graph.splits[0];
  EXPECT_EQ(split.train.size(), known.train);
  EXPECT_EQ(split.val.size(), 500);
  EXPECT_EQ(split.test.size(), 1000);
  std::map<std::int32_t, int> per_class;
  for (const std::int32_t node : split.train) ++per_class[graph.labels[node]];
  EXPECT_EQ(static_cast<std::int32_t>(per_class.size()), known.classes);
  for (const auto& [label, count] : per_class) EXPECT_EQ(count, 20) << label;
}

INSTANTIATE_TEST_SUITE_P(
    Files, RealPlanetoid,
    testing::Values(Known{"cora", 2708, 10858, 1433, 49216, 7, 5278, 0, 0, 0, 140},
                    Known{"citeseer", 3327, 9464, 3703, 105165, 6, 4552, 124, 48, 15, 120}));

TEST(RealPlanetoidFiles, CiteseersMissingNodesAreEmpty) {
  CREG_REQUIRE_REAL_DATA(data);
  const Graph graph = read_planetoid(Context(), data / "citeseer", "citeseer");
  const auto& features = std::get<CsrMatrix>(graph.features);
  const Ints missing = {2407, 2489, 2553, 2682, 2781, 2953, 3042, 3063,
                        3212, 3214, 3250, 3292, 3305, 3306, 3309};
  for (const std::int32_t node : missing) {
    EXPECT_EQ(graph.labels[node], unlabelled);
    EXPECT_TRUE(features.row(node).empty());
    EXPECT_FALSE(
        std::binary_search(graph.splits[0].test.begin(), graph.splits[0].test.end(), node));
    std::set<std::int32_t> others(graph.adjacency.row(node).begin(),
                                  graph.adjacency.row(node).end());
    others.erase(node);
    EXPECT_TRUE(others.size() == 1 || others.size() == 2);
  }
}

TEST(RealPlanetoidFiles, PubmedNamesTheFileThatIsMissing) {
  CREG_REQUIRE_REAL_DATA(data);
  if (std::filesystem::exists(data / "pubmed/ind.pubmed.allx")) return;  // someone completed it
  expect_error([&] { read_planetoid(Context(), data / "pubmed", "pubmed"); },
               {"ind.pubmed.allx: a file of this dataset is missing",
                "https://github.com/kimiyoung/planetoid/raw/master/data/ind.pubmed.allx",
                "creg data get pubmed"});
}

TEST(RealPlanetoidFiles, DamageIsRefusedOrHarmless) {
  CREG_REQUIRE_REAL_DATA(data);
  const Context context;
  for (const char* part : {"allx", "ally", "graph", "test.index", "tx", "ty", "x", "y"}) {
    const test::TempDir dir;
    for (const auto& entry : std::filesystem::directory_iterator(data / "cora")) {
      std::filesystem::create_symlink(std::filesystem::absolute(entry.path()),
                                      dir.path() / entry.path().filename());
    }
    const std::string name = std::string("ind.cora.") + part;
    const std::string whole = test::read_text(dir / name);
    std::filesystem::remove(dir / name);
    test::read_damaged(
        whole,
        [&](std::string bytes) {
          dir.write(name, bytes);
          read_planetoid(context, dir.path(), "cora");
        },
        4);
  }
}

}  // namespace
}  // namespace creg::planetoid_test
