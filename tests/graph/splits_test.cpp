#include "creg/graph/splits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>

#include "support/expect_error.h"
#include "support/graphs.h"
#include "support/recording_log.h"

namespace creg::splits_test {
namespace {

using Nodes = std::vector<std::int32_t>;

Nodes list(const Array<std::int32_t>& part) {
  return {part.begin(), part.end()};
}

// A path whose labels come in runs: `sizes[c]` nodes of class c, then `without` unlabelled ones.
Graph labelled_path(const std::vector<int>& sizes, int without = 0) {
  Nodes labels;
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    labels.insert(labels.end(), static_cast<std::size_t>(sizes[c]), static_cast<std::int32_t>(c));
  }
  labels.insert(labels.end(), static_cast<std::size_t>(without), unlabelled);
  Graph graph = test::path_graph(static_cast<std::int32_t>(labels.size()));
  graph.labels = labels;
  return graph;
}

// How many nodes of each class a part has.
std::map<std::int32_t, int> class_counts(const Graph& graph, const Array<std::int32_t>& part) {
  std::map<std::int32_t, int> counts;
  for (const std::int32_t node : part) ++counts[graph.labels[node]];
  return counts;
}

TEST(MakeSplit, PerClassTakesTwentyAndThirtyAndNamesTheClassesItLeavesOut) {
  const auto log = std::make_shared<test::RecordingLog>();
  const Context context({.threads = 1, .log = log});
  Graph graph = labelled_path({51, 50, 90, 10}, 7);
  const Split split = make_split(context, graph, "per-class-20-30", 0);
  EXPECT_EQ(class_counts(graph, split.train), (std::map<std::int32_t, int>{{0, 20}, {2, 20}}));
  EXPECT_EQ(class_counts(graph, split.val), (std::map<std::int32_t, int>{{0, 30}, {2, 30}}));
  EXPECT_EQ(class_counts(graph, split.test), (std::map<std::int32_t, int>{{0, 1}, {2, 40}}));
  ASSERT_EQ(log->entries().size(), 1U);
  EXPECT_EQ(log->entries()[0].level, LogLevel::notice);
  EXPECT_EQ(log->entries()[0].message,
            "per-class-20-30: 2 classes of 50 nodes or fewer left out: 1 (50) and 3 (10)");

  graph.class_names = {"a", "b", "c", "d"};
  make_split(context, graph, "per-class-20-30", 0);
  EXPECT_NE(log->entries()[1].message.find("'b' (50) and 'd' (10)"), std::string::npos);
  make_split(context, labelled_path({51, 51}), "per-class-20-30", 0);
  EXPECT_EQ(log->entries().size(), 2U) << "nothing to say when no class is small";
}

TEST(MakeSplit, KeepSmallSplitsSmallClassesByShare) {
  const auto log = std::make_shared<test::RecordingLog>();
  const Context context({.threads = 1, .log = log});
  const Graph graph = labelled_path({60, 50, 11, 4, 3, 2, 1});
  const Split split = make_split(context, graph, "per-class-20-30-keep-small", 3);
  EXPECT_EQ(
      class_counts(graph, split.train),
      (std::map<std::int32_t, int>{{0, 20}, {1, 10}, {2, 2}, {3, 1}, {4, 1}, {5, 1}, {6, 1}}));
  EXPECT_EQ(class_counts(graph, split.val),
            (std::map<std::int32_t, int>{{0, 30}, {1, 15}, {2, 3}, {3, 1}, {4, 1}}));
  EXPECT_EQ(class_counts(graph, split.test),
            (std::map<std::int32_t, int>{{0, 10}, {1, 25}, {2, 6}, {3, 2}, {4, 1}, {5, 1}}));
  ASSERT_EQ(log->entries().size(), 1U);
  EXPECT_NE(log->entries()[0].message.find("6 classes"), std::string::npos);
}

TEST(MakeSplit, PerClassTakesTwentyAndFiveHundredOfAllTheRest) {
  const Graph graph = labelled_path({900, 300, 41, 7, 1}, 20);
  const Split split = make_split(Context(), graph, "per-class-20-500-ovr", 3);
  EXPECT_EQ(class_counts(graph, split.train),
            (std::map<std::int32_t, int>{{0, 20}, {1, 20}, {2, 20}, {3, 4}, {4, 1}}));
  EXPECT_EQ(split.val.size(), 500);
  EXPECT_EQ(split.test.size(), 1249 - 65 - 500);
  // Of the rest by chance, not by class: about three quarters are of the first.
  EXPECT_NEAR(class_counts(graph, split.val)[0] / 500.0, 880.0 / 1184, 0.08);
  const Split other = make_split(Context(), graph, "per-class-20-500-ovr", 3, 1);
  EXPECT_NE(list(split.train), list(other.train));
  EXPECT_NE(list(split.val), list(other.val));
  EXPECT_EQ(make_split(Context(), labelled_path({100}), "per-class-20-500-ovr", 3).val.size(), 40);
}

TEST(MakeSplit, RandomPartsRoundDown) {
  Graph graph = labelled_path({40, 39}, 20);
  const auto sizes = [&](const char* protocol) {
    const Split split = make_split(Context(), graph, protocol, 1);
    return std::vector<std::int64_t>{split.train.size(), split.val.size(), split.test.size()};
  };
  EXPECT_EQ(sizes("random-10-10-80"), (std::vector<std::int64_t>{7, 7, 65}));
  EXPECT_EQ(sizes("random-60-20-20"), (std::vector<std::int64_t>{47, 15, 17}));
  EXPECT_EQ(sizes("random-10-90-ovr"), (std::vector<std::int64_t>{7, 0, 72}));
  graph = labelled_path({900, 100});
  EXPECT_EQ(sizes("random-10-10-80"), (std::vector<std::int64_t>{100, 100, 800}));
  EXPECT_EQ(sizes("random-60-20-20"), (std::vector<std::int64_t>{600, 200, 200}));
  EXPECT_EQ(sizes("random-10-90-ovr"), (std::vector<std::int64_t>{100, 0, 900}));
}

TEST(MakeSplit, APartThatAProtocolHasIsNeverEmpty) {
  const auto missing = [](const char* protocol, const std::vector<int>& sizes, const char* part) {
    test::expect_error([&] { make_split(Context(), labelled_path(sizes), protocol, 0); },
                       {std::string("the ") + part + " part", protocol});
  };
  missing("random-10-10-80", {9}, "train");
  missing("random-10-90-ovr", {9}, "train");
  missing("random-60-20-20", {4}, "val");
  missing("per-class-20-500-ovr", {2}, "val");
  missing("per-class-20-500-ovr", {1}, "val");
  missing("per-class-20-30-keep-small", {2}, "val");
  missing("by-id:1/1/8", {4}, "train");
  missing("by-id:5/1/4", {4}, "val");
  missing("by-id:1/1/0", {4}, "test");
}

TEST(MakeSplit, ByIdFollowsTheNodeOrderOfLabelledNodes) {
  Graph graph = labelled_path({11});
  Nodes labels(11, 0);
  labels[1] = unlabelled;
  graph.labels = labels;
  const Split thirds = make_split(Context(), graph, "by-id", 0);
  EXPECT_EQ(list(thirds.train), (Nodes{0, 2, 3}));
  EXPECT_EQ(list(thirds.val), (Nodes{4, 5, 6}));
  EXPECT_EQ(list(thirds.test), (Nodes{7, 8, 9, 10}));
  const Split given = make_split(Context(), graph, "by-id:0.5/0.3/0.2", 9);
  EXPECT_EQ(list(given.train), (Nodes{0, 2, 3, 4, 5}));
  EXPECT_EQ(list(given.val), (Nodes{6, 7, 8}));
  EXPECT_EQ(list(given.test), (Nodes{9, 10}));
  EXPECT_EQ(make_split(Context(), graph, "by-id:80/0/20", 0).val.size(), 0);
}

TEST(MakeSplit, ByIdCountsAsOneWouldByHand) {
  const auto sizes = [](int nodes, const std::string& shares) {
    const Split split = make_split(Context(), labelled_path({nodes}), "by-id:" + shares, 0);
    return std::vector<std::int64_t>{split.train.size(), split.val.size(), split.test.size()};
  };
  // 20 times 0.55 is 10.999… in binary, 50 times 0.58 is 28.999…
  EXPECT_EQ(sizes(20, "0.55/0.34/0.11"), (std::vector<std::int64_t>{11, 6, 3}));
  EXPECT_EQ(sizes(50, "0.02/0.58/0.4"), (std::vector<std::int64_t>{1, 29, 20}));
  // What is left of a node is not enough for one.
  EXPECT_EQ(sizes(100, "0.39999/0.3/0.30001"), (std::vector<std::int64_t>{39, 30, 31}));
  // Shares so large that a multiple of them is no number.
  const std::string zeros(307, '0');
  EXPECT_EQ(sizes(30, "10" + zeros + "/0/5" + zeros), (std::vector<std::int64_t>{20, 0, 10}));
}

/// The name of a protocol ends where its view ends, whatever stands behind it.
TEST(MakeSplit, ByIdReadsNoFurtherThanItsName) {
  const std::string_view longer = "by-id:2/1/12";
  const Split split = make_split(Context(), labelled_path({20}), longer.substr(0, 11), 0);
  EXPECT_EQ(split.name, "by-id:2/1/1");
  EXPECT_EQ(split.train.size(), 10);
  EXPECT_EQ(split.test.size(), 5);
}

TEST(MakeSplit, ByIdRefusesPartsThatAreNotThreeNumbers) {
  const Graph graph = labelled_path({30});
  for (const char* bad : {"by-id:", "by-id:1/2", "by-id:1/2/3/4", "by-id:1/-2/3", "by-id:a/b/c",
                          "by-id:0/0/0", "by-id:1/nan/1", "by-id:1/inf/1", "by-id:1/2/3x"}) {
    test::expect_error([&] { make_split(Context(), graph, bad, 0); },
                       {"three numbers", "by-id:60/20/20"});
  }
}

TEST(MakeSplit, StoredSplitsAreTakenAsTheyAre) {
  Graph graph = labelled_path({6});
  graph.splits = {{.name = "public-0", .train = Nodes{0}, .val = Nodes{1}, .test = Nodes{2, 3}},
                  {.name = "public-1", .train = Nodes{5}, .val = Nodes{4}, .test = Nodes{2}},
                  {.name = "mine", .train = Nodes{3}, .test = Nodes{4}},
                  {.name = "ogb", .train = Nodes{1}, .val = Nodes{2}, .test = Nodes{3}}};
  EXPECT_EQ(list(make_split(Context(), graph, "public", 7).test), (Nodes{2, 3}));
  EXPECT_EQ(list(make_split(Context(), graph, "public", 7, 1).train), (Nodes{5}));
  EXPECT_EQ(list(make_split(Context(), graph, "mine", 0).test), (Nodes{4}));
  EXPECT_EQ(list(make_split(Context(), graph, "ogb", 0).val), (Nodes{2}));
  test::expect_error([&] { make_split(Context(), graph, "public", 0, 2); },
                     {"index", "found 2", "0 to 1"});
}

TEST(MakeSplit, PublicAndOgbTakeStoredSplitsOfAnyName) {
  Graph graph = labelled_path({6});
  graph.splits = {{.name = "0", .train = Nodes{0}, .val = Nodes{1}, .test = Nodes{2}},
                  {.name = "1", .train = Nodes{3}, .val = Nodes{4}, .test = Nodes{5}}};
  EXPECT_EQ(list(make_split(Context(), graph, "public", 0).train), (Nodes{0}));
  EXPECT_EQ(list(make_split(Context(), graph, "ogb", 0, 1).train), (Nodes{3}));
}

TEST(MakeSplit, StoredSplitsLoseNodesWithoutLabelAndSaySo) {
  const auto log = std::make_shared<test::RecordingLog>();
  Graph graph = labelled_path({3}, 2);
  graph.splits = {{.name = "public", .train = Nodes{0, 4}, .val = Nodes{1}, .test = Nodes{2, 3}}};
  const Split split = make_split(Context({.log = log}), graph, "public", 0);
  EXPECT_EQ(list(split.train), (Nodes{0}));
  EXPECT_EQ(list(split.test), (Nodes{2}));
  ASSERT_EQ(log->entries().size(), 1U);
  EXPECT_NE(log->entries()[0].message.find("2 nodes without a label"), std::string::npos);
}

TEST(MakeSplit, SaysWhatIsMissing) {
  Graph graph = labelled_path({30});
  graph.name = "thing";
  test::expect_error([&] { make_split(Context(), graph, "public", 0); },
                     {"thing", "no stored split 'public'", "per-class-20-30"});
  graph.splits = {{.name = "mine", .train = Nodes{3}}};
  test::expect_error([&] { make_split(Context(), graph, "random-10-10", 0); },
                     {"unknown split protocol", "'random-10-10'", "random-10-10-80"});
  Graph stored = graph;
  stored.splits = {{.name = "public", .train = Nodes{3}}};
  test::expect_error([&] { make_split(Context(), stored, "pubic", 0); }, {"did you mean public?"});
  test::expect_error([&] { make_split(Context(), graph, "per-class-20-30", 0); },
                     {"train part", "would be empty", "30 labelled nodes"});
  test::expect_error([&] { make_split(Context(), labelled_path({9}), "random-10-10-80", 0); },
                     {"train part", "would be empty"});
  test::expect_error([&] { make_split(Context(), labelled_path({60}), "by-id", 0, -1); },
                     {"negative", "found -1"});
  test::expect_error([&] { make_split(Context(), test::path_graph(90), "random-10-10-80", 0); },
                     {"needs labels"});
}

TEST(FixedSplitCount, CountsStoredSplitsAndNothingElse) {
  Graph graph = labelled_path({60, 60});
  EXPECT_EQ(fixed_split_count(graph, "public"), std::nullopt);
  EXPECT_EQ(fixed_split_count(graph, "by-id"), 1);
  EXPECT_EQ(fixed_split_count(graph, "by-id:1/1/1"), 1);
  EXPECT_EQ(fixed_split_count(graph, "random-10-10-80"), std::nullopt);
  const Split stored{.name = "mine-0", .train = Nodes{0}, .val = Nodes{1}, .test = Nodes{2}};
  graph.splits = {stored, stored};
  graph.splits[1].name = "mine-1";
  EXPECT_EQ(fixed_split_count(graph, "public"), 2);
  EXPECT_EQ(fixed_split_count(graph, "ogb"), 2);
  EXPECT_EQ(fixed_split_count(graph, "mine"), 2);
  EXPECT_EQ(fixed_split_count(graph, "mine-1"), 1);
  EXPECT_EQ(fixed_split_count(graph, "per-class-20-30"), std::nullopt);
  EXPECT_EQ(fixed_split_count(graph, "nonsense"), std::nullopt);
}

TEST(SplitProtocols, EveryNameIsUnderstood) {
  Graph graph = labelled_path({60, 60});
  graph.splits = {{.name = "public", .train = Nodes{0}}, {.name = "ogb", .train = Nodes{1}}};
  for (const std::string& name : split_protocols()) {
    EXPECT_GT(make_split(Context(), graph, name, 0).train.size(), 0) << name;
  }
}

}  // namespace
}  // namespace creg::splits_test
