// GCA's chances of edges to be gone from a view.
#pragma once

#include <span>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph.h"

namespace creg {

/// Per stored entry u -> v: adaptive_chances of the log of the centrality of v, so that edges into
/// central nodes stay. The centrality of a node that an edge leads to must be positive.
std::vector<float> adaptive_edge_chances(const Context& context, const CsrMatrix& adjacency,
                                         std::span<const double> centrality, double chance);

}  // namespace creg
