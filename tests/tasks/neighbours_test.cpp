#include "creg/tasks/neighbours.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "creg/core/random.h"
#include "support/device_under_test.h"
#include "support/expect_error.h"
#include "support/graphs.h"
#include "support/recording_log.h"
#include "tasks/neighbours/index.h"

namespace creg::neighbours_test {
namespace {

using test::expect_error;

/// Small whole numbers, so that sums are exact and many nodes are equally similar.
DenseMatrix whole_numbers(std::int64_t rows, std::int64_t cols, std::uint64_t seed) {
  RandomStream stream(seed, Purpose::test);
  std::vector<float> values(static_cast<std::size_t>(rows * cols));
  for (float& value : values) value = static_cast<float>(std::lround(2 * stream.normal()));
  return {.rows = rows, .cols = cols, .values = std::move(values)};
}

DenseMatrix numbers(std::int64_t rows, std::int64_t cols, std::uint64_t seed) {
  RandomStream stream(seed, Purpose::test);
  std::vector<float> values(static_cast<std::size_t>(rows * cols));
  for (float& value : values) value = static_cast<float>(stream.normal());
  return {.rows = rows, .cols = cols, .values = std::move(values)};
}

/// A node's edge to the next one is stored in this direction alone; every tenth node has an edge to
/// all.
Graph graph_of(std::int64_t nodes) {
  test::Edges edges;
  for (std::int32_t i = 0; i < nodes; ++i) {
    edges.emplace_back(i, static_cast<std::int32_t>((i + 1) % nodes));
  }
  for (std::int32_t i = 0; i < nodes; i += 10) {
    for (std::int32_t j = 0; j < nodes; ++j) {
      if (j != i && j != (i + 1) % nodes) edges.emplace_back(i, j);
    }
  }
  Graph graph;
  graph.name = "made up";
  graph.adjacency = test::csr(nodes, edges);
  return graph;
}

bool is_edge(const Graph& graph, std::int32_t u, std::int32_t v) {
  const auto entries = test::entries(graph.adjacency);
  return std::find(entries.begin(), entries.end(), std::pair{u, v}) != entries.end() ||
         std::find(entries.begin(), entries.end(), std::pair{v, u}) != entries.end();
}

double similarity(const DenseMatrix& z, std::int64_t i, std::int64_t j, Similarity by) {
  double product = 0;
  double squares_i = 0;
  double squares_j = 0;
  for (std::size_t c = 0; c < z.row(i).size(); ++c) {
    product += static_cast<double>(z.row(i)[c]) * z.row(j)[c];
    squares_i += static_cast<double>(z.row(i)[c]) * z.row(i)[c];
    squares_j += static_cast<double>(z.row(j)[c]) * z.row(j)[c];
  }
  if (by == Similarity::dot) return product;
  return product / std::max(std::sqrt(squares_i) * std::sqrt(squares_j), 1e-12);
}

/// The rule in words, one node at a time: others sorted by similarity, then by number.
std::vector<std::int32_t> others_of(const DenseMatrix& z, const Graph* without, std::int32_t node,
                                    Similarity by) {
  std::vector<std::int32_t> others;
  for (std::int32_t j = 0; j < z.rows; ++j) {
    if (j != node && (without == nullptr || !is_edge(*without, node, j))) others.push_back(j);
  }
  std::stable_sort(others.begin(), others.end(), [&](std::int32_t a, std::int32_t b) {
    return similarity(z, node, a, by) > similarity(z, node, b, by);
  });
  return others;
}

void expect_lists(const NeighbourLists& lists, const DenseMatrix& z, const Graph* graph,
                  const NeighbourOptions& options) {
  const bool exclude = options.graph_neighbours == GraphNeighbours::exclude;
  ASSERT_EQ(lists.k, options.k);
  for (std::int64_t i = 0; i < lists.size(); ++i) {
    const std::int32_t node = lists.nodes[static_cast<std::size_t>(i)];
    const std::vector<std::int32_t> truth =
        others_of(z, exclude ? graph : nullptr, node, options.similarity);
    for (std::int64_t place = 0; place < lists.k; ++place) {
      const std::size_t at = lists.at(i, place);
      if (place >= static_cast<std::int64_t>(truth.size())) {
        EXPECT_EQ(lists.neighbours[at], -1) << node << ", " << place;
        continue;
      }
      const std::int32_t other = truth[static_cast<std::size_t>(place)];
      EXPECT_EQ(lists.neighbours[at], other) << node << ", " << place;
      EXPECT_NEAR(lists.scores[at], similarity(z, node, other, options.similarity), 1e-5);
      if (graph != nullptr) {
        EXPECT_EQ(lists.edges[at] != 0, is_edge(*graph, node, other)) << node << ", " << place;
      }
    }
  }
}

std::vector<std::int32_t> first_nodes(std::int32_t count) {
  std::vector<std::int32_t> nodes(static_cast<std::size_t>(count));
  std::iota(nodes.begin(), nodes.end(), 0);
  return nodes;
}

TEST(Neighbours, OfSomeNodesAreTheMostSimilarOthersWithTheirEdges) {
  const Graph graph = graph_of(60);
  const DenseMatrix z = whole_numbers(60, 5, 1);
  const std::vector<std::int32_t> nodes = {7, 0, 59, 7};
  const NeighbourOptions options{.k = 9, .similarity = Similarity::dot};
  const NeighbourLists lists = neighbours(test::context(), &graph, z, nodes, options);
  EXPECT_EQ(lists.nodes, nodes);
  expect_lists(lists, z, &graph, options);
  const NeighbourOptions by_cosine{.k = 3};
  const DenseMatrix w = numbers(60, 5, 2);
  expect_lists(neighbours(test::context(), &graph, w, nodes, by_cosine), w, &graph, by_cosine);
}

TEST(Neighbours, WithoutAGraphNothingIsKnownOfEdges) {
  const DenseMatrix z = whole_numbers(20, 3, 3);
  const NeighbourOptions options{.k = 19, .similarity = Similarity::dot};
  const NeighbourLists lists = neighbours(test::context(), nullptr, z, first_nodes(20), options);
  EXPECT_TRUE(lists.edges.empty());
  expect_lists(lists, z, nullptr, options);
}

// Node 0 has an edge to all others, so that nothing remains for it, however far the search goes.
TEST(Neighbours, ThoseOfTheGraphCanBeLeftOut) {
  const Graph graph = graph_of(47);
  const DenseMatrix z = whole_numbers(47, 4, 4);
  const NeighbourOptions options{
      .k = 6, .similarity = Similarity::dot, .graph_neighbours = GraphNeighbours::exclude};
  expect_lists(neighbours(test::context(), &graph, z, first_nodes(47), options), z, &graph,
               options);
}

TEST(Neighbours, OfAllNodesAreTheSameAsNodeByNode) {
  const Graph graph = graph_of(150);
  const DenseMatrix z = whole_numbers(150, 6, 5);
  for (const GraphNeighbours which : {GraphNeighbours::mark, GraphNeighbours::exclude}) {
    const NeighbourOptions options{
        .k = 4, .similarity = Similarity::dot, .graph_neighbours = which};
    std::int32_t next = 0;
    const NeighbourSummary summary =
        all_neighbours(test::context(), &graph, z, options, [&](const NeighbourLists& some) {
          for (const std::int32_t node : some.nodes) EXPECT_EQ(node, next++);
          expect_lists(some, z, &graph, options);
        });
    EXPECT_EQ(next, 150);
    EXPECT_FALSE(summary.approximate);
    EXPECT_EQ(summary.recall, std::nullopt);
  }
}

TEST(Neighbours, OfAllNodesSayFirstWhatTheyWillTake) {
  const auto log = std::make_shared<test::RecordingLog>();
  bool said = false;
  all_neighbours(test::context({.threads = 1, .log = log}), nullptr, numbers(40, 3, 6), {.k = 2},
                 [&](const NeighbourLists&) { said = !log->entries().empty(); });
  EXPECT_TRUE(said);
  const std::vector<std::string> lines = log->messages(LogLevel::info);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].find("the exact neighbours of 40 nodes take about "), 0U) << lines[0];
}

