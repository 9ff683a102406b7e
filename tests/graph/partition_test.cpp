#include "graph/partition.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "graph/generators.h"
#include "graph/partition/pattern.h"
#include "support/expect_error.h"
#include "support/graphs.h"

namespace creg::partition_test {
namespace {

using Owners = std::vector<std::int32_t>;

/// Those that this build has.
std::vector<PartitionMethod> methods() {
  std::vector<PartitionMethod> built;
  for (const auto method :
       {PartitionMethod::metis, PartitionMethod::scotch, PartitionMethod::streaming}) {
    if (has_partition_method(method)) built.push_back(method);
  }
  return built;
}

Graph undirected(std::int32_t nodes, const test::Edges& edges) {
  test::Edges both;
  for (const auto& [u, v] : edges) both.insert(both.end(), {{u, v}, {v, u}});
  Graph graph;
  graph.name = "made";
  graph.adjacency = test::csr(nodes, both);
  return graph;
}

/// `count` cliques of `size`, each joined to the next by one edge.
Graph ring_of_cliques(std::int32_t count, std::int32_t size) {
  test::Edges edges;
  for (std::int32_t c = 0; c < count; ++c) {
    for (std::int32_t i = 0; i < size; ++i) {
      for (std::int32_t j = 0; j < i; ++j) edges.emplace_back(c * size + i, c * size + j);
    }
    edges.emplace_back(c * size, (c + 1) % count * size + 1);
  }
  return undirected(count * size, edges);
}

Partition partition_by(PartitionMethod method, const Graph& graph, int parts,
                       std::uint64_t seed = 0, int threads = 1) {
  return partition_nodes(Context({.threads = threads, .seed = seed}), graph,
                         {.parts = parts, .method = method});
}

std::int64_t largest_of(const Partition& partition) {
  const std::vector<std::int64_t> sizes = part_sizes(partition.owners, partition.parts);
  return *std::max_element(sizes.begin(), sizes.end());
}

TEST(Partition, TheCutOfSmallGraphsCountedByHand) {
  const Context context;
  const Graph path = test::path_graph(4);
  EXPECT_EQ(cut_entries(context, path.adjacency, Owners{0, 0, 1, 1}), 2);
  EXPECT_EQ(cut_entries(context, path.adjacency, Owners{0, 1, 0, 1}), 6);
  EXPECT_EQ(cut_entries(context, path.adjacency, Owners{0, 0, 0, 0}), 0);
  // A loop joins nothing, a repeat twice.
  const Graph triangles = test::two_triangles();
  EXPECT_EQ(cut_entries(context, triangles.adjacency, Owners{0, 1, 1, 0, 0, 0, 1}), 4);
  EXPECT_EQ(part_sizes(Owners{2, 0, 2}, 4), (std::vector<std::int64_t>{1, 0, 2, 0}));
}

TEST(Partition, CliquesStayWhole) {
  const Graph graph = ring_of_cliques(4, 10);
  for (const PartitionMethod method : methods()) {
    const Partition partition = partition_by(method, graph, 4);
    EXPECT_EQ(partition.method, method);
    EXPECT_EQ(part_sizes(partition.owners, 4), (std::vector<std::int64_t>{10, 10, 10, 10}))
        << name_of(method);
    EXPECT_EQ(cut_entries(Context(), graph.adjacency, partition.owners), 8) << name_of(method);
  }
}

TEST(Partition, EveryNodeHasAPartAndNoPartIsEmpty) {
  const std::vector<Graph> graphs = {
      test::path_graph(1),
      test::path_graph(2),
      test::path_graph(50),
      test::two_triangles(),
      undirected(9, {}),
      undirected(9, {{0, 1}}),
      undirected(4, {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}),
      ring_of_cliques(3, 2),
      undirected(30, {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 29}})};
  for (const Graph& graph : graphs) {
    for (const PartitionMethod method : methods()) {
      for (int parts = 1; parts <= std::min<std::int64_t>(graph.nodes(), 9); ++parts) {
        const Partition partition = partition_by(method, graph, parts);
        ASSERT_EQ(partition.owners.size(), static_cast<std::size_t>(graph.nodes()));
        const std::set<std::int32_t> used(partition.owners.begin(), partition.owners.end());
        EXPECT_EQ(used.size(), static_cast<std::size_t>(parts))
            << name_of(method) << " of " << graph.nodes() << " nodes";
        EXPECT_EQ(*used.begin(), 0);
        EXPECT_EQ(*used.rbegin(), parts - 1);
      }
    }
  }
}

TEST(Partition, MorePartsThanNodesAndOtherNumbersAreRefused) {
  const Graph graph = test::path_graph(3);
  const auto refused = [&](int parts, std::initializer_list<std::string> words) {
    test::expect_error([&] { partition_by(PartitionMethod::streaming, graph, parts); }, words);
  };
  refused(4, {"--parts", "more parts than nodes", "4 parts of 3 nodes"});
  refused(0, {"--parts", "out of range", "1 to 1,024"});
  refused(-1, {"--parts", "out of range"});
  refused(most_parts + 1, {"--parts", "1025"});
  test::expect_error(
      [] {
        Graph none;
        none.adjacency = test::csr(0, {});
        partition_by(PartitionMethod::automatic, none, 1);
      },
      {"more parts than nodes"});
}

TEST(Partition, TheSeedDecidesNotTheThreads) {
  const Graph graph = generate(Context(), parse_synthetic("synthetic:citation"));
  for (const PartitionMethod method : methods()) {
    const Owners one = partition_by(method, graph, 5, 3, 1).owners;
    EXPECT_EQ(one, partition_by(method, graph, 5, 3, 4).owners) << name_of(method);
    EXPECT_NE(one, partition_by(method, graph, 5, 4, 1).owners) << name_of(method);
    EXPECT_NE(partition_by(method, graph, 5, 0).owners, partition_by(method, graph, 5, 1).owners)
        << name_of(method);
  }
}

// The generator's communities lie inside its classes, 95 % of the edges inside a class inside a
// community; a random partition would cut three quarters.
TEST(Partition, CommunitiesAreFound) {
  const Graph graph = generate(Context(), parse_synthetic("synthetic:pubmed"));
  for (const PartitionMethod method : methods()) {
    const Partition partition = partition_by(method, graph, 4);
    const auto cut = static_cast<double>(cut_entries(Context(), graph.adjacency, partition.owners));
    EXPECT_LT(cut / static_cast<double>(graph.adjacency.nonzeros()), 0.15) << name_of(method);
    EXPECT_LE(static_cast<double>(largest_of(partition)),
              1.05 * static_cast<double>(graph.nodes()) / 4)
        << name_of(method);
  }
}

TEST(Partition, StreamingKeepsItsBalance) {
  // A star: everybody would like to be with the middle.
  test::Edges star;
  for (std::int32_t i = 1; i < 200; ++i) star.emplace_back(0, i);
  // And a graph that is one clique.
  test::Edges clique;
  for (std::int32_t i = 0; i < 60; ++i) {
    for (std::int32_t j = 0; j < i; ++j) clique.emplace_back(i, j);
  }
  for (const Graph& graph : {undirected(200, star), undirected(60, clique), undirected(77, {})}) {
    for (const int parts : {2, 3, 7}) {
      const Partition partition = partition_by(PartitionMethod::streaming, graph, parts);
      const double share = static_cast<double>(graph.nodes()) / parts;
      EXPECT_LE(static_cast<double>(largest_of(partition)),
                std::max(std::ceil(share), 1.03 * share));
    }
  }
}

TEST(Partition, MemoryDecidesWhatAutoStandsFor) {
  const GraphSize small{.nodes = 100, .entries = 1000};
  const PartitionMethod first = methods().front();
  EXPECT_EQ(choose_partition_method(PartitionMethod::automatic, small), first);
  for (const PartitionMethod method : methods()) {
    EXPECT_EQ(choose_partition_method(method, small), method);
    EXPECT_GE(partition_bytes(method, small), partition_bytes(PartitionMethod::streaming, small));
  }
  // No machine of this world.
  const GraphSize vast{.nodes = max_nodes, .entries = std::int64_t{1} << 50};
  test::expect_error([&] { choose_partition_method(PartitionMethod::automatic, vast); },
                     {"more memory than there is", "--method streaming", "larger machine"},
                     ErrorKind::environment);
  if (has_partition_method(PartitionMethod::metis)) {
    test::expect_error([&] { choose_partition_method(PartitionMethod::metis, vast); },
                       {"32 bits", "--method metis", "adjacency entries"});
    EXPECT_FALSE(partition_method_counts(PartitionMethod::metis, vast.entries));
  } else {
    test::expect_error([&] { choose_partition_method(PartitionMethod::metis, small); },
                       {"this build has no metis", "libmetis-dev"});
  }
  if (!has_partition_method(PartitionMethod::scotch)) {
    test::expect_error([&] { choose_partition_method(PartitionMethod::scotch, small); },
                       {"this build has no scotch", "libscotch-dev"});
  }
  EXPECT_TRUE(partition_method_counts(PartitionMethod::streaming, vast.entries));
}

TEST(PartitionPattern, BothDirectionsOnceWithoutLoops) {
  const Context context;
  const CsrMatrix pattern = detail::undirected_pattern(context, test::two_triangles());
  EXPECT_EQ(test::entries(pattern), (test::Edges{{0, 1},
                                                 {0, 2},
                                                 {1, 0},
                                                 {1, 2},
                                                 {2, 0},
                                                 {2, 1},
                                                 {3, 4},
                                                 {3, 5},
                                                 {4, 3},
                                                 {4, 5},
                                                 {5, 3},
                                                 {5, 4}}));
  Graph directed = test::path_graph(3);
  directed.directed = true;
  directed.adjacency = test::csr(3, {{0, 1}, {2, 1}}, {2, 3});
  EXPECT_EQ(test::entries(detail::undirected_pattern(context, directed)),
            (test::Edges{{0, 1}, {1, 0}, {1, 2}, {2, 1}}));
  EXPECT_TRUE(detail::undirected_pattern(context, directed).values.empty());
}

TEST(PartitionPattern, WhatIsOneAlreadyIsShared) {
  const Context context;
  const Graph path = test::path_graph(9);
  EXPECT_EQ(detail::undirected_pattern(context, path).columns.data(),
            path.adjacency.columns.data());
  // As many entries, but not the mirror images.
  const std::vector<test::Edges> others = {
      {{0, 1}, {1, 2}},         {{0, 1}, {2, 1}},
      {{1, 0}, {0, 2}},         {{1, 0}, {1, 2}, {2, 0}, {0, 2}},
      {{0, 1}, {1, 0}, {1, 0}}, {{2, 0}, {2, 1}}};
  for (const test::Edges& edges : others) {
    Graph graph;
    graph.adjacency = test::csr(3, edges);
    std::set<std::pair<std::int32_t, std::int32_t>> expected;
    for (const auto& [u, v] : edges) expected.insert({{u, v}, {v, u}});
    EXPECT_EQ(test::entries(detail::undirected_pattern(context, graph)),
              test::Edges(expected.begin(), expected.end()));
  }
}

}  // namespace
}  // namespace creg::partition_test
