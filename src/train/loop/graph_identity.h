// What tells one training graph from another.
#pragma once

#include <string>
#include <utility>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "train/checkpoint.h"

namespace creg {

/// Name, sizes, and checksums of edges and features. Features made of the structure
/// (train/made_features.h) are what the edges say: of them it is said alone that they are.
TextPairs graph_identity(const Context& context, const Graph& graph, bool made_features = false);

/// Of made ones, in place of their checksum.
std::pair<std::string, std::string> made_features_pair();

/// The pairs of an identity that are about nodes and edges alone.
TextPairs edges_identity(const Context& context, const Graph& graph);

/// "epochs: 300 there, 500 here" for every key of `here` whose values differ.
std::string differences(const TextPairs& there, const TextPairs& here);

}  // namespace creg