TEST(Neighbours, AnIndexSaysHowManyOfTheExactOnesItFinds) {
  const NeighbourOptions options{.k = 5, .search = NeighbourSearch::approximate};
  if (!tasks::has_neighbour_index()) {
    expect_error(
        [&] { all_neighbours(test::context(), nullptr, numbers(40, 3, 6), options, nullptr); },
        {"without faiss", "--approximate", "libfaiss-dev"});
    return;
  }
  constexpr std::int64_t n = 3000;
  const DenseMatrix z = numbers(n, 8, 7);
  std::int64_t hits = 0;
  std::int64_t judged = 0;
  std::int64_t seen = 0;
  const NeighbourSummary summary =
      all_neighbours(test::context(), nullptr, z, options, [&](const NeighbourLists& some) {
        for (std::int64_t i = 0; i < some.size(); ++i) {
          const std::int32_t node = some.nodes[static_cast<std::size_t>(i)];
          EXPECT_EQ(node, seen++);
          if (node % 10 != 0) continue;
          const std::vector<std::int32_t> truth = others_of(z, nullptr, node, Similarity::cosine);
          for (std::int64_t place = 0; place < 5; ++place) {
            const std::size_t at = some.at(i, place);
            const std::int32_t other = some.neighbours[at];
            EXPECT_NE(other, node);
            if (other < 0) continue;
            EXPECT_NEAR(some.scores[at], similarity(z, node, other, Similarity::cosine), 1e-5);
            hits += std::count(truth.begin(), truth.begin() + 5, other);
          }
          judged += 5;
        }
      });
  EXPECT_EQ(seen, n);
  EXPECT_TRUE(summary.approximate);
  EXPECT_EQ(summary.recall_nodes, 500);
  ASSERT_TRUE(summary.recall);
  EXPECT_GT(*summary.recall, 0.85);
  EXPECT_LT(*summary.recall, 1);
  // On other nodes it is the same, but for the spread of 300 of them.
  EXPECT_NEAR(static_cast<double>(hits) / static_cast<double>(judged), *summary.recall, 0.05);
}

