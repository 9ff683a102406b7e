// Node splits by protocol name: which labelled nodes a classifier trains on, is chosen by and is
// measured on.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph.h"

namespace creg {

/// Every protocol that make_split knows, in the order in which help texts list them:
///   public                     the stored split of that name, else the stored ones in their order
///   ogb                        the same: the stored official split
///   per-class-20-30            per class 20 train, 30 val, the rest test; a class of 50 nodes or
///                              fewer is in no part (the paper's behaviour), which a notice says
///   per-class-20-30-keep-small the same, but a small class is split 20/30/50 %: none is lost
///   per-class-20-500-ovr       per class 20 train, or half of it where that is less, rounded up;
///   of
///                              all the rest together 500 val, or half of it; the others test
///   random-10-10-80            of n labelled nodes floor(n/10) train, floor(n/10) val, rest test
///   random-60-20-20            floor(3n/5) train, floor(n/5) val, rest test
///   random-10-90-ovr           floor(n/10) train, no val, rest test
///   by-id                      consecutive thirds in node order: floor(n/3), floor(n/3), rest;
///                              "by-id:A/B/C" takes parts in the proportion of these numbers
std::vector<std::string> split_protocols();

/// The split of `graph` by `protocol`, or its stored split of that name. An unlabelled node is in
/// no part. A pure function of (graph, protocol, seed, index): for seeded protocols `index` numbers
/// independent splits of one seed; for stored ones it counts those named `protocol` or
/// `protocol`-<anything>, or all where `public` or `ogb` names none, in stored order. Parts ascend;
/// an empty part that the protocol promises is an error.
///
/// Small classes of per-class-20-30-keep-small: of n nodes max(1, floor(n/5)) train, then
/// max(1, floor(3n/10)) val where at least two are left, the rest test.
Split make_split(const Context& context, const Graph& graph, std::string_view protocol,
                 std::uint64_t seed, int index = 0);

/// How many splits a protocol has: the stored ones that it counts, 1 for by-id. Nothing for seeded
/// protocols, which draw as many as are asked for, and for unknown names.
std::optional<int> fixed_split_count(const Graph& graph, std::string_view protocol);

// Edges held out for link prediction, with as many non-edges to tell them from.

/// An unordered pair of nodes, smaller id first.
struct NodePair {
  std::int32_t u = 0;
  std::int32_t v = 0;
  auto operator<=>(const NodePair&) const = default;
};

struct EdgeSplit {
  Graph train;                ///< all nodes, training edges only, both directions stored
  std::vector<NodePair> val;  ///< held-out edges, in ascending order as all lists here
  std::vector<NodePair> test;
  std::vector<NodePair> val_non_edges;   ///< as many as `val`
  std::vector<NodePair> test_non_edges;  ///< as many as `test`
};

/// Of the m distinct undirected edges (loops, repeats and directions are ignored) floor(m/20) drawn
/// at random become `val`, floor(m/10) `test`, the rest train. Non-edges are uniform among the
/// pairs that are no edge of the whole graph, all distinct. The training graph keeps features,
/// labels, names and node splits and has weight 1 everywhere. Needs at least 20 edges and as
/// many non-edges as are held out. Memory is O(nodes + edges), never nodes squared.
EdgeSplit split_edges(const Context& context, const Graph& graph, std::uint64_t seed);

/// How many of so many distinct edges it leaves for training.
std::int64_t training_edges(std::int64_t edges);

/// Throws an input error naming `source` and the pair when a held-out pair is an edge, in either
/// direction, of the training adjacency (columns in any order).
void check_no_leak(const Context& context, const CsrMatrix& training,
                   std::span<const NodePair> held_out, const std::string& source);

/// What a split is called in results.
inline constexpr std::string_view edge_split_protocol = "edge-85-5-10";

/// What the leak check of a split has looked at.
struct LeakCheck {
  std::int64_t training_edges = 0;
  std::int64_t held_out_edges = 0;  ///< validation and test
  std::int64_t non_edges = 0;       ///< the same
};

/// Throws an input error naming `source` and the pair unless the training graph has none of the
/// held-out edges, no non-edge is an edge anywhere, and no pair is listed twice. An empty part, and
/// lists that are not ascending pairs of two nodes of the graph, are input errors too.
LeakCheck check_edge_split(const Context& context, const EdgeSplit& split,
                           const std::string& source);

/// The split of `graph` with these held-out lists, in any state of `split.train`: the training
/// graph is the graph without the held-out edges. A held-out edge that the graph does not have, and
/// whatever check_edge_split refuses, is an input error.
EdgeSplit apply_edge_split(const Context& context, const Graph& graph, EdgeSplit split,
                           const std::string& source);

/// The distinct pairs u < v that are joined by an entry in either direction, ascending.
std::vector<NodePair> distinct_edges(const Context& context, const CsrMatrix& adjacency);

}  // namespace creg
