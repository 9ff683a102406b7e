// The pairs that NonEdgeSampler draws, by several processes of which each knows the edges of its
// own nodes alone: they tell each other which attempts end on an edge.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "creg/core/context.h"
#include "creg/core/random.h"
#include "creg/graph/graph.h"

namespace creg {

class PartNonEdges {
 public:
  /// `own`: numbers of the own nodes, ascending. Row r of `edges` lists the neighbours of own[r] by
  /// number, ascending, without itself and repeats.
  PartNonEdges(std::int64_t nodes, Array<std::int32_t> own, CsrMatrix edges);

  const CsrMatrix& edges() const { return edges_; }

  /// A list of pairs of one epoch, and how far into each block of it one looks.
  struct Draw {
    RandomKey key;  ///< its item is the block's
    std::int64_t count = 0;
    std::int64_t attempts = 0;  ///< of every block
  };
  /// So many attempts will hardly ever be too few in a graph of this many edges.
  static std::int64_t usual_attempts(std::int64_t nodes, std::int64_t entries);

  /// The attempts that end on an edge of an own node: block · attempts + attempt, ascending.
  std::vector<std::int64_t> on_edges(const Context& context, const Draw& draw) const;
  /// The pairs that start from own nodes, by row in the order of drawing, given the attempts of all
  /// ranks that end on edges, ascending. Nothing where a block has too few attempts.
  std::optional<CsrMatrix> pairs(const Context& context, const Draw& draw,
                                 std::span<const std::int64_t> on_edges) const;

 private:
  /// Calls body(attempt, from, to) for those of a block; a body that returns false ends it.
  template <class Body>
  void for_attempts(const Draw& draw, std::int64_t block, const Body& body) const;
  /// The row of an own node, or -1.
  std::int64_t row_of(std::int32_t node) const;

  std::int64_t nodes_;
  Array<std::int32_t> own_;
  CsrMatrix edges_;
};

}  // namespace creg
