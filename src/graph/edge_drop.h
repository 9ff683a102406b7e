// Views of a graph with some of its edges gone.
#pragma once

#include <span>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "graph/view_draw.h"

namespace creg {

/// The matrix without entries drawn at random, each stored one on its own: of an undirected edge
/// one direction may stay. Does not depend on the number of threads.
CsrMatrix drop_edges(const Context& context, const CsrMatrix& adjacency, double chance,
                     const ViewDraw& draw);
/// With a chance per stored entry.
CsrMatrix drop_edges(const Context& context, const CsrMatrix& adjacency,
                     std::span<const float> chances, const ViewDraw& draw);

}  // namespace creg
