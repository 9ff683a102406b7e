#include "io/formats/wiki_tadw.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support/expect_error.h"
#include "support/graphs.h"
#include "support/test_data.h"

namespace creg::wiki_tadw_test {
namespace {

Graph read(const std::string& graph, const std::string& group, const std::string& tfidf,
           const ReadOptions& reading = {.allow_empty = true}) {
  return read_wiki(Context(),
                   {.graph = Bytes::from_string(graph, "graph.txt"),
                    .group = Bytes::from_string(group, "group.txt"),
                    .tfidf = Bytes::from_string(tfidf, "tfidf.txt")},
                   reading);
}

TEST(Wiki, ReadsASmallOne) {
  const Graph graph =
      read("0\t1\n2\t2\n0\t1\n", "0\t5\n1\t3\n2\t5\n", "0\t1\t2.5\n0\t4\t1\n2\t0\t0.5\n");
  EXPECT_EQ(graph.nodes(), 3);
  EXPECT_TRUE(graph.directed);
  EXPECT_EQ(test::entries(graph.adjacency), (test::Edges{{0, 1}, {0, 1}, {2, 2}}));
  EXPECT_EQ(std::vector<std::int32_t>(graph.labels.begin(), graph.labels.end()),
            (std::vector<std::int32_t>{1, 0, 1}));
  EXPECT_EQ(graph.class_names, (std::vector<std::string>{"3", "5"}));
  const auto& features = std::get<CsrMatrix>(graph.features);
  EXPECT_EQ(features.cols, 5);
  EXPECT_EQ(test::entries(features), (test::Edges{{0, 1}, {0, 4}, {2, 0}}));
  EXPECT_EQ(features.values[0], 2.5F);
}

TEST(Wiki, SmallestOnes) {
  EXPECT_EQ(read("", "0 1\n", "").nodes(), 1);
  test::expect_error([] { read("", "", ""); }, {"group.txt", "no nodes"});
}

TEST(Wiki, AFileThatHoldsNothingIsNamed) {
  const std::string group = "0 1\n1 2\n";
  EXPECT_EQ(read("0 1\n", group, "0 0 1\n", {}).adjacency.nonzeros(), 1);
  for (const char* nothing : {"", "\n", "# nothing yet\n"}) {
    test::expect_error([&] { read(nothing, group, "0 0 1\n", {}); },
                       {"graph.txt", "no edges in this file", "--allow-empty"});
    test::expect_error([&] { read("0 1\n", group, nothing, {}); },
                       {"tfidf.txt", "no features in this file", "--allow-empty"});
    EXPECT_EQ(read(nothing, group, nothing).nodes(), 2);
  }
}

TEST(Wiki, RefusesBadLines) {
  const std::string group = "0\t1\n1\t2\n";
  test::expect_error([&] { read("0\t2\n", group, ""); },
                     {"graph.txt: line 1, column 2", "out of range", "0 to 1"});
  test::expect_error([&] { read("", "0\t1\n2\t2\n", ""); },
                     {"group.txt: line 2", "not in order", "found 2, expected 1"});
  test::expect_error([&] { read("", "0\t1\n1\n", ""); }, {"group.txt: line 2", "label is missing"});
  test::expect_error([&] { read("", "0\t1\t9\n", ""); }, {"group.txt: line 1", "too many"});
  test::expect_error([&] { read("", "0\t-1\n", ""); }, {"group.txt: line 1, column 2"});
  test::expect_error([&] { read("", group, "0\t1\t1\n0\t1\t2\n"); },
                     {"tfidf.txt: line 2", "not in order"});
  test::expect_error([&] { read("", group, "1\t1\t1\n0\t1\t2\n"); },
                     {"tfidf.txt: line 2", "not in order"});
  test::expect_error([&] { read("", group, "2\t1\t1\n"); }, {"tfidf.txt: line 1", "0 to 1"});
  test::expect_error([&] { read("", group, "0\t1\tnan\n"); }, {"line 1, column 3", "not finite"});
  test::expect_error([&] { read("", group, "0\t1\n"); }, {"line 1", "value is missing"});
  test::expect_error([&] { read("", group, "0\t1\t1\t1\n"); }, {"line 1", "too many"});
  test::expect_error([&] { read("", group, "0\t2147483646\t1\n"); },
                     {"tfidf.txt", "far beyond", "2147483646"});
}

TEST(Wiki, EntriesOutOfOrderAcrossBlocksAreFound) {
  std::string tfidf;
  std::string group;
  for (int i = 0; i < 60000; ++i) {
    group += std::to_string(i) + "\t1\n";
    tfidf += std::to_string(i) + "\t0\t1\n";
  }
  EXPECT_EQ(std::get<CsrMatrix>(read("", group, tfidf).features).nonzeros(), 60000);
  test::expect_error([&] { read("", group, tfidf + "59999\t0\t1\n"); },
                     {"tfidf.txt: line 60001", "not in order"});
}

TEST(Wiki, TheRealFilesHaveTheVerifiedFigures) {
  CREG_REQUIRE_REAL_DATA(data);
  const Graph graph = read_wiki(Context(), data / "wiki");
  EXPECT_EQ(graph.nodes(), 2405);
  EXPECT_EQ(graph.adjacency.nonzeros(), 17981);
  std::set<std::pair<int, int>> directed;
  std::set<std::pair<int, int>> undirected;
  std::set<int> looped;
  std::int64_t loop_lines = 0;
  for (const auto& [u, v] : test::entries(graph.adjacency)) {
    directed.emplace(u, v);
    if (u == v) {
      ++loop_lines;
      looped.insert(u);
    } else {
      undirected.emplace(std::min(u, v), std::max(u, v));
    }
  }
  EXPECT_EQ(directed.size(), 16523U);
  EXPECT_EQ(loop_lines, 1996);
  EXPECT_EQ(looped.size(), 1165U);
  EXPECT_EQ(undirected.size(), 11596U);
  EXPECT_EQ(graph.classes(), 17);
  EXPECT_EQ(graph.class_names.front(), "1");
  EXPECT_EQ(graph.class_names.back(), "19");
  const auto& features = std::get<CsrMatrix>(graph.features);
  EXPECT_EQ(features.cols, 4973);
  EXPECT_EQ(features.nonzeros(), 1556595);
  EXPECT_EQ(*std::min_element(features.values.begin(), features.values.end()), 0.808035F);
  EXPECT_EQ(*std::max_element(features.values.begin(), features.values.end()), 1663.7F);
  std::int64_t bare = 0;
  for (std::int64_t r = 0; r < features.rows; ++r) bare += features.row(r).empty() ? 1 : 0;
  EXPECT_EQ(bare, 88);
}

}  // namespace
}  // namespace creg::wiki_tadw_test
