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

/// An input error naming every difference, unless the checkpoint was made on this graph by this
/// configuration and a version that writes the same checkpoints.
void check_resumable(const Checkpoint& checkpoint, const TextPairs& graph, const TextPairs& config,
                     const std::string& file);

}  // namespace creg
