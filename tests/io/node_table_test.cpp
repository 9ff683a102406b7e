#include "io/formats/node_table.h"

#include <gtest/gtest.h>

#include "io/containers/npz.h"
#include "io/formats/scipy_sparse.h"
#include "io/npy.h"
#include "support/compress.h"
#include "support/expect_error.h"
#include "support/recording_log.h"
#include "support/scipy_npz.h"
#include "support/temp_dir.h"

namespace creg::node_table_test {
namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<float>;
using Ids = std::vector<std::int32_t>;

Bytes bytes(const std::string& text) {
  return Bytes::from_string(text, "table.csv");
}

struct Keyed {
  Texts names;
  std::int64_t cols = 0;
  Numbers values;
};

Keyed features(const std::string& text, const TableOptions& options = {}) {
  const Context context;
  NodeIndex index;
  const DenseMatrix matrix = read_keyed_features(context, bytes(text), options, index);
  EXPECT_EQ(matrix.rows, index.size());
  Keyed keyed{.cols = matrix.cols, .values = {matrix.values.begin(), matrix.values.end()}};
  const NodeNames names = index.names(context);
  for (std::int64_t i = 0; i < names.size(); ++i) keyed.names.emplace_back(names[i]);
  return keyed;
}

struct Labelled {
  Texts names;
  Ids labels;
  Texts classes;
};

Labelled labels(const std::string& text, const TableOptions& options = {},
                const Context& context = Context()) {
  NodeIndex index;
  const NodeLabels found = read_keyed_labels(context, bytes(text), options, index, false);
  Labelled result{.labels = {found.labels.begin(), found.labels.end()},
                  .classes = found.class_names};
  const NodeNames names = index.names(context);
  for (std::int64_t i = 0; i < names.size(); ++i) result.names.emplace_back(names[i]);
  return result;
}

TEST(KeyedFeatures, AreReadInFileOrder) {
  for (const std::string text :
       {"b,1,2\na,3.5,-4e1\n", "id,x,y\nb,1,2\na,3.5,-40\n", "node\tf0\tf1\nb\t1\t2\na\t3.5\t-40",
        "# c\n\nb 1 2\r\n% c\na 3.5 -40\r\n", ",0,1\nb,1,2\na,3.5,-40\n",
        "\"b\";1;2\n\"a\";3.5;-40\n", "whatever,x,y\nb,1,2\na,3.5,-40\n"}) {
    for (const std::string& form : {text, test::gzip(text)}) {
      const Keyed keyed = features(form);
      EXPECT_EQ(keyed.names, (Texts{"b", "a"})) << text;
      EXPECT_EQ(keyed.cols, 2) << text;
      EXPECT_EQ(keyed.values, (Numbers{1, 2, 3.5, -40})) << text;
    }
  }
}

TEST(KeyedFeatures, NumbersAsColumnNamesAreAHeader) {
  EXPECT_EQ(features("paper,0,1,2\n7,1,2,3\n").names, Texts{"7"});
  EXPECT_EQ(features("paper,0,1,2\nx,1,2,3\n").names, (Texts{"paper", "x"}));
  EXPECT_EQ(features("a,0,5\n1,2,3\n").names, (Texts{"a", "1"}));
  EXPECT_EQ(features("a,b\nc,1\n", {.header = true}).names, Texts{"c"});
  EXPECT_EQ(features("id,1\nc,1\n", {.header = false}).names, (Texts{"id", "c"}));
}

TEST(KeyedFeatures, RefuseBadRows) {
  test::expect_error([] { features("a,1,2\nb,1\n"); },
                     {"table.csv: line 2", "another length", "found 1 numbers", "expected 2"});
  test::expect_error([] { features("a,1,2\nb,1,2,3\n"); }, {"line 2", "found 3 numbers"});
  test::expect_error([] { features("a,1\nb,nan\n"); }, {"line 2, column 2", "not finite", "'nan'"});
  test::expect_error([] { features("a,1\nb,-inf\n"); }, {"line 2, column 2", "not finite"});
  test::expect_error([] { features("a,1\nb,x\n"); }, {"line 2, column 2", "not a number", "'x'"});
  test::expect_error([] { features("a,1,2\nb,,2\n"); }, {"line 2, column 2", "not a number"});
  test::expect_error([] { features("a,1\n\nb,2\na,3\n"); },
                     {"line 4, column 1", "listed twice", "'a'"});
  test::expect_error([] { features("a,1\n-5,2\n"); }, {"line 2, column 1", "negative id"});
  test::expect_error([] { features("a\nb\n"); }, {"table.csv", "single column"});
}

TEST(KeyedFeatures, FindRepeatedIdsFarApart) {
  std::string text;
  for (int i = 0; i < 60000; ++i) text += "node" + std::to_string(i) + ",1\n";
  EXPECT_EQ(features(text).names.size(), 60000U);
  test::expect_error([&] { features(text + "node7,1\nnode3,1\n"); },
                     {"line 60001, column 1", "listed twice", "'node7'"});
}

TEST(KeyedFeatures, NothingIsNoRows) {
  for (const char* text : {"", "# c\n", "id,x,y\n"}) {
    EXPECT_TRUE(features(text).names.empty()) << text;
  }
}

TEST(KeyedLabels, NumberClassesInSortedOrder) {
  const Labelled text = labels("a,spam\nb,eggs\nc,spam\n");
  EXPECT_EQ(text.names, (Texts{"a", "b", "c"}));
  EXPECT_EQ(text.labels, (Ids{1, 0, 1}));
  EXPECT_EQ(text.classes, (Texts{"eggs", "spam"}));
  const Labelled numbers = labels("a,10\nb,9\nc,-1\n");
  EXPECT_EQ(numbers.labels, (Ids{2, 1, 0}));
  EXPECT_EQ(numbers.classes, (Texts{"-1", "9", "10"}));
  const Labelled plain = labels("a,2\nb,0\nc,1\n");
  EXPECT_EQ(plain.labels, (Ids{2, 0, 1}));
  EXPECT_TRUE(plain.classes.empty());
}

TEST(KeyedLabels, EmptyIsUnlabelled) {
  const Labelled found = labels("a,\nb,x\nc,\"\"\nd,?\n");
  EXPECT_EQ(found.labels, (Ids{unlabelled, 1, unlabelled, 0}));
  EXPECT_EQ(found.classes, (Texts{"?", "x"}));
  EXPECT_EQ(labels("a\t\nb\tx\n").labels, (Ids{unlabelled, 0}));
}

TEST(KeyedLabels, SuspectClassesAreNoticed) {
  const auto log = std::make_shared<test::RecordingLog>();
  labels("a,nan\nb,x\n", {}, Context(Context::Options{.log = log}));
  ASSERT_EQ(log->messages(LogLevel::notice).size(), 1U);
  EXPECT_NE(log->messages(LogLevel::notice)[0].find("'nan' is taken as a class"),
            std::string::npos);
}

TEST(KeyedLabels, RecogniseHeaders) {
  EXPECT_EQ(labels("id,topic\na,x\n").names, Texts{"a"});
  EXPECT_EQ(labels("who,Label\na,x\n").names, Texts{"a"});
  EXPECT_EQ(labels("who,what\n1,x\n").names, Texts{"1"});
  EXPECT_EQ(labels("who,what\na,x\n").names, (Texts{"who", "a"}));
}

TEST(KeyedLabels, RefuseBadRows) {
  test::expect_error([] { labels("a,x\nb\n"); }, {"table.csv: line 2", "not a row of labels"});
  test::expect_error([] { labels("a,x\nb,x,y\n"); }, {"line 2", "an id and a label"});
  test::expect_error([] { labels("a,x\nb,y\na,x\n"); }, {"line 3, column 1", "listed twice"});
  test::expect_error([] { labels("a,x\n,y\n"); }, {"line 2, column 1", "id is missing"});
  test::expect_error([] { labels("a,x\nb,\"y\n"); }, {"line 2, column 2", "quoted"});
}

TEST(KeyedLabels, KnownIdsOnly) {
  const Context context;
  NodeIndex index;
  read_keyed_features(context, bytes("alice,1\nbob,2\ncarol,3\n"), {}, index);
  const NodeLabels found = read_keyed_labels(context, bytes("carol,x\nalice,y\n"), {}, index, true);
  EXPECT_EQ(Ids(found.labels.begin(), found.labels.end()), (Ids{1, unlabelled, 0}));
  test::expect_error(
      [&] { read_keyed_labels(context, bytes("alice,x\nbop,y\n"), {}, index, true); },
      {"line 2, column 1", "unknown node id", "'bop'", "did you mean 'bob'?"});
}

TEST(KeyedLabels, UnknownIdsAreCountedAndTheFirstThreeNamed) {
  const Context context;
  NodeIndex index;
  read_keyed_features(context, bytes("alice,1\nbob,2\n"), {}, index);
  const std::string text = "id,label\nalice,x\nbop,y\nzed,x\nbob,x\nyan,x\nzoe,x\nzac,x\n";
  test::expect_error([&] { read_keyed_labels(context, bytes(text), {}, index, true); },
                     {"line 3, column 1", "5 unknown node ids",
                      "'bop' (line 3), 'zed' (line 4), 'yan' (line 6) and 2 more", "2 ids",
                      "did you mean 'bob'?", "--unknown-ids drop"});
  const auto log = std::make_shared<test::RecordingLog>();
  const NodeLabels found = read_keyed_labels(Context({.log = log}), bytes(text),
                                             {.unknown_ids = UnknownIds::drop}, index, true);
  EXPECT_EQ(Ids(found.labels.begin(), found.labels.end()), (Ids{0, 0}));
  // The class that dropped rows alone had is gone with them.
  EXPECT_EQ(found.class_names, (std::vector<std::string>{"x"}));
  EXPECT_EQ(index.size(), 2);
  const std::vector<std::string> warnings = log->messages(LogLevel::warning);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("dropped 5 ids that the graph does not have: 'bop' (line 3), 'zed' "
                             "(line 4), 'yan' (line 6) and 2 more"),
            std::string::npos)
      << warnings[0];
}

