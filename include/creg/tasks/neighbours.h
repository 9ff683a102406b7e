// The most similar nodes of a node in an embedding, and which of them the graph joins to it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "creg/core/context.h"
#include "creg/core/named_enum.h"
#include "creg/graph/graph.h"
#include "creg/ops/similarity_options.h"

namespace creg {

/// What becomes of those that an edge joins to the node, in whatever direction.
enum class GraphNeighbours { mark, exclude };
template <>
struct EnumNames<GraphNeighbours> {
  static constexpr std::array<std::string_view, 2> names = {"mark", "exclude"};
};

/// How the neighbours of all nodes are looked for.
enum class NeighbourSearch {
  automatic,  ///< exact; on the CPU beyond most_exact_nodes by an index, where this build has one
  exact,
  approximate,
};

/// Of these nodes and more every pair is some hours of a CPU.
inline constexpr std::int64_t most_exact_nodes = 1'000'000;

struct NeighbourOptions {
  std::int64_t k = 10;
  Similarity similarity = Similarity::cosine;
  GraphNeighbours graph_neighbours = GraphNeighbours::mark;
  NeighbourSearch search = NeighbourSearch::automatic;  ///< of all_neighbours
};

/// k places for each of the nodes.
struct NeighbourLists {
  std::int64_t k = 0;
  std::vector<std::int32_t> nodes;       ///< whose neighbours these are
  std::vector<std::int32_t> neighbours;  ///< the most similar first; -1: there are no more
  std::vector<float> scores;             ///< their similarities
  std::vector<std::uint8_t> edges;       ///< 1: joined in the graph; empty: there is no graph

  std::int64_t size() const { return static_cast<std::int64_t>(nodes.size()); }
  /// Of place `place` of nodes[i].
  std::size_t at(std::int64_t i, std::int64_t place) const {
    return static_cast<std::size_t>(i * k + place);
  }
};

/// Exact: of equally similar nodes the one with the smaller number comes first. The node itself is
/// never among them. `graph` may be null: nothing is then known of edges, and none can be excluded.
/// An embedding that does not fit the graph, or holds a number that is not finite, and k outside
/// 1 … N-1 are input errors.
NeighbourLists neighbours(const Context& context, const Graph* graph, const DenseMatrix& embedding,
                          std::span<const std::int32_t> nodes,
                          const NeighbourOptions& options = {});

/// How the neighbours of all nodes were found.
struct NeighbourSummary {
  bool approximate = false;
  /// The share of the exact neighbours of some nodes, evenly spaced, that the index finds; one as
  /// similar as the last of them counts as one. None: the search was exact.
  std::optional<double> recall;
  std::int64_t recall_nodes = 0;  ///< how many these are
};

/// The same for all nodes, handed over in order, some at a time. What it will take is said in the
/// log before, from a first block. Memory beside the embedding is bounded: a gigabyte on the CPU;
/// an index is a copy of the embedding.
NeighbourSummary all_neighbours(const Context& context, const Graph* graph,
                                const DenseMatrix& embedding, const NeighbourOptions& options,
                                const std::function<void(const NeighbourLists&)>& take);

}  // namespace creg
