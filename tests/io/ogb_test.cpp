#include "io/formats/ogb.h"

#include <gtest/gtest.h>

#include <map>

#include "support/compress.h"
#include "support/expect_error.h"
#include "support/graphs.h"
#include "support/temp_dir.h"
#include "support/zip_builder.h"

namespace creg::ogb_test {
namespace {

using Ids = std::vector<std::int32_t>;
using Texts = std::map<std::string, std::string>;

const Texts small = {{"raw/num-node-list.csv.gz", "4\n"},
                     {"raw/num-edge-list.csv.gz", "3\n"},
                     {"raw/edge.csv.gz", "0,1\n3,0\n0,1\n"},
                     {"raw/node-feat.csv.gz", "1.5,2\n-3,4\n5,6\n7,8\n"},
                     {"raw/node-label.csv.gz", "2\nnan\n0\n\"\"\n"},
                     {"split/time/train.csv.gz", "2\n0\n"},
                     {"split/time/valid.csv.gz", "1\n"},
                     {"split/time/test.csv.gz", "3\n"}};

Texts with(Texts files, const std::string& name, const std::string& text) {
  files[name] = text;
  return files;
}

Texts without(Texts files, const std::string& name) {
  files.erase(name);
  return files;
}

Graph read(const Texts& texts, const ReadOptions& reading = {}) {
  std::map<std::string, Bytes> files;
  for (const auto& [name, text] : texts) {
    files.emplace(name, Bytes::from_string(test::gzip(text), name));
  }
  return read_ogb(Context(), FileSet::memory("set", std::move(files)), reading);
}

Ids ids(const Array<std::int32_t>& part) {
  return {part.begin(), part.end()};
}

void expect_small(const Graph& graph) {
  EXPECT_EQ(graph.nodes(), 4);
  EXPECT_TRUE(graph.directed);
  EXPECT_EQ(test::entries(graph.adjacency), (test::Edges{{0, 1}, {0, 1}, {3, 0}}));
  const DenseMatrix features = to_dense(graph.features);
  EXPECT_EQ(features.cols, 2);
  EXPECT_EQ(features.values[0], 1.5F);
  EXPECT_EQ(features.values[7], 8.0F);
  EXPECT_EQ(ids(graph.labels), (Ids{2, unlabelled, 0, unlabelled}));
  ASSERT_EQ(graph.splits.size(), 1U);
  EXPECT_EQ(graph.splits[0].name, "time");
  EXPECT_EQ(ids(graph.splits[0].train), (Ids{0, 2}));
  EXPECT_EQ(ids(graph.splits[0].val), Ids{1});
  EXPECT_EQ(ids(graph.splits[0].test), Ids{3});
}

TEST(Ogb, ReadsFoldersAndZips) {
  expect_small(read(small));
  const test::TempDir dir;
  std::vector<test::ZipPart> parts;
  for (const auto& [name, text] : small) {
    dir.write("arxiv/" + name, test::gzip(text));
    parts.push_back({.name = "arxiv/" + name, .contents = test::gzip(text), .deflate = true});
  }
  dir.write("arxiv.zip", test::build_zip(parts));
  for (const std::string place : {"arxiv", "arxiv.zip"}) {
    const Graph graph = read_ogb(Context(), dir / place);
    expect_small(graph);
    EXPECT_EQ(graph.name, "arxiv");
  }
}

TEST(Ogb, LabelsMayBeWholeFloats) {
  const Graph graph = read(with(small, "raw/node-label.csv.gz", "2.0\nNaN\n0.00\n1\n"));
  EXPECT_EQ(ids(graph.labels), (Ids{2, unlabelled, 0, 1}));
}

TEST(Ogb, PartsThatMayBeMissing) {
  Texts few = small;
  for (const char* name : {"raw/num-edge-list.csv.gz", "raw/node-feat.csv.gz",
                           "raw/node-label.csv.gz", "split/time/train.csv.gz"}) {
    few = without(few, name);
  }
  const Graph graph = read(few);
  EXPECT_FALSE(has_features(graph.features));
  EXPECT_TRUE(graph.labels.empty());
  EXPECT_TRUE(graph.splits.empty());
  EXPECT_EQ(graph.adjacency.nonzeros(), 3);
  for (const char* name :
       {"raw/num-node-list.csv.gz", "raw/edge.csv.gz", "split/time/test.csv.gz"}) {
    test::expect_error([&] { read(without(small, name)); }, {"set", "a file is missing", name});
  }
}

TEST(Ogb, SmallestGraphs) {
  const Graph graph =
      read({{"raw/num-node-list.csv.gz", "1\n"}, {"raw/edge.csv.gz", ""}}, {.allow_empty = true});
  EXPECT_EQ(graph.nodes(), 1);
  EXPECT_EQ(graph.adjacency.nonzeros(), 0);
  test::expect_error(
      [] {
        read({{"raw/num-node-list.csv.gz", "0\n"}, {"raw/edge.csv.gz", ""}});
      },
      {"no nodes"});
}

TEST(Ogb, AFileThatHoldsNothingIsNamed) {
  const Texts bare = without(small, "raw/num-edge-list.csv.gz");
  test::expect_error([&] { read(with(bare, "raw/edge.csv.gz", "")); },
                     {"edge.csv.gz", "no edges in this file", "--allow-empty"});
  EXPECT_EQ(read(with(bare, "raw/edge.csv.gz", ""), {.allow_empty = true}).nodes(), 4);
  const Texts unlabelled_all = with(small, "raw/node-label.csv.gz", "nan\nnan\nnan\nnan\n");
  test::expect_error([&] { read(unlabelled_all); },
                     {"node-label.csv.gz", "no labels in this file", "--allow-empty"});
  EXPECT_EQ(read(unlabelled_all, {.allow_empty = true}).nodes(), 4);
  test::expect_error([&] { read(with(small, "raw/node-feat.csv.gz", "")); }, {"node-feat.csv.gz"});
}

TEST(Ogb, RefusesCountsThatDoNotMatch) {
  const auto refused = [](const std::string& file, const std::string& text,
                          std::initializer_list<std::string> parts) {
    test::expect_error([&] { read(with(small, file, text)); }, parts);
  };
  refused("raw/num-node-list.csv.gz", "5\n", {"node-feat.csv.gz", "fewer rows", "found 4"});
  refused("raw/num-node-list.csv.gz", "3\n", {"node-feat.csv.gz", "more rows", "expected 3"});
  refused("raw/num-node-list.csv.gz", "2000000000\n", {"node-feat.csv.gz", "too small"});
  refused("raw/num-node-list.csv.gz", "2147483648\n", {"num-node-list", "not a count"});
  refused("raw/num-node-list.csv.gz", "-4\n", {"num-node-list", "not a count"});
  refused("raw/num-node-list.csv.gz", "4\n4\n", {"num-node-list", "several rows"});
  refused("raw/num-node-list.csv.gz", "", {"num-node-list", "no rows"});
  refused("raw/num-edge-list.csv.gz", "2\n", {"edge.csv.gz", "found 3 rows, expected 2"});
  refused("raw/num-edge-list.csv.gz", "1000000000000\n", {"edge.csv.gz", "too small"});
  refused("raw/node-label.csv.gz", "1\n0\n", {"node-label", "do not match", "found 2 rows"});
  refused("raw/edge.csv.gz", "0,1\n3,4\n1,1\n", {"edge.csv.gz: line 2, column 2", "0 to 3"});
  refused("raw/edge.csv.gz", "0,1\n3,-1\n1,1\n", {"edge.csv.gz: line 2, column 2", "negative"});
  refused("raw/edge.csv.gz", "0,1\n3\n1,1\n", {"edge.csv.gz: line 2", "found 1 column"});
  refused("raw/node-feat.csv.gz", "1,2\n1,2\n1\n1,2\n", {"node-feat.csv.gz: line 3"});
  refused("raw/node-feat.csv.gz", "1,2\n1,nan\n1,2\n1,2\n",
          {"node-feat.csv.gz: line 2, column 2", "not finite"});
  refused("raw/node-label.csv.gz", "1\nx\n0\n0\n", {"node-label.csv.gz: line 2", "'x'"});
  refused("raw/node-label.csv.gz", "1\n1.5\n0\n0\n", {"node-label.csv.gz: line 2", "'1.5'"});
  refused("raw/node-label.csv.gz", "1\n1,1\n0\n0\n",
          {"node-label.csv.gz: line 2", "second column"});
  refused("split/time/train.csv.gz", "4\n", {"train.csv.gz: line 1", "'4'", "0 to 3"});
  refused("split/time/train.csv.gz", "nan\n", {"train.csv.gz: line 1", "'nan'"});
  refused("split/time/train.csv.gz", "1\n", {"split 'time'", "listed twice"});
}

TEST(Ogb, RefusesDamagedFiles) {
  std::map<std::string, Bytes> files;
  for (const auto& [name, text] : small) {
    std::string gz = test::gzip(text);
    if (name == "raw/edge.csv.gz") gz.resize(gz.size() - 3);
    files.emplace(name, Bytes::from_string(gz, name));
  }
  test::expect_error([&] { read_ogb(Context(), FileSet::memory("set", files)); },
                     {"raw/edge.csv.gz", "end too early"});
}

}  // namespace
}  // namespace creg::ogb_test