TEST(NumberedLabels, UnknownIdsAreCountedAndTheFirstThreeNamed) {
  std::string text;
  for (int i = 0; i < 60000; ++i) text += std::to_string(i) + ",1\n";
  text += "abc,1\n60001,2\n";
  test::expect_error([&] { read_numbered_labels(Context(), bytes(text), {}, 60000); },
                     {"line 60001, column 1", "2 unknown node ids",
                      "'abc' (line 60001) and '60001' (line 60002)", "0 to 59999"});
  const NodeLabels found =
      read_numbered_labels(Context(), bytes(text), {.unknown_ids = UnknownIds::drop}, 60000);
  EXPECT_EQ(found.labels.size(), 60000);
  EXPECT_EQ(found.labels[59999], 0);
}

TEST(NumberedLabels, AreInRange) {
  const NodeLabels found = read_numbered_labels(Context(), bytes("2,x\n0,y\n"), {}, 4);
  EXPECT_EQ(Ids(found.labels.begin(), found.labels.end()), (Ids{1, unlabelled, 0, unlabelled}));
  test::expect_error([] { read_numbered_labels(Context(), bytes("0,x\n4,y\n"), {}, 4); },
                     {"line 2, column 1", "'4'", "0 to 3"});
  test::expect_error([] { read_numbered_labels(Context(), bytes("0,x\n1,y\n0,x\n"), {}, 4); },
                     {"line 3, column 1", "listed twice"});
}

