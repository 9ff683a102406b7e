#include "io/edge_split_file.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/expect_error.h"
#include "support/graphs.h"
#include "support/temp_dir.h"

namespace creg::edge_split_file_test {
namespace {

using nlohmann::json;
using Texts = std::vector<std::string>;

EdgeSplitFile read(const std::string& text, const Graph& graph) {
  return read_edge_split_file(Context(), Bytes::from_string(text, "split.json"), graph);
}

/// A path of 60 nodes, a split of it, and the file's text.
class EdgeSplitFiles : public ::testing::Test {
 protected:
  EdgeSplitFiles() {
    write_edge_split_file(Context(), dir_ / "s.json", graph_, file_);
    text_ = test::read_text(dir_ / "s.json");
  }

  void expect_refused(const std::function<void(json&)>& spoil,
                      std::initializer_list<std::string> parts) const {
    json changed = json::parse(text_);
    spoil(changed);
    test::expect_error([&] { read(changed.dump(), graph_); }, parts);
  }
  static void expect_text_refused(const std::string& text,
                                  std::initializer_list<std::string> parts) {
    test::expect_error([&] { read(text, test::path_graph(60)); }, parts);
  }

  test::TempDir dir_;
  Graph graph_ = test::path_graph(60);
  EdgeSplitFile file_{.seed = 18446744073709551615ULL,
                      .split = split_edges(Context(), test::path_graph(60), 3)};
  std::string text_;
};

TEST_F(EdgeSplitFiles, ComeBackAsTheyWereWritten) {
  const EdgeSplitFile back = read(text_, graph_);
  EXPECT_EQ(back.seed, file_.seed);
  EXPECT_EQ(back.split.val, file_.split.val);
  EXPECT_EQ(back.split.test, file_.split.test);
  EXPECT_EQ(back.split.val_non_edges, file_.split.val_non_edges);
  EXPECT_EQ(back.split.test_non_edges, file_.split.test_non_edges);
  EXPECT_TRUE(test::same(back.split.train, file_.split.train));
  EXPECT_EQ(dir_.list(), Texts{"s.json"});
  const json written = json::parse(text_);
  EXPECT_EQ(written["protocol"], "edge-85-5-10");
  EXPECT_EQ(written["dataset"], "path");
  EXPECT_EQ(written["nodes"], 60);
  EXPECT_EQ(written["edges"], 59);
  EXPECT_EQ(written["val"].size(), 2U);
}

TEST_F(EdgeSplitFiles, DirectionsRepeatsAndLoopsAreTheSameGraph) {
  test::Edges edges;
  for (std::int32_t i = 0; i < 59; ++i) edges.insert(edges.end(), {{i + 1, i}, {i + 1, i}, {i, i}});
  Graph other = graph_;
  other.name = "another name";
  other.adjacency = test::csr(60, edges);
  EXPECT_TRUE(test::same(read(text_, other).split.train.adjacency, file_.split.train.adjacency));
}

TEST_F(EdgeSplitFiles, ASplitOfAnotherGraphIsRefused) {
  test::expect_error([&] { read(text_, test::path_graph(61)); },
                     {"split.json", "another graph", "'path' with 60 nodes and 59 edges",
                      "61 nodes and 60 edges"});
  // As many nodes and edges, one of them elsewhere.
  test::Edges edges = {{0, 2}};
  for (std::int32_t i = 1; i < 59; ++i) edges.emplace_back(i, i + 1);
  Graph other = graph_;
  other.adjacency = test::csr(60, edges);
  test::expect_error([&] { read(text_, other); }, {"another graph", "checksum"});
}

TEST_F(EdgeSplitFiles, WhatDoesNotFitIsRefused) {
  expect_refused([](json& j) { j["val"] = json::array(); }, {"split.json", "val", "empty"});
  expect_refused([](json& j) { j["test"][0] = {0, 30}; }, {"test[0]", "not in the graph"});
  expect_refused([](json& j) { j["val_non_edges"][0] = {0, 1}; }, {"0 - 1"});
  expect_refused([](json& j) { j["val_non_edges"] = j["test_non_edges"]; }, {"in two parts"});
  expect_refused([](json& j) { j["val"][0] = {3, 60}; }, {"val[0]", "nodes 0 to 59"});
  expect_refused([](json& j) { j["val"][0] = {5, 4}; }, {"the smaller one first"});
  expect_refused([](json& j) { std::swap(j["test"][0], j["test"][1]); }, {"ascending"});
  expect_refused([](json& j) { j["val"][0] = {1}; }, {"val[0]", "a list of 1"});
  expect_refused([](json& j) { j["val"][0] = {1, 2, 3}; }, {"val[0]", "3"});
  expect_refused([](json& j) { j["val"][0] = {1, -2}; }, {"-2", "[u, v]"});
  expect_refused([](json& j) { j["val"][0] = {1, 4294967296}; }, {"4294967296"});
  expect_refused([](json& j) { j["val"][0] = 7; }, {"val[0]", "7"});
  expect_refused([](json& j) { j["val"] = 7; }, {"val", "7", "a list of pairs"});
  expect_refused([](json& j) { j["val"][0] = {json::array(), 1}; }, {"a list"});
  expect_refused([](json& j) { j["seed"] = "1"; }, {"seed", "whole number"});
  expect_refused([](json& j) { j["nodes"] = json::array(); }, {"nodes", "a list"});
  expect_refused([](json& j) { j["protocol"] = "edge-80"; }, {"unknown protocol", "'edge-80'"});
  expect_refused([](json& j) { j["dataset"] = 5; }, {"dataset", "a string"});
  expect_refused([](json& j) { j.erase("seed"); }, {"a key is missing", "'seed'"});
  expect_refused([](json& j) { j["tests"] = 1; }, {"unknown key", "did you mean test"});
}

TEST_F(EdgeSplitFiles, BadJsonIsRefused) {
  expect_text_refused("", {"not valid JSON"});
  expect_text_refused("[]", {"a list", "an object"});
  expect_text_refused("{}", {"a key is missing"});
  expect_text_refused(R"({"seed": 1, "seed": 1})", {"given twice"});
  expect_text_refused(R"({"seed": {}})", {"an object"});
  expect_text_refused(text_.substr(0, text_.size() / 2), {"not valid JSON", "byte"});
}

}  // namespace
}  // namespace creg::edge_split_file_test
