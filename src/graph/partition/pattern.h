// What partitioning sees of a graph.
#pragma once

#include "creg/core/context.h"
#include "creg/graph/graph.h"

namespace creg::detail {

/// Both directions of every pair of different nodes that an edge joins, each once, ascending and
/// without values. Shares the graph's arrays where they are that already, which takes 8 bytes a
/// node to find out.
CsrMatrix undirected_pattern(const Context& context, const Graph& graph);

}  // namespace creg::detail
