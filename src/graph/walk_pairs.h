// Random walks as pairs: what node2vec's loss is a mean over.
#pragma once

#include <cstdint>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "graph/random_walks.h"

namespace creg {

/// Row a lists whom centre a meets, as often as it does.
struct WalkPairs {
  CsrMatrix positives;
  CsrMatrix negatives;
};

/// A window of fewer than two nodes or longer than the walks is an input error.
void check_window(int window, int length);

/// In every window of `window` consecutive nodes of a walk the first is the centre and the others
/// its positives; beside each of these stand `negatives` nodes of the graph, uniformly drawn, as
/// negatives of the same centre: one may be the centre itself or a positive. `nodes` is the graph's
/// number of them. The window is checked (check_window). The negatives of a walk are a pure
/// function of its number, the seed and the epoch.
WalkPairs walk_pairs(const Context& context, const Walks& walks, int window, int negatives,
                     std::int64_t nodes, std::uint64_t seed, std::uint32_t epoch);

}  // namespace creg
