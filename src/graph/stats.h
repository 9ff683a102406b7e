// The figures that describe a graph.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "creg/core/context.h"
#include "creg/graph/graph.h"

namespace creg {

/// Counts of a graph as it is stored. What a graph does not have is nullopt.
struct GraphStats {
  std::string name;
  std::int64_t nodes = 0;
  std::int64_t entries = 0;         ///< of the adjacency, repeats and loops included
  std::int64_t edges = 0;           ///< distinct undirected pairs u != v
  std::int64_t directed_edges = 0;  ///< distinct ordered pairs u != v
  std::int64_t self_loops = 0;      ///< distinct nodes with one
  std::optional<std::int64_t> features;
  std::optional<std::int64_t> nonzeros;  ///< feature values that are not zero
  std::optional<std::int64_t> classes;   ///< in use: distinct labels
  std::optional<std::int64_t> unlabelled;
  std::int64_t isolated = 0;  ///< nodes without an edge to another node
  std::int64_t components = 0;
  std::int64_t largest_component_nodes = 0;
  std::int64_t largest_component_edges = 0;  ///< distinct undirected
  std::optional<std::int64_t> train;         ///< of the first split
  std::optional<std::int64_t> val;
  std::optional<std::int64_t> test;
};

/// In parallel; takes at most 4 bytes per entry and 16 per node and thread for the time being.
GraphStats graph_stats(const Context& context, const Graph& graph);

}  // namespace creg
