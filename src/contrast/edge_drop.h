// Views of a graph with some of its edges gone.
#pragma once

#include <span>
#include <vector>

#include "contrast/view_draw.h"
#include "creg/core/context.h"
#include "creg/graph/graph.h"

namespace creg {

/// The matrix without entries drawn at random, each stored one on its own: of an undirected edge
/// one direction may stay. Does not depend on the number of threads.
CsrMatrix drop_edges(const Context& context, const CsrMatrix& adjacency, double chance,
                     const ViewDraw& draw);
/// With a chance per stored entry.
CsrMatrix drop_edges(const Context& context, const CsrMatrix& adjacency,
                     std::span<const float> chances, const ViewDraw& draw);

/// GCA's chances per stored entry u -> v: adaptive_chances of the log of the centrality of v, so
/// that edges into central nodes stay. The centrality of a node that an edge leads to must be
/// positive.
std::vector<float> adaptive_edge_chances(const Context& context, const CsrMatrix& adjacency,
                                         std::span<const double> centrality, double chance);

}  // namespace creg