TEST(ArrayFeatures, ComeFromEveryKindOfArray) {
  const test::TempDir dir;
  const DenseMatrix matrix{.rows = 2, .cols = 3, .values = Numbers{1, 2, 3, 4, 5, 6}};
  write_npy(dir / "dense.npy", matrix);
  const Features dense = read_array_features(Context(), map_file(dir / "dense.npy"));
  EXPECT_EQ(to_dense(dense).values[5], 6);
  const std::vector<std::int64_t> shape = {2, 3};
  {
    NpzWriter writer(dir / "dense.npz");
    writer.add<float>("anything", matrix.values.span(), shape);
    writer.commit();
  }
  EXPECT_EQ(feature_cols(read_array_features(Context(), map_file(dir / "dense.npz"))), 3);
  dir.write("sparse.npz", test::scipy_npz(to_sparse(matrix)));
  EXPECT_EQ(to_dense(read_array_features(Context(), map_file(dir / "sparse.npz"))).values[3], 4);
  {
    NpzWriter writer(dir / "two.npz");
    writer.add<float>("a", matrix.values.span(), shape);
    writer.add<float>("b", matrix.values.span(), shape);
    writer.commit();
  }
  test::expect_error([&] { read_array_features(Context(), map_file(dir / "two.npz")); },
                     {"two.npz", "which of the arrays", "2 arrays"});
  EXPECT_TRUE(is_array_file(map_file(dir / "dense.npy")));
  EXPECT_TRUE(is_array_file(map_file(dir / "two.npz")));
  EXPECT_FALSE(is_array_file(bytes("a,1\n")));
}

TEST(ArrayLabels, AreNumbersOrNames) {
  const test::TempDir dir;
  write_npy(dir / "y.npy", std::span<const std::int32_t>(Ids{2, -1, 0}));
  const NodeLabels numbers = read_array_labels(map_file(dir / "y.npy"));
  EXPECT_EQ(Ids(numbers.labels.begin(), numbers.labels.end()), (Ids{2, unlabelled, 0}));
  {
    NpzWriter writer(dir / "names.npz");
    writer.add_strings("labels", Texts{"spam", "", "eggs"});
    writer.add_strings("other", Texts{"x"});
    writer.commit();
  }
  const NodeLabels names = read_array_labels(map_file(dir / "names.npz"));
  EXPECT_EQ(Ids(names.labels.begin(), names.labels.end()), (Ids{1, unlabelled, 0}));
  EXPECT_EQ(names.class_names, (Texts{"eggs", "spam"}));
}

}  // namespace
}  // namespace creg::node_table_test
