#include "io/split_file.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/graphs.h"
#include "support/temp_dir.h"

namespace creg::split_file_test {
namespace {

using Ids = std::vector<std::int32_t>;
using Texts = std::vector<std::string>;

Graph named_graph() {
  Graph graph = test::path_graph(4);
  graph.names = NodeNames(Texts{"alice", "bob", "7", "say \"hi\""});
  return graph;
}

SplitFile read(const std::string& json, const Graph& graph) {
  return read_split_file(Context(), Bytes::from_string(json, "split.json"), graph);
}

Ids ids(const Array<std::int32_t>& part) {
  return {part.begin(), part.end()};
}

TEST(SplitFile, ReadsNamesAndNumbers) {
  const SplitFile file = read(
      R"({"seed": 3, "protocol": "mine", "test": [7], "train": ["say \"hi\"", "alice"], "val": []})",
      named_graph());
  EXPECT_EQ(file.protocol, "mine");
  EXPECT_EQ(file.split.name, "mine");
  EXPECT_EQ(file.seed, 3U);
  EXPECT_EQ(ids(file.split.train), (Ids{0, 3}));
  EXPECT_EQ(ids(file.split.val), Ids{});
  EXPECT_EQ(ids(file.split.test), Ids{2});
  const SplitFile plain =
      read(R"({"train": [2, "0"], "val": [1], "test": [3]})", test::path_graph(4));
  EXPECT_EQ(ids(plain.split.train), (Ids{0, 2}));
  EXPECT_FALSE(plain.seed.has_value());
}

TEST(SplitFile, ComesBackAsItWasWritten) {
  const test::TempDir dir;
  for (const Graph& graph : {named_graph(), test::path_graph(4)}) {
    const SplitFile file{.protocol = "random \"10\"",
                         .seed = 18446744073709551615ULL,
                         .split = {.train = Ids{1, 3}, .val = Ids{0}, .test = Ids{2}}};
    write_split_file(dir / "s.json", graph, file);
    const SplitFile back = read_split_file(Context(), map_file(dir / "s.json"), graph);
    EXPECT_EQ(back.protocol, file.protocol);
    EXPECT_EQ(back.seed, file.seed);
    EXPECT_EQ(ids(back.split.train), ids(file.split.train));
    EXPECT_EQ(ids(back.split.val), ids(file.split.val));
    EXPECT_EQ(ids(back.split.test), ids(file.split.test));
  }
  EXPECT_EQ(dir.list(), Texts{"s.json"});
}

TEST(SplitFile, RefusesNamesThatJsonCannotHold) {
  const test::TempDir dir;
  Graph graph = test::path_graph(1);
  graph.names = NodeNames(Texts{"\xff"});
  test::expect_error([&] { write_split_file(dir / "s.json", graph, {.split = {.train = Ids{0}}}); },
                     {"s.json", "not UTF-8"});
  EXPECT_EQ(dir.list(), Texts{});
}

TEST(SplitFile, RefusesWhatDoesNotFit) {
  const Graph graph = named_graph();
  const auto refused = [&](const std::string& json, std::initializer_list<std::string> parts) {
    test::expect_error([&] { read(json, graph); }, parts);
  };
  refused(R"({"train": ["alise"], "val": [], "test": []})",
          {"split.json: train[0]", "unknown node", "'alise'", "did you mean 'alice'?"});
  refused(R"({"train": ["bob"], "val": ["alice", "bob"], "test": []})",
          {"val[1]", "listed twice", "already in train"});
  refused(R"({"train": [], "val": []})", {"part is missing", "'test'"});
  refused(R"({"train": [], "val": [], "test": [], "tests": []})",
          {"unknown key", "'tests'", "did you mean test"});
  refused(R"({"train": [], "train": []})", {"given twice", "'train'"});
  refused(R"({"train": [[]]})", {"train[0]", "a list", "a node's name"});
  refused(R"({"train": [1.5]})", {"train[0]", "1.5"});
  refused(R"({"train": [-1]})", {"train[0]", "-1"});
  refused(R"({"train": [null]})", {"null"});
  refused(R"({"train": {}})", {"an object", "list of node names"});
  refused(R"({"train": "alice"})", {"the string 'alice'"});
  refused(R"({"seed": "x"})", {"seed", "whole number"});
  refused(R"({"seed": -1})", {"seed", "-1"});
  refused(R"({"protocol": 5})", {"protocol", "a string"});
  refused(R"([])", {"a list", "an object"});
  refused("", {"not valid JSON", "the end"});
  refused(R"({"train": ["ali)", {"not valid JSON", "byte"});
  refused("{\"train\": [\"\xff\"]}", {"not valid JSON", "byte"});
  refused(R"({"train": [1e999]})", {"not valid JSON"});
  test::expect_error([] { read(R"({"train": [4], "val": [], "test": []})", test::path_graph(4)); },
                     {"unknown node", "'4'", "0 to 3"});
}

TEST(SplitFile, UnknownNamesAreCountedOrDropped) {
  const Graph graph = test::path_graph(4);
  const std::string text = R"({"train": ["x", 0, 9], "val": [8, 1], "test": [7, 2, 3]})";
  test::expect_error(
      [&] { read(text, graph); },
      {"train[0]", "4 unknown node ids", "'x' (train[0]), '9' (train[2]), '8' (val[0]) and 1 more",
       "0 to 3", "--unknown-ids drop"});
  const Split split =
      read_split_file(Context(), Bytes::from_string(text, "split.json"), graph, UnknownIds::drop)
          .split;
  EXPECT_EQ(split.train.size(), 1);
  EXPECT_EQ(split.val[0], 1);
  EXPECT_EQ(split.test.size(), 2);
}

TEST(SplitFile, NeedsNamesThatDiffer) {
  Graph graph = test::path_graph(2);
  graph.names = NodeNames(Texts{"a", "a"});
  test::expect_error([&] { read(R"({"train": [], "val": [], "test": []})", graph); },
                     {"names that differ"});
}

}  // namespace
}  // namespace creg::split_file_test
