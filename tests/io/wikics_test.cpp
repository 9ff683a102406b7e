#include "io/formats/wikics.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/graphs.h"

namespace creg::wikics_test {
namespace {

using Ids = std::vector<std::int32_t>;

Graph read(const std::string& json, const ReadOptions& reading = {}) {
  return read_wikics(Context(), Bytes::from_string(json, "data.json"), reading);
}

Ids ids(const Array<std::int32_t>& part) {
  return {part.begin(), part.end()};
}

const std::string body =
    R"("features": [[1, -0.5], [2.25, 3], [0, 1e-3]], "labels": [1, 0, 1],
       "links": [[2, 1, 1], [], [0]])";

TEST(WikiCs, ReadsASmallOne) {
  const Graph graph = read("{" + body + R"(,
    "other": {"a": [1, {"b": null}], "c": "x"},
    "train_masks": [[true, false, false], [false, true, false]],
    "stopping_masks": [[false, false, false], [false, false, false]],
    "val_masks": [[false, true, false], [1, 0, 0]],
    "test_mask": [false, false, true]})");
  EXPECT_EQ(graph.nodes(), 3);
  EXPECT_TRUE(graph.directed);
  EXPECT_EQ(test::entries(graph.adjacency), (test::Edges{{0, 1}, {0, 1}, {0, 2}, {2, 0}}));
  EXPECT_EQ(ids(graph.labels), (Ids{1, 0, 1}));
  const DenseMatrix features = to_dense(graph.features);
  EXPECT_EQ(features.cols, 2);
  EXPECT_EQ(features.values[1], -0.5F);
  EXPECT_EQ(features.values[2], 2.25F);
  EXPECT_EQ(features.values[5], 1e-3F);
  ASSERT_EQ(graph.splits.size(), 2U);
  EXPECT_EQ(graph.splits[1].name, "1");
  EXPECT_EQ(ids(graph.splits[1].train), Ids{1});
  EXPECT_EQ(ids(graph.splits[1].val), Ids{0});
  EXPECT_EQ(ids(graph.splits[1].test), Ids{2});
}

TEST(WikiCs, StoppingNodesStandInForMissingValidationNodes) {
  const Graph graph = read("{" + body + R"(,
    "train_masks": [[true, false, false]], "stopping_masks": [[false, true, false]],
    "test_mask": [false, false, true]})");
  EXPECT_EQ(ids(graph.splits[0].val), Ids{1});
}

TEST(WikiCs, NeedsNoSplits) {
  EXPECT_TRUE(read("{" + body + "}").splits.empty());
}

TEST(WikiCs, WithoutAnyOfALinkAFeatureOrALabelSaysSo) {
  const auto refused = [](const std::string& json, const std::string& what) {
    test::expect_error([&] { read(json); },
                       {"data.json", "no " + what + " in this file", "--allow-empty"});
    EXPECT_EQ(read(json, {.allow_empty = true}).nodes(), 2) << json;
  };
  refused(R"({"features": [[1], [2]], "labels": [1, 0], "links": [[], []]})", "links");
  refused(R"({"features": [[], []], "labels": [1, 0], "links": [[1], []]})", "features");
}

TEST(WikiCs, RefusesWhatDoesNotFit) {
  const auto refused = [](const std::string& json, std::initializer_list<std::string> parts) {
    test::expect_error([&] { read(json); }, parts);
  };
  refused("", {"data.json", "not valid JSON"});
  refused("[]", {"an object"});
  refused("5", {"an object"});
  refused("{" + body, {"not valid JSON", "byte"});
  refused(R"({"features": []})", {"key is missing", "'labels'"});
  refused(R"({"features": [], "labels": [], "links": []})", {"no nodes"});
  refused(R"({"features": [], "features": []})", {"given twice"});
  refused(R"({"features": [[1], [1, 2]]})", {"features[1]", "another length", "expected 1"});
  refused(R"({"features": [[1, "x"]]})", {"features[0][1]", "the string 'x'", "a number"});
  refused(R"({"features": [[1, null]]})", {"features[0][1]", "null"});
  refused(R"({"features": [[1e39]]})", {"features[0][0]", "'1e39'"});
  refused(R"({"features": [[1e999]]})", {"not valid JSON"});
  refused(R"({"features": [1]})", {"features", "a list"});
  refused(R"({"features": [[[1]]]})", {"features[0]", "a list"});
  refused(R"({"features": {}})", {"an object"});
  refused(R"({"labels": [-1]})", {"labels[0]", "-1"});
  refused(R"({"labels": [1.5]})", {"labels[0]", "1.5"});
  refused(R"({"labels": [true]})", {"labels[0]", "true"});
  refused(R"({"labels": [4294967296]})", {"labels[0]", "4294967296"});
  refused(R"({"links": [[0], [-3]]})", {"links[1][0]", "-3", "a node id"});
  refused(R"({"train_masks": [[0, 2]]})", {"train_masks[0][1]", "2", "true or false"});
  refused(R"({"test_mask": [[true]]})", {"test_mask", "a list"});
  refused(R"({"features": [[1]], "labels": [0], "links": [[1]]})",
          {"out of range", "1 in links[0]", "0 to 0"});
  refused(R"({"features": [[1]], "labels": [0, 0], "links": [[], []]})",
          {"do not match", "1 rows of features", "2, as there are labels"});
  refused(R"({"features": [[1]], "labels": [0], "links": []})", {"0 lists of links"});
  refused("{" + body + R"(, "train_masks": [[true, false]], "val_masks": [[true, false, false]],
          "test_mask": [true, false, false]})",
          {"2 entries of a mask"});
  refused("{" + body + R"(, "train_masks": [[true, false, false]]})", {"masks do not match"});
  refused(
      "{" + body + R"(, "train_masks": [[true, false, false]], "test_mask": [true, false, false],
          "val_masks": [[false, true, false]]})",
      {"listed twice"});
}

}  // namespace
}  // namespace creg::wikics_test