// The index leaves too few for nodes with many edges; these are then compared with all.
TEST(Neighbours, AnIndexLeavesOutThoseOfTheGraphToo) {
  if (!tasks::has_neighbour_index()) GTEST_SKIP() << "built without faiss";
  const Graph graph = graph_of(120);
  const DenseMatrix z = numbers(120, 3, 8);
  const NeighbourOptions options{
      .k = 3, .graph_neighbours = GraphNeighbours::exclude, .search = NeighbourSearch::approximate};
  all_neighbours(test::context(), &graph, z, options, [&](const NeighbourLists& some) {
    for (std::int64_t i = 0; i < some.size(); ++i) {
      const std::int32_t node = some.nodes[static_cast<std::size_t>(i)];
      const std::size_t left = others_of(z, &graph, node, Similarity::cosine).size();
      for (std::int64_t place = 0; place < 3; ++place) {
        const std::int32_t other = some.neighbours[some.at(i, place)];
        EXPECT_EQ(other >= 0, place < static_cast<std::int64_t>(left)) << node;
        if (other < 0) continue;
        EXPECT_FALSE(is_edge(graph, node, other)) << node << " " << other;
      }
    }
  });
}

TEST(Neighbours, WhatCannotBeIsAnInputError) {
  const Graph graph = graph_of(20);
  const DenseMatrix z = numbers(20, 3, 9);
  const auto found = [&](const Graph* of, const DenseMatrix& rows, std::int32_t node,
                         const NeighbourOptions& options) {
    return [of, rows, node, options] {
      neighbours(test::context(), of, rows, std::vector<std::int32_t>{node}, options);
    };
  };
  expect_error(found(&graph, z, 0, {.k = 20}), {"k, the number of neighbours", "20", "1 to 19"});
  expect_error(found(&graph, z, 0, {.k = 0}), {"1 to 19"});
  expect_error(found(&graph, z, 20, {}), {"no such node", "20", "0 to 19"});
  expect_error(found(&graph, z, -1, {}), {"no such node", "0 to 19"});
  expect_error(found(&graph, numbers(19, 3, 9), 0, {}), {"does not fit the graph"});
  expect_error(found(nullptr, z, 0, {.graph_neighbours = GraphNeighbours::exclude}),
               {"left out where there is a graph"});
  std::vector<float> values(60, 1.0F);
  values[31] = std::numeric_limits<float>::quiet_NaN();
  const DenseMatrix bad{.rows = 20, .cols = 3, .values = std::move(values)};
  expect_error(found(nullptr, bad, 0, {}), {"not finite", "10"});
}

}  // namespace
}  // namespace creg::neighbours_test
