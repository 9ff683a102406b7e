#include "io/formats/gnn_benchmark.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "io/containers/zip.h"
#include "support/damage.h"
#include "support/expect_error.h"
#include "support/graphs.h"
#include "support/npy_builder.h"
#include "support/temp_dir.h"
#include "support/test_data.h"
#include "support/zip_builder.h"

namespace creg::gnn_benchmark_test {
namespace {

using test::Edges;
using test::expect_error;
using test::npy;
using test::raw;

using Members = std::map<std::string, std::string>;

// Three nodes, 0 -> 2, 0 -> 1, 2 -> 2, with two features.
Members sample() {
  return {
      {"adj_data", npy("<f4", "(3,)", raw<float>({1, 1, 1}))},
      {"adj_indices", npy("<i4", "(3,)", raw<std::int32_t>({2, 1, 2}))},
      {"adj_indptr", npy("<i4", "(4,)", raw<std::int32_t>({0, 2, 2, 3}))},
      {"adj_shape", npy("<i8", "(2,)", raw<std::int64_t>({3, 3}))},
      {"attr_matrix", npy("<f4", "(3, 2)", raw<float>({1, 2, 3, 4, 5, 6}))},
      {"labels", npy("|i1", "(3,)", raw<std::int8_t>({1, 0, 1}))},
      {"class_names", npy("|S1", "(2,)", "ab")},
      {"node_names", npy("|S1", "(3,)", "xyz")},
  };
}

std::string pack(const Members& members) {
  std::vector<test::ZipPart> parts;
  for (const auto& [key, contents] : members) {
    parts.push_back({.name = key + ".npy", .contents = contents});
  }
  return test::build_zip(parts);
}

Graph read(std::string bytes) {
  return read_gnn_benchmark(Context(), Bytes::from_string(std::move(bytes), "dir/small.npz"));
}

void refuse(const std::string& key, const std::string& contents,
            std::initializer_list<std::string> words) {
  Members members = sample();
  members[key] = contents;
  expect_error([&] { read(pack(members)); }, words);
}

TEST(GnnBenchmark, ReadsTheGraphAsStored) {
  const Graph graph = read(pack(sample()));
  EXPECT_EQ(graph.name, "small");
  EXPECT_TRUE(graph.directed);
  EXPECT_EQ(test::entries(graph.adjacency), (Edges{{0, 1}, {0, 2}, {2, 2}}));
  EXPECT_TRUE(graph.adjacency.values.empty());
  EXPECT_EQ(std::get<DenseMatrix>(graph.features).row(2)[1], 6);
  EXPECT_EQ(graph.labels[0], 1);
  EXPECT_EQ(graph.class_names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(graph.node_name(2), "z");
  EXPECT_TRUE(graph.splits.empty());
}

TEST(GnnBenchmark, KeepsWeightsThatAreNotAllOne) {
  Members members = sample();
  members["adj_data"] = npy("<f8", "(3,)", raw<double>({2, 1, 0.5}));
  const Graph graph = read(pack(members));
  EXPECT_EQ(graph.adjacency.values[0], 1);  // sorted with their columns
  EXPECT_EQ(graph.adjacency.values[1], 2);
}

TEST(GnnBenchmark, EverythingButTheAdjacencyIsOptional) {
  Members members = sample();
  for (const char* key : {"attr_matrix", "labels", "class_names", "node_names"}) members.erase(key);
  const Graph graph = read(pack(members));
  EXPECT_FALSE(has_features(graph.features));
  EXPECT_FALSE(graph.has_labels());
  EXPECT_EQ(graph.node_name(1), "1");
  members.erase("adj_indptr");
  expect_error([&] { read(pack(members)); },
               {"small.npz", "'adj_indptr'", "'adj_data', 'adj_indices' and 'adj_shape'"});
}

TEST(GnnBenchmark, SkipsObjectArrays) {
  Members members = sample();
  for (const char* key : {"class_names", "node_names", "attr_names"}) {
    members[key] = npy("|O", "(3,)", "a pickle");
  }
  const Graph graph = read(pack(members));
  EXPECT_TRUE(graph.class_names.empty());
  EXPECT_TRUE(graph.names.empty());
  EXPECT_EQ(graph.classes(), 2);
}

TEST(GnnBenchmark, ReadsOneHotLabels) {
  Members members = sample();
  members["labels"] = npy("<i4", "(3, 2)", raw<std::int32_t>({0, 1, 0, 0, 1, 0}));
  const Graph graph = read(pack(members));
  EXPECT_EQ(graph.labels[0], 1);
  EXPECT_EQ(graph.labels[1], unlabelled);
  EXPECT_EQ(graph.labels[2], 0);
  refuse("labels", npy("<i4", "(3, 2)", raw<std::int32_t>({0, 1, 1, 1, 1, 0})),
         {"'labels.npy': row 1, column 2", "not one-hot", "a second 1"});
  refuse("labels", npy("<f4", "(3, 2)", raw<float>({0, 1, 0.5F, 0, 1, 0})), {"not one-hot", "0.5"});
  refuse("labels", npy("<i4", "(3, 0)", ""), {"no class"});
}

TEST(GnnBenchmark, ReadsLabelsInOneColumn) {
  Members members = sample();
  members["labels"] = npy("<i8", "(3, 1)", raw<std::int64_t>({1, -1, 0}));
  EXPECT_EQ(read(pack(members)).labels[1], unlabelled);
}

TEST(GnnBenchmark, RefusesWhatDoesNotFit) {
  refuse("adj_shape", npy("<i8", "(2,)", raw<std::int64_t>({3, 4})), {"not square"});
  refuse("attr_matrix", npy("<f4", "(2, 2)", raw<float>({1, 2, 3, 4})),
         {"features do not match", "2 feature rows", "3, one per node"});
  refuse("attr_matrix", npy("<f4", "(3, 1)", raw<float>({1, NAN, 3})), {"not finite"});
  refuse("attr_matrix", npy("<f4", "(3, 1)", raw<float>({1, INFINITY, 3})), {"not finite"});
  refuse("adj_data", npy("<f4", "(3,)", raw<float>({1, NAN, 3})), {"not finite"});
  refuse("labels", npy("|i1", "(2,)", raw<std::int8_t>({1, 0})),
         {"'labels.npy'", "labels do not match", "2 labels", "3, one per node"});
  refuse("labels", npy("|i1", "(0,)", ""), {"labels do not match"});
  refuse("labels", npy("|i1", "(3,)", raw<std::int8_t>({1, 0, -2})),
         {"'labels.npy': element 2", "-2"});
  refuse("labels", npy("<i4", "(3,)", raw<std::int32_t>({1, 0, 2147483647})), {"2147483647"});
  refuse("labels", npy("<i4", "(3,)", raw<std::int32_t>({1, 0, 2})),
         {"'class_names.npy'", "2 names", "at least 3"});
  refuse("node_names", npy("|S1", "(2,)", "ab"), {"names do not match", "2 names"});
  refuse("node_names", npy("|S1", "(0,)", ""), {"names do not match"});
}

TEST(GnnBenchmark, AGraphWithoutNodes) {
  const Graph graph = read(pack({
      {"adj_data", npy("<f4", "(0,)", "")},
      {"adj_indices", npy("<i4", "(0,)", "")},
      {"adj_indptr", npy("<i4", "(1,)", raw<std::int32_t>({0}))},
      {"adj_shape", npy("<i8", "(2,)", raw<std::int64_t>({0, 0}))},
  }));
  EXPECT_EQ(graph.nodes(), 0);
}

TEST(GnnBenchmark, SurvivesDamage) {
  const int refused = test::read_damaged(
      pack(sample()), [](std::string bytes) { read(std::move(bytes)); }, 400);
  EXPECT_GT(refused, 16 + 200);
}

TEST(WriteGnnBenchmark, IsReadAgain) {
  const test::TempDir dir;
  const Graph graph = read(pack(sample()));
  write_gnn_benchmark(dir / "out.npz", graph);
  const Graph again = read_gnn_benchmark(Context(), map_file(dir / "out.npz"));
  EXPECT_EQ(test::entries(again.adjacency), test::entries(graph.adjacency));
  EXPECT_EQ(std::get<DenseMatrix>(again.features).row(2)[1], 6);
  EXPECT_EQ(again.class_names, graph.class_names);
  EXPECT_EQ(again.node_name(2), "z");
  EXPECT_TRUE(std::equal(again.labels.begin(), again.labels.end(), graph.labels.begin()));
}

struct Known {
  const char* file;
  std::int64_t nodes, entries, features, nonzeros;
  std::int32_t classes;
  std::int64_t edges, loops;
  bool names;
};

class RealNpz : public testing::TestWithParam<Known> {};

TEST_P(RealNpz, HasTheKnownFigures) {
  CREG_REQUIRE_REAL_DATA(data);
  const Known& known = GetParam();
  const Bytes file = map_file(data / known.file);
  const Graph graph = read_gnn_benchmark(Context(), file);
  EXPECT_EQ(graph.nodes(), known.nodes);
  EXPECT_EQ(graph.adjacency.nonzeros(), known.entries);
  EXPECT_TRUE(graph.adjacency.values.empty());
  EXPECT_EQ(feature_cols(graph.features), known.features);
  EXPECT_EQ(feature_nonzeros(graph.features), known.nonzeros);
  EXPECT_EQ(graph.classes(), known.classes);
  EXPECT_EQ(std::count(graph.labels.begin(), graph.labels.end(), unlabelled), 0);
  EXPECT_EQ(!graph.names.empty(), known.names);
  EXPECT_EQ(static_cast<std::int32_t>(graph.class_names.size()), known.classes);
  Edges pairs;
  std::int64_t loops = 0;
  for (const auto& [u, v] : test::entries(graph.adjacency)) {
    if (u == v) {
      ++loops;
    } else {
      pairs.emplace_back(std::min(u, v), std::max(u, v));
    }
  }
  std::sort(pairs.begin(), pairs.end());
  const auto distinct = std::unique(pairs.begin(), pairs.end()) - pairs.begin();
  EXPECT_EQ(distinct, known.edges);
  EXPECT_EQ(loops, known.loops);
}

TEST(RealNpzDamage, IsRefused) {
  CREG_REQUIRE_REAL_DATA(data);
  for (const char* name : {"cora_npz/cora.npz", "cora_ml/cora_ml.npz"}) {
    const Bytes file = map_file(data / name);
    const Context context;
    const int refused = test::read_damaged(
        file.text(),
        [&](std::string bytes) {
          read_gnn_benchmark(context, Bytes::from_string(std::move(bytes), "damaged.npz"));
        },
        20);
    EXPECT_GT(refused, 16 + 10);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Files, RealNpz,
    testing::Values(Known{"cora_npz/cora.npz", 2708, 5429, 1433, 49216, 7, 5278, 0, true},
                    Known{"citeseer_npz/citeseer.npz", 3312, 4715, 3703, 105165, 6, 4536, 124,
                          true},
                    Known{"cora_ml/cora_ml.npz", 2995, 8416, 2879, 151171, 7, 8158, 0, true},
                    Known{"amazon_computers/amazon_electronics_computers.npz", 13752, 287209, 767,
                          3675081, 10, 245861, 0, false},
                    Known{"amazon_photo/amazon_electronics_photo.npz", 7650, 143663, 745, 1979909,
                          8, 119081, 1, false}));

}  // namespace
}  // namespace creg::gnn_benchmark_test
