// Weakly connected components.
#pragma once

#include <cstdint>
#include <vector>

#include "creg/core/array.h"
#include "creg/core/context.h"
#include "creg/graph/graph.h"

namespace creg {

struct Components {
  Array<std::int32_t> of_node;      ///< the component of every node
  std::vector<std::int64_t> sizes;  ///< its number of nodes

  std::int64_t count() const { return static_cast<std::int64_t>(sizes.size()); }
  /// The one with most nodes, the first of them when several are as large; -1 without nodes.
  std::int32_t largest() const;
};

/// Directions do not matter. Components are numbered by their smallest node, whatever the number
/// of threads. Takes 8 bytes per node.
Components connected_components(const Context& context, const CsrMatrix& adjacency);

}  // namespace creg
