// The built-in partitioning: passes over the rows of the edges, in their order, with a few numbers
// per node beside them.
#pragma once

#include <cstdint>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph.h"

namespace creg::detail {

/// The part of each node of an undirected pattern; no part has more than ceil((1 + slack) N / P)
/// nodes, some may be empty. A few passes gather nodes into clusters where most of their
/// neighbours are; the graph of the clusters, where it is small enough to be kept, is gathered in
/// the same way; the last one's clusters are dealt out to the parts, largest first, each to where
/// its neighbours are; and passes on the way back move what is better off elsewhere. Takes about 15
/// passes, 40 bytes a node, and for the graphs of clusters at most a few bytes an entry.
std::vector<std::int32_t> streaming_owners(const Context& context, const CsrMatrix& pattern,
                                           int parts, double slack);

}  // namespace creg::detail
