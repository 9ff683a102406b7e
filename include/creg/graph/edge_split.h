// Edges held out for link prediction, with as many non-edges to tell them from.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
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

}  // namespace creg
