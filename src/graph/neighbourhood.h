// What lies around some nodes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "creg/graph/graph.h"

namespace creg {

/// The nodes that are at most `hops` steps from these, along the rows of `adjacency`: these first,
/// each once and in their order, then hop by hop. Takes a byte per node of the graph beside them.
std::vector<std::int32_t> nodes_within(const CsrMatrix& adjacency,
                                       std::span<const std::int32_t> nodes, int hops);

}  // namespace creg
