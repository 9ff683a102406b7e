#include "io/formats/read_user_dataset.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "io/npy.h"
#include "support/expect_error.h"
#include "support/graphs.h"
#include "support/recording_log.h"
#include "support/temp_dir.h"

namespace creg::user_dataset_test {
namespace {

using Ids = std::vector<std::int32_t>;
using Texts = std::vector<std::string>;

UserDatasetSpec parse(const std::string& toml) {
  return parse_user_dataset(Bytes::from_string(toml, "folder/mine.toml"), "folder");
}

// Files in a folder of their own, and a dataset that names them.
class UserDataset : public testing::Test {
 protected:
  Graph read(const std::string& toml) {
    const Context context(Context::Options{.log = log_});
    return read_user_dataset(
        context, parse_user_dataset(Bytes::from_string(toml, "mine.toml"), dir_.path()));
  }
  static Texts names(const Graph& graph) {
    Texts out;
    for (std::int64_t i = 0; i < graph.names.size(); ++i) out.emplace_back(graph.names[i]);
    return out;
  }
  static Ids labels(const Graph& graph) { return {graph.labels.begin(), graph.labels.end()}; }

  test::TempDir dir_;
  std::shared_ptr<test::RecordingLog> log_ = std::make_shared<test::RecordingLog>();
};

TEST(UserDatasetSpec, IsReadFromToml) {
  const UserDatasetSpec spec = parse(R"(
    edges = "e.csv"
    features = "/data/x.npy"
    labels = "sub/y.csv"
    splits = ["a.json", "b.json"]
    directed = true
    nodes = 12
    separator = "tab"
    header = false
    transforms = ["symmetrise", "anything"]
    allow_empty = true
    unknown_ids = "drop"
  )");
  EXPECT_EQ(spec.name, "mine");
  EXPECT_EQ(spec.edges, "folder/e.csv");
  EXPECT_EQ(spec.features, "/data/x.npy");
  EXPECT_EQ(spec.labels, "folder/sub/y.csv");
  EXPECT_EQ(spec.splits.size(), 2U);
  EXPECT_EQ(spec.splits[1], "folder/b.json");
  EXPECT_TRUE(spec.directed);
  EXPECT_EQ(spec.nodes, 12);
  EXPECT_EQ(spec.edge_options.separator, Separator::tab);
  EXPECT_EQ(spec.edge_options.header, false);
  EXPECT_EQ(spec.transforms, (Texts{"symmetrise", "anything"}));
  const UserDatasetSpec least = parse("edges = 'e.csv'\nname = 'n'\nsplits = 's.json'");
  EXPECT_TRUE(spec.reading.allow_empty);
  EXPECT_FALSE(least.reading.allow_empty);
  EXPECT_EQ(spec.reading.unknown_ids, UnknownIds::drop);
  EXPECT_EQ(least.reading.unknown_ids, UnknownIds::error);
  test::expect_error([] { parse("edges = 'e.csv'\nunknown_ids = 'maybe'"); },
                     {"mine.toml: line 2", "unknown_ids", "'maybe'", "error or drop"});
  EXPECT_EQ(least.name, "n");
  EXPECT_FALSE(least.directed);
  EXPECT_TRUE(least.features.empty());
  EXPECT_EQ(least.splits.size(), 1U);
}

TEST_F(UserDataset, AFileThatHoldsNothingIsNamed) {
  dir_.write("e.csv", "a,b\nb,c\n");
  dir_.write("x.csv", "a,1\nb,2\nc,3\n");
  dir_.write("y.csv", "a,0\nb,1\n");
  dir_.write("nothing", "");
  dir_.write("comment", "# soon\n\n");
  dir_.write("edge_header", "source,target\n");
  dir_.write("feature_header", "id,x,y\n");
  dir_.write("label_header", "id,label\n");
  dir_.write("no_label", "a,\nb,\n");
  const std::string all = "edges = 'e.csv'\nfeatures = 'x.csv'\nlabels = 'y.csv'\n";
  EXPECT_EQ(read(all).nodes(), 3);
  const auto refused = [&](const std::string& key, const std::string& file) {
    std::string toml;
    for (const auto& [name, whole] : {std::pair("edges", "e.csv"), std::pair("features", "x.csv"),
                                      std::pair("labels", "y.csv")}) {
      toml += std::string(name) + " = '" + (name == key ? file : whole) + "'\n";
    }
    test::expect_error([&] { read(toml); },
                       {(dir_ / file).string(), "no " + key + " in this file", "--allow-empty"});
    EXPECT_EQ(read(toml + "allow_empty = true\n").nodes(), 3) << toml;
  };
  for (const char* file : {"nothing", "comment"}) {
    for (const char* key : {"edges", "features", "labels"}) refused(key, file);
  }
  refused("edges", "edge_header");
  refused("features", "feature_header");
  refused("labels", "label_header");
  refused("labels", "no_label");
  // What was not given is not missed.
  EXPECT_EQ(read("edges = 'e.csv'\n").nodes(), 3);
}

TEST_F(UserDataset, ArraysThatHoldNothingAreNamedToo) {
  dir_.write("e.csv", "0,1\n");
  write_npy(dir_ / "x.npy", DenseMatrix{.rows = 2, .cols = 0, .values = {}});
  test::expect_error([&] { read("edges = 'e.csv'\nfeatures = 'x.npy'\n"); },
                     {"x.npy", "no features in this file"});
  dir_.write("none.csv", "");
  test::expect_error([&] { read("edges = 'none.csv'\nnodes = 3\n"); },
                     {"none.csv", "no edges in this file"});
  EXPECT_EQ(read("edges = 'none.csv'\nnodes = 3\nallow_empty = true\n").nodes(), 3);
}

TEST(UserDatasetSpec, RefusesWhatItDoesNotKnow) {
  const auto refused = [](const std::string& toml, std::initializer_list<std::string> parts) {
    test::expect_error([&] { parse(toml); }, parts);
  };
  refused("edges = 'e'\n\nfeature = 'x'",
          {"mine.toml: line 3", "unknown key", "'feature'", "did you mean features"});
  refused("features = 'x'", {"mine.toml", "'edges' is missing"});
  refused("edges = 5", {"line 1", "'edges'", "integer", "a string"});
  refused("edges = ''", {"line 1", "an empty string"});
  refused("edges = 'e'\ndirected = 'yes'", {"line 2", "true or false"});
  refused("edges = 'e'\nnodes = 0", {"line 2", "found 0", "1 to 2,147,483,647"});
  refused("edges = 'e'\nnodes = 3000000000", {"line 2", "3000000000"});
  refused("edges = 'e'\nnodes = 1.5", {"line 2", "floating"});
  refused("edges = 'e'\nseparator = '|'", {"line 2", "unknown separator"});
  refused("edges = 'e'\ntransforms = 'x'", {"line 2", "a list of strings"});
  refused("edges = 'e'\ntransforms = [1]", {"line 2", "a string"});
  refused("edges = 'e'\nsplits = [1]", {"line 2", "a string"});
  refused("edges = 'e'\nedges = 'f'", {"line 2", "not valid TOML"});
  refused("edges = 'e", {"line 1", "not valid TOML"});
  refused("edges = '\xff'", {"not valid TOML"});
  refused("edges = 'e'\nfe\xef\xb9\xbf = 1", {"line 2", "not valid TOML"});
}

TEST_F(UserDataset, BareEdgesWithIntegers) {
  dir_.write("e.csv", "0 1\n2 1\n");
  const Graph graph = read("edges = 'e.csv'");
  EXPECT_EQ(graph.name, "mine");
  EXPECT_EQ(graph.nodes(), 3);
  EXPECT_FALSE(graph.directed);
  EXPECT_TRUE(graph.names.empty());
  EXPECT_EQ(test::entries(graph.adjacency), (test::Edges{{0, 1}, {2, 1}}));
  EXPECT_TRUE(log_->messages(LogLevel::notice).empty());
}

TEST_F(UserDataset, RepeatsAndLoopsAreKeptAndNoticedOnce) {
  dir_.write("e.csv", "a b\na b\nb a\nc c\na c\nc c\n");
  const Graph graph = read("edges = 'e.csv'");
  EXPECT_EQ(graph.adjacency.nonzeros(), 6);
  const Texts notices = log_->messages(LogLevel::notice);
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_NE(notices[0].find("of 6 edges 2 repeat another, 1 are the reverse of another and 2 are "
                            "self loops"),
            std::string::npos)
      << notices[0];
  EXPECT_TRUE(read("edges = 'e.csv'\ndirected = true").directed);
  EXPECT_EQ(log_->messages(LogLevel::notice)[1].find("reverse"), std::string::npos);
}

TEST_F(UserDataset, ArrayFeaturesMakeIdsRowNumbers) {
  dir_.write("e.csv", "0,2\n1,0\n");
  dir_.write("y.csv", "2,b\n0,a\n");
  write_npy(dir_ / "x.npy", DenseMatrix{.rows = 4, .cols = 1, .values = {{1, 2, 3, 4}}});
  const Graph graph = read("edges = 'e.csv'\nfeatures = 'x.npy'\nlabels = 'y.csv'");
  EXPECT_EQ(graph.nodes(), 4);
  EXPECT_EQ(feature_rows(graph.features), 4);
  EXPECT_EQ(labels(graph), (Ids{0, unlabelled, 1, unlabelled}));
  EXPECT_EQ(graph.class_names, (Texts{"a", "b"}));
  dir_.write("e.csv", "0,2\n1,4\n");
  test::expect_error([&] { read("edges = 'e.csv'\nfeatures = 'x.npy'"); },
                     {"e.csv: line 2, column 2", "out of range", "0 to 3"});
  test::expect_error([&] { read("edges = 'e.csv'\nfeatures = 'x.npy'\nnodes = 5"); },
                     {"x.npy", "feature rows do not match", "found 4", "expected 5"});
}

TEST_F(UserDataset, ArraysMustMatchAndBeFinite) {
  dir_.write("e.csv", "0,1\n");
  write_npy(dir_ / "x.npy", DenseMatrix{.rows = 2, .cols = 1, .values = {{1, 2}}});
  write_npy(dir_ / "y.npy", std::span<const std::int32_t>(Ids{0, 1, 1}));
  test::expect_error([&] { read("edges = 'e.csv'\nfeatures = 'x.npy'\nlabels = 'y.npy'"); },
                     {"y.npy", "labels do not match", "found 3", "expected 2"});
  write_npy(dir_ / "x.npy", DenseMatrix{.rows = 2, .cols = 1, .values = {{1, std::nanf("")}}});
  test::expect_error([&] { read("edges = 'e.csv'\nfeatures = 'x.npy'"); }, {"x.npy", "not finite"});
}

TEST_F(UserDataset, KeyedFeaturesGiveTheOrder) {
  dir_.write("e.csv", "source,target\ncarol,alice\nalice,bob\n");
  dir_.write("x.csv", "id,f\nbob,1\nalice,2\ncarol,3\n");
  dir_.write("y.csv", "alice,x\n");
  const Graph graph = read("edges = 'e.csv'\nfeatures = 'x.csv'\nlabels = 'y.csv'");
  EXPECT_EQ(names(graph), (Texts{"bob", "alice", "carol"}));
  EXPECT_EQ(test::entries(graph.adjacency), (test::Edges{{1, 0}, {2, 1}}));
  EXPECT_EQ(labels(graph), (Ids{unlabelled, 0, unlabelled}));
  dir_.write("e.csv", "carol,alice\nalice,dave\n");
  test::expect_error([&] { read("edges = 'e.csv'\nfeatures = 'x.csv'"); },
                     {"e.csv: line 2, column 2", "unknown node id", "'dave'", "have features"});
  const Graph known = read("edges = 'e.csv'\nfeatures = 'x.csv'\nunknown_ids = 'drop'");
  EXPECT_EQ(test::entries(known.adjacency), (test::Edges{{2, 1}}));
}

TEST_F(UserDataset, KeyedByRowNumbersNeedsNoNames) {
  dir_.write("e.csv", "0,1\n");
  dir_.write("x.csv", "0,5\n1,6\n");
  EXPECT_TRUE(read("edges = 'e.csv'\nfeatures = 'x.csv'").names.empty());
  dir_.write("x.csv", "1,5\n0,6\n");
  const Graph graph = read("edges = 'e.csv'\nfeatures = 'x.csv'");
  EXPECT_EQ(names(graph), (Texts{"1", "0"}));
  EXPECT_EQ(test::entries(graph.adjacency), (test::Edges{{1, 0}}));
}

TEST_F(UserDataset, LabelsComeBeforeEdges) {
  dir_.write("e.csv", "a b\nd a\n");
  dir_.write("y.csv", "c,x\na,y\n");
  const Graph graph = read("edges = 'e.csv'\nlabels = 'y.csv'");
  EXPECT_EQ(names(graph), (Texts{"c", "a", "b", "d"}));
  EXPECT_EQ(labels(graph), (Ids{0, 1, unlabelled, unlabelled}));
  EXPECT_EQ(test::entries(graph.adjacency), (test::Edges{{1, 2}, {3, 1}}));
}

TEST_F(UserDataset, IntegerIdsOfLabelsAndEdgesAreSorted) {
  dir_.write("e.csv", "3 0\n1 2\n");
  dir_.write("y.csv", "3,x\n1,y\n");
  const Graph graph = read("edges = 'e.csv'\nlabels = 'y.csv'");
  EXPECT_TRUE(graph.names.empty());
  EXPECT_EQ(labels(graph), (Ids{unlabelled, 1, unlabelled, 0}));
  EXPECT_EQ(test::entries(graph.adjacency), (test::Edges{{1, 2}, {3, 0}}));
}

TEST_F(UserDataset, NodesOrArrayLabelsFixTheCount) {
  dir_.write("e.csv", "0 1\n");
  EXPECT_EQ(read("edges = 'e.csv'\nnodes = 5").nodes(), 5);
  write_npy(dir_ / "y.npy", std::span<const std::int32_t>(Ids{0, 1, 1}));
  const Graph graph = read("edges = 'e.csv'\nlabels = 'y.npy'");
  EXPECT_EQ(graph.nodes(), 3);
  EXPECT_EQ(labels(graph), (Ids{0, 1, 1}));
}

TEST_F(UserDataset, SplitsAreNamedAfterTheirFiles) {
  dir_.write("e.csv", "a b\nb c\n");
  dir_.write("one.json", R"({"train": ["c"], "val": [], "test": ["a"]})");
  const Graph graph = read("edges = 'e.csv'\nsplits = 'one.json'");
  ASSERT_EQ(graph.splits.size(), 1U);
  EXPECT_EQ(graph.splits[0].name, "one");
  EXPECT_EQ(graph.splits[0].train[0], 2);
}

TEST_F(UserDataset, SmallestGraphs) {
  dir_.write("none.csv", "# nothing\n");
  const std::string none = "edges = 'none.csv'\nallow_empty = true\n";
  test::expect_error([&] { read(none); }, {"none.csv", "no nodes"});
  EXPECT_EQ(read(none + "nodes = 1").nodes(), 1);
  dir_.write("loop.csv", "a a\n");
  EXPECT_EQ(read("edges = 'loop.csv'").nodes(), 1);
  dir_.write("x.csv", "a,1\n");
  EXPECT_EQ(read(none + "features = 'x.csv'").nodes(), 1);
  dir_.write("header.csv", "id,x\n");
  test::expect_error([&] { read(none + "features = 'header.csv'"); }, {"no nodes"});
  test::expect_error([&] { read("edges = 'absent.csv'"); }, {"absent.csv", "no such file"});
}

TEST(EdgeListGraph, IsTheBareFile) {
  const Graph graph = read_edge_list_graph(Context(), Bytes::from_string("b a 2\n", "d/g.txt"));
  EXPECT_EQ(graph.name, "g");
  EXPECT_FALSE(graph.directed);
  EXPECT_EQ(graph.names[0], "b");
  EXPECT_EQ(graph.adjacency.values[0], 2);
}

TEST(CountRepeats, AgreesWithALoopOverAllPairs) {
  const CsrMatrix m =
      test::csr(5, {{0, 1}, {0, 1}, {1, 0}, {1, 1}, {1, 1}, {2, 3}, {3, 2}, {3, 2}, {4, 0}});
  const RepeatCounts counts = count_repeats(Context(), m);
  const test::Edges all = test::entries(m);
  std::int64_t repeats = 0;
  std::int64_t reverses = 0;
  std::int64_t loops = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool again = std::find(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i),
                                 all[i]) != all.begin() + static_cast<std::ptrdiff_t>(i);
    repeats += again ? 1 : 0;
    loops += all[i].first == all[i].second ? 1 : 0;
    const std::pair back(all[i].second, all[i].first);
    reverses += !again && back < all[i] && back != all[i] &&
                        std::find(all.begin(), all.end(), back) != all.end()
                    ? 1
                    : 0;
  }
  EXPECT_EQ(counts.repeats, repeats);
  EXPECT_EQ(counts.reverses, reverses);
  EXPECT_EQ(counts.loops, loops);
}

}  // namespace
}  // namespace creg::user_dataset_test
