// Random pairs of nodes that no edge joins, fresh for every epoch, without a matrix of all pairs.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "creg/core/context.h"
#include "creg/core/random.h"
#include "creg/graph/graph.h"

namespace creg {

class NonEdgeSampler {
 public:
  /// Loops, repeats and directions of the adjacency are ignored. A graph in which every pair is
  /// joined is an input error that names `source`.
  NonEdgeSampler(const Context& context, const CsrMatrix& adjacency, const std::string& source);

  /// Pairs (from[i], to[i]), ordered, each uniform among all pairs of two nodes without an edge and
  /// independent of the others. `first` is the number of the first pair in its epoch: a list that
  /// is drawn in several pieces, each a multiple of `block`, is the same as in one.
  void draw(const Context& context, std::uint64_t seed, Purpose purpose, std::uint32_t epoch,
            std::int64_t first, std::span<std::int32_t> from, std::span<std::int32_t> to) const;

  /// `count` pairs of an epoch by the node they start from: row u lists every v of a pair (u, v),
  /// in the order of drawing.
  CsrMatrix draw_rows(const Context& context, std::uint64_t seed, Purpose purpose,
                      std::uint32_t epoch, std::int64_t count) const;

  static constexpr std::int64_t block = 1024;

  std::int64_t nodes() const { return edges_.rows; }
  /// The graph without loops, repeats and directions: rows ascend, both directions stored.
  const CsrMatrix& edges() const { return edges_; }
  /// All non-edges, where edges are more than half of the pairs and rejection would take long: then
  /// a draw is one of these. Else empty, and a draw is the first of try_non_edge that succeeds.
  const std::vector<std::pair<std::int32_t, std::int32_t>>& listed() const { return listed_; }

 private:
  std::pair<std::int32_t, std::int32_t> draw_pair(RandomStream& stream) const;

  CsrMatrix edges_;
  std::vector<std::pair<std::int32_t, std::int32_t>> listed_;
};

}  // namespace creg
