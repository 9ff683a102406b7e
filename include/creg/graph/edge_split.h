// Edges held out for link prediction, with as many non-edges to tell them from.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph.h"

namespace creg {

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
