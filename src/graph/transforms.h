// Graphs to graphs. Every transform takes the graph by value: move it in, and what it no longer
// needs is freed on the way. Results have ascending columns; arrays that need no change are shared.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph.h"

namespace creg {

/// Both directions of every edge, each once; the graph becomes undirected. Repeats are merged
/// first; of the weights of two directions the larger one counts. Memory beside input and result:
/// the transpose of the input.
Graph symmetrise(const Context& context, Graph graph);

/// A + transpose(A), with weights: what is stored of u -> v and of v -> u, repeats and loops
/// included, together in both directions. A graph without weights counts its entries; a loop counts
/// twice. The graph becomes undirected. (AGC's weights of Wiki's links.)
Graph sum_directions(const Context& context, Graph graph);

/// Each u -> v once; weights of repeats are summed, a graph without weights stays without.
Graph remove_duplicates(const Context& context, Graph graph);

Graph remove_self_loops(const Context& context, Graph graph);

/// A loop of weight 1 at every node that has none; existing ones keep their weight.
Graph add_self_loops(const Context& context, Graph graph);

/// The weakly connected component with most nodes (of equals, the one with the smallest node).
Graph largest_component(const Context& context, Graph graph);

/// The graph on `nodes`, in that order, with their features, labels and names; numbers become
/// names when the graph has none. Splits lose the nodes that are gone. A node outside the graph or
/// listed twice is an input error.
Graph induced_subgraph(const Context& context, const Graph& graph,
                       std::span<const std::int32_t> nodes);

/// The features of these nodes, in that order; a node may be listed again.
Features feature_rows_of(const Context& context, const Features& features,
                         std::span<const std::int32_t> nodes);

enum class RowSum {
  at_least_one,  ///< divide by max(sum, 1)
  plain,         ///< divide by the sum; rows that sum to 0 stay
};

Graph row_normalise_features(const Context& context, Graph graph,
                             RowSum divisor = RowSum::at_least_one);

/// Each column divided by its largest value; columns without a positive value stay.
Graph column_max_scale(const Context& context, Graph graph);

/// 1 where a feature is positive, nothing elsewhere.
Graph binarise(const Context& context, Graph graph);

/// Each column to mean 0 and population variance 1; constant columns become 0. Becomes dense.
Graph standardise(const Context& context, Graph graph);

/// What training sees of any graph: repeats merged, loops removed, symmetrised unless directed.
Graph simple_graph(const Context& context, Graph graph);

/// The names apply_transforms knows, in the order of this page.
const std::vector<std::string>& transform_names();

/// The named transforms, first to last. An unknown name is an input error.
Graph apply_transforms(const Context& context, Graph graph, std::span<const std::string> names);

}  // namespace creg
