// A graph in parts: what each process of several holds of it, and what it sends to the others.
//
// A part has nodes of its own and its halo, the nodes of others that its own ones gather from: of
// an undirected graph what their rows list, of a directed one the nodes with an edge to them
// (graph/normalise.h: messages follow the edges).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "graph/partition.h"

namespace creg {

/// One part. Its graph's nodes are the own ones, by number, then the halo, by owner and number.
///   adjacency  undirected: the rows of the own nodes, entries in their order; those of the halo
///              are empty. Directed: what every node here has to own nodes, columns ascending.
///   features   of all of them; labels of the own ones, `unlabelled` for the halo
///   splits     own nodes alone
///   names      as the graph's
struct GraphPart {
  Graph graph;
  std::int64_t own = 0;             ///< nodes of its own: the first rows
  Array<std::int32_t> nodes;        ///< number in the whole graph of each node
  Array<std::int32_t> halo_owners;  ///< the part of each halo node: ascends
  /// Own nodes that part q has in its halo, by number: send_nodes[send_offsets[q] ..
  /// send_offsets[q + 1]), in the order in which they stand there.
  Array<std::int64_t> send_offsets;
  Array<std::int32_t> send_nodes;

  std::int64_t halo() const { return nodes.size() - own; }
};

/// Makes the parts one by one. Takes 9 bytes a node, 4 per halo node of all parts, and of a
/// directed graph its transpose. The graph must outlive it.
class GraphParts {
 public:
  GraphParts(const Context& context, const Graph& graph, const Partition& partition);

  int parts() const { return static_cast<int>(own_starts_.size()) - 1; }
  /// Numbers of the nodes of a part, ascending.
  std::span<const std::int32_t> own(int part) const;
  /// Those of the halo of `part` that belong to `owner`, ascending.
  std::span<const std::int32_t> halo_from(int part, int owner) const;
  std::int64_t halo(int part) const;

  GraphPart make(const Context& context, int part) const;

 private:
  struct Halo {
    std::vector<std::int32_t> nodes;   // by owner and number
    std::vector<std::int64_t> starts;  // of each owner's
  };

  Halo find_halo(const CsrMatrix& gathered, int part) const;
  /// Where a node of the whole graph stands in the part that has it.
  std::int32_t row_in(int part, std::int32_t node) const;
  CsrMatrix rows_of_own(const Context& context, int part) const;
  CsrMatrix edges_to_own(const Context& context, int part,
                         std::span<const std::int32_t> nodes) const;
  void add_sends(GraphPart& made, int part) const;
  void add_splits(Graph& made, int part) const;

  const Graph& graph_;
  const std::vector<std::int32_t>& owners_;
  std::vector<std::int64_t> own_starts_;
  std::vector<std::int32_t> by_owner_;  // nodes by owner, then number
  std::vector<std::int32_t> place_;     // of each node among its owner's
  std::vector<Halo> halos_;
};

}  // namespace creg
