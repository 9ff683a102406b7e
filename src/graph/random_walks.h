// Random walks along the edges of a graph, as node2vec takes them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "creg/core/array.h"
#include "creg/core/context.h"
#include "creg/core/random.h"
#include "creg/graph/graph.h"
#include "graph/walk_steps.h"

namespace creg {

/// Walks of one length, one after the other.
struct Walks {
  std::int64_t count = 0;
  int length = 0;             ///< nodes of each, the start included
  Array<std::int32_t> nodes;  ///< [count, length]

  std::span<const std::int32_t> walk(std::int64_t i) const {
    return nodes.span().subspan(static_cast<std::size_t>(i * length),
                                static_cast<std::size_t>(length));
  }
};

/// Walks of second order. A step from v, reached from t, takes an edge v -> x with a probability in
/// proportion to its weight (1 where the graph has none), times
///   1/p  where x is t,
///   1    where t -> x is an edge as well,
///   1/q  elsewhere.
/// The first step has no t and goes by the weights alone. A loop is an edge like any other. Where
/// nothing leads out of v the walk stays there.
///
/// The next node is drawn by weight and then kept or drawn again, so that there is no table per
/// edge: a weighted graph costs 8 bytes per edge beside its own arrays, any other nothing.
class RandomWalker {
 public:
  /// `adjacency`: row u lists every v with u -> v; its arrays are shared. p or q that is not a
  /// positive number and weights that are negative are input errors. Columns must ascend in each
  /// row (repeats count as often as they are stored) unless p = q = 1.
  explicit RandomWalker(const Context& context, CsrMatrix adjacency, double p = 1, double q = 1);

  std::int64_t nodes() const { return adjacency_.rows; }

  /// `per_start` walks from each of `starts`, walk number i from starts[i / per_start]. Each is a
  /// pure function of the graph, its start, the seed, the epoch and its number.
  Walks walk(const Context& context, std::span<const std::int32_t> starts, int per_start,
             int length, std::uint64_t seed, std::uint32_t epoch) const;

  /// How walks go, over the arrays that this holds.
  WalkSteps steps() const;
  /// Of a row's weights up to each entry; empty without weights.
  const std::vector<double>& sums() const { return sums_; }

 private:
  CsrMatrix adjacency_;
  std::vector<double> sums_;
  double back_;  // 1/p
  double out_;   // 1/q
};

}  // namespace creg
