// What tells one training graph from another.
#pragma once

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "train/checkpoint.h"

namespace creg {

/// Name, sizes, and checksums of edges and features.
TextPairs graph_identity(const Context& context, const Graph& graph);

/// The pairs of an identity that are about nodes and edges alone.
TextPairs edges_identity(const Context& context, const Graph& graph);

/// "epochs: 300 there, 500 here" for every key of `here` whose values differ.
std::string differences(const TextPairs& there, const TextPairs& here);

}  // namespace creg
