#include "io/formats/reddit.h"

#include <gtest/gtest.h>

#include <map>

#include "support/damage.h"
#include "support/expect_error.h"
#include "support/graphs.h"
#include "support/npy_builder.h"
#include "support/temp_dir.h"
#include "support/zip_builder.h"

namespace creg::reddit_test {
namespace {

using test::Edges;
using test::expect_error;
using test::npy;
using test::raw;

using Ints = std::vector<std::int32_t>;
using Longs = std::vector<std::int64_t>;
using Members = std::map<std::string, std::string>;

Members sample_data() {
  return {
      {"feature", npy("<f4", "(4, 2)", raw<float>({1, 2, 3, 4, 5, 6, 7, 8}))},
      {"label", npy("<i4", "(4,)", raw<std::int32_t>({0, 2, 1, 0}))},
      {"node_types", npy("<i4", "(4,)", raw<std::int32_t>({1, 3, 2, 1}))},
      {"node_ids", npy("<i4", "(4,)", raw<std::int32_t>({0, 1, 2, 3}))},
  };
}

Members sample_graph() {
  return {
      {"row", npy("<i4", "(4,)", raw<std::int32_t>({1, 0, 3, 0}))},
      {"col", npy("<i4", "(4,)", raw<std::int32_t>({0, 1, 0, 3}))},
      {"data", npy("<f8", "(4,)", raw<double>({1, 1, 1, 1}))},
      {"shape", npy("<i8", "(2,)", raw<std::int64_t>({4, 4}))},
      {"format", npy("|S3", "()", "coo")},
  };
}

std::string pack(const Members& members) {
  std::vector<test::ZipPart> parts;
  for (const auto& [key, contents] : members) {
    parts.push_back({.name = key + ".npy", .contents = contents, .deflate = true});
  }
  return test::build_zip(parts);
}

Graph read(std::string data, std::string graph) {
  return read_reddit(Context(), Bytes::from_string(std::move(data), "reddit_data.npz"),
                     Bytes::from_string(std::move(graph), "reddit_graph.npz"));
}

Ints list(const Array<std::int32_t>& array) {
  return {array.begin(), array.end()};
}

TEST(Reddit, ReadsBothFiles) {
  const test::TempDir dir;
  dir.write("reddit_data.npz", pack(sample_data()));
  dir.write("reddit_graph.npz", pack(sample_graph()));
  const Graph graph = read_reddit(Context(), dir.path());
  EXPECT_EQ(graph.name, "reddit");
  EXPECT_FALSE(graph.directed);
  EXPECT_EQ(test::entries(graph.adjacency), (Edges{{0, 1}, {0, 3}, {1, 0}, {3, 0}}));
  EXPECT_TRUE(graph.adjacency.values.empty());
  EXPECT_EQ(std::get<DenseMatrix>(graph.features).row(3)[1], 8);
  EXPECT_EQ(list(graph.labels), (Ints{0, 2, 1, 0}));
  EXPECT_TRUE(graph.names.empty());
  ASSERT_EQ(graph.splits.size(), 1U);
  EXPECT_EQ(graph.splits[0].name, "public");
  EXPECT_EQ(list(graph.splits[0].train), (Ints{0, 3}));
  EXPECT_EQ(list(graph.splits[0].val), (Ints{2}));
  EXPECT_EQ(list(graph.splits[0].test), (Ints{1}));
}

TEST(Reddit, KeepsIdsThatAreNotTheOrder) {
  Members data = sample_data();
  data["node_ids"] = npy("<i8", "(4,)", raw<std::int64_t>({10, 11, 12, 13}));
  EXPECT_EQ(read(pack(data), pack(sample_graph())).node_name(2), "12");
  data.erase("node_ids");
  EXPECT_EQ(read(pack(data), pack(sample_graph())).node_name(2), "2");
}

TEST(Reddit, RefusesWhatDoesNotFit) {
  const auto bad_data = [](const std::string& key, const std::string& contents,
                           std::initializer_list<std::string> words) {
    Members data = sample_data();
    data[key] = contents;
    expect_error([&] { read(pack(data), pack(sample_graph())); }, words);
  };
  bad_data("label", npy("<i4", "(3,)", raw<std::int32_t>({0, 2, 1})),
           {"reddit_data.npz: member 'label.npy'", "found 3", "4, one per row"});
  bad_data("node_types", npy("<i4", "(3,)", raw<std::int32_t>({1, 1, 1})), {"'node_types.npy'"});
  bad_data("node_types", npy("<i4", "(4,)", raw<std::int32_t>({1, 3, 2, 4})),
           {"'node_types.npy': element 3", "found 4", "1 (train)"});
  bad_data("node_ids", npy("<i4", "(1,)", raw<std::int32_t>({1})), {"'node_ids.npy'"});
  bad_data("feature", npy("<f4", "(2147483647, 0)", ""), {"'label.npy'", "2,147,483,647"});
  bad_data("feature", npy("<f4", "(4,)", raw<float>({1, 2, 3, 4})), {"number of dimensions"});
  Members graph = sample_graph();
  graph["shape"] = npy("<i8", "(2,)", raw<std::int64_t>({2147483647, 2147483647}));
  expect_error([&] { read(pack(sample_data()), pack(graph)); },
               {"reddit_graph.npz: member 'shape.npy'", "does not match the nodes", "4 x 4"});
  Members none = sample_data();
  none.erase("label");
  expect_error([&] { read(pack(none), pack(sample_graph())); },
               {"reddit_data.npz", "'feature', 'node_ids' and 'node_types'", "'label'"});
}

TEST(Reddit, SaysWhatIsMissing) {
  const test::TempDir dir;
  dir.write("reddit_data.npz", pack(sample_data()));
  expect_error([&] { read_reddit(Context(), dir.path()); },
               {"reddit_graph.npz", "missing", "creg data get reddit"});
}

TEST(Reddit, SurvivesDamage) {
  const std::string data = pack(sample_data());
  const std::string graph = pack(sample_graph());
  EXPECT_GT(test::read_damaged(data, [&](std::string bytes) { read(std::move(bytes), graph); }),
            100);
  EXPECT_GT(test::read_damaged(graph, [&](std::string bytes) { read(data, std::move(bytes)); }),
            100);
}

}  // namespace
}  // namespace creg::reddit_test
