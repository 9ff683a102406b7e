#include "creg/graph/graph.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/expect_error.h"
#include "support/graphs.h"

namespace creg::graph_test {
namespace {

DenseMatrix dense(std::int64_t rows, std::int64_t cols, std::vector<float> values) {
  return {.rows = rows, .cols = cols, .values = std::move(values)};
}

TEST(Features, CompactTakesTheSmallerStorageAndKeepsTheMatrix) {
  std::vector<float> mostly_zero(400);
  mostly_zero[7] = 2.5F;
  const Features sparse = compact(dense(4, 100, mostly_zero));
  ASSERT_TRUE(std::holds_alternative<CsrMatrix>(sparse));
  EXPECT_EQ(feature_nonzeros(sparse), 1);
  const DenseMatrix back = to_dense(sparse);
  EXPECT_EQ(std::vector<float>(back.values.begin(), back.values.end()), mostly_zero);

  const Features full = compact(dense(2, 2, {1, 2, 3, 4}));
  EXPECT_TRUE(std::holds_alternative<DenseMatrix>(full));
  EXPECT_TRUE(std::holds_alternative<DenseMatrix>(compact(to_sparse(dense(2, 2, {1, 2, 3, 4})))));
}

TEST(Features, OnesNeedNoValues) {
  std::vector<float> binary(400);
  binary[7] = binary[311] = 1;
  const Features features = compact(dense(4, 100, binary));
  EXPECT_TRUE(std::get<CsrMatrix>(features).values.empty());
  EXPECT_EQ(feature_nonzeros(features), 2);
  EXPECT_EQ(to_dense(features).values[311], 1);
}

TEST(NodeNames, KeepAnyBytes) {
  const std::vector<std::string> names = {"alpha", "", "β"};
  const NodeNames table{names};
  EXPECT_EQ(table.size(), 3);
  EXPECT_EQ(table[0], "alpha");
  EXPECT_EQ(table[1], "");
  EXPECT_EQ(table[2], "β");
  EXPECT_TRUE(NodeNames().empty());
}

TEST(Graph, CountsClassesAndNamesNodes) {
  Graph graph = test::path_graph(3);
  EXPECT_EQ(graph.classes(), 0);
  EXPECT_EQ(graph.node_name(2), "2");
  graph.labels = std::vector<std::int32_t>{1, unlabelled, 0};
  EXPECT_EQ(graph.classes(), 2);
  graph.class_names = {"a", "b", "c"};
  EXPECT_EQ(graph.classes(), 3);
}

TEST(Validate, AcceptsWholeGraphsAndTheEmptyOne) {
  EXPECT_NO_THROW(validate(test::two_triangles(), "t"));
  EXPECT_NO_THROW(validate(test::path_graph(1), "t"));
  EXPECT_NO_THROW(validate(test::path_graph(0), "t"));
}

TEST(Validate, NamesWhatDoesNotFit) {
  const auto broken = [](auto change) {
    return [change] {
      Graph graph = test::path_graph(3);
      change(graph);
      validate(graph, "file.x");
    };
  };
  test::expect_error(broken([](Graph& g) { g.adjacency.cols = 2; }), {"file.x", "not square"});
  test::expect_error(broken([](Graph& g) {
                       g.features =
                           DenseMatrix{.rows = 3, .cols = 4, .values = std::vector<float>(11)};
                     }),
                     {"wrong number of values", "found 11", "expected 12"});
  test::expect_error(broken([](Graph& g) {
                       g.adjacency.columns = std::vector<std::int32_t>{1, 0, 3, 1};
                     }),
                     {"column index out of range", "found 3", "0 to 2", "entry 2"});
  test::expect_error(broken([](Graph& g) {
                       g.adjacency.offsets = std::vector<std::int64_t>{0, 3, 1, 4};
                     }),
                     {"offsets decrease", "row 1"});
  test::expect_error(broken([](Graph& g) {
                       g.features = dense(2, 1, {1, 2});
                     }),
                     {"features do not match", "found 2 feature rows", "expected 3"});
  test::expect_error(broken([](Graph& g) {
                       g.features = dense(3, 1, {1, std::numeric_limits<float>::quiet_NaN(), 0});
                     }),
                     {"not finite", "entry 1"});
  test::expect_error(broken([](Graph& g) {
                       g.labels = std::vector<std::int32_t>{0, 1};
                     }),
                     {"labels do not match", "found 2 labels", "expected 3"});
  test::expect_error(broken([](Graph& g) {
                       g.labels = std::vector<std::int32_t>{0, 1, -2};
                     }),
                     {"label out of range", "found -2", "node 2"});
  test::expect_error(broken([](Graph& g) {
                       g.splits.push_back({.name = "s",
                                           .train = std::vector<std::int32_t>{0, 1},
                                           .test = std::vector<std::int32_t>{1}});
                     }),
                     {"split 's'", "listed twice", "node 1"});
  test::expect_error(broken([](Graph& g) {
                       g.splits.push_back({.name = "s", .train = std::vector<std::int32_t>{3}});
                     }),
                     {"split 's'", "out of range"});
}

}  // namespace
}  // namespace creg::graph_test
