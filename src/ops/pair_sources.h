// Pairs that are drawn anew in every step from a graph, for edge_loss: by random walks, and without
// an edge. Both are made once, of the adjacency on the Context's device.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>

#include "creg/core/context.h"
#include "creg/ops/sparse_matrix.h"

namespace creg {

struct WalkOptions {
  int per_start = 10;  ///< walks from every start
  int length = 20;     ///< nodes of a walk
  int window = 10;     ///< of which the first is the centre of the others
  int negatives = 1;   ///< beside each of these
};

class WalkSource {
 public:
  struct Pairs {
    CsrTensors positives;
    CsrTensors negatives;
  };

  WalkSource() = default;
  WalkSource(const WalkSource&) = delete;
  WalkSource& operator=(const WalkSource&) = delete;
  virtual ~WalkSource() = default;
  /// The windows of walks from `starts` (int32; undefined: from all nodes) by centre
  /// (graph/walk_pairs.h).
  virtual Pairs draw(const Context& context, const at::Tensor& starts, const WalkOptions& options,
                     std::uint64_t seed, std::uint32_t step) const = 0;
};
/// p and q as of RandomWalker.
std::unique_ptr<WalkSource> make_walk_source(const Context& context, const CsrTensors& adjacency,
                                             double p, double q);

class NonEdgeSource {
 public:
  NonEdgeSource() = default;
  NonEdgeSource(const NonEdgeSource&) = delete;
  NonEdgeSource& operator=(const NonEdgeSource&) = delete;
  virtual ~NonEdgeSource() = default;
  /// The graph without loops, repeats and directions.
  virtual const CsrTensors& edges() const = 0;
  /// `count` pairs without an edge by the node they start from (NonEdgeSampler::draw_rows).
  virtual CsrTensors draw(const Context& context, std::int64_t count, std::uint64_t seed,
                          std::uint32_t step) const = 0;
};
std::unique_ptr<NonEdgeSource> make_non_edge_source(const Context& context,
                                                    const CsrTensors& adjacency);

}  // namespace creg
