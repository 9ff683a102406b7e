// Neighbour sampling by index operations on whole tensors.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "creg/graph/graph.h"
#include "graph/neighbour_sampler.h"

namespace creg {

/// Edges by local numbers, in order of rows.
struct PlainSample {
  at::Tensor nodes;  ///< int64, the graph's numbers; the seeds first, then hop by hop
  at::Tensor rows;
  at::Tensor columns;
};

/// Draws as NeighbourSampler does, but for one liberty that tensors make cheap: without `replace`
/// a node with more neighbours than the fanout may draw one twice.
class PlainSampler {
 public:
  PlainSampler(const CsrMatrix& gathered, SamplerOptions options, std::uint64_t seed);

  PlainSample sample(const at::Tensor& seeds);
  /// Of the graph and of the local numbers.
  std::int64_t bytes() const;

 private:
  struct Drawn {
    at::Tensor rows;     ///< positions in the frontier
    at::Tensor columns;  ///< the graph's numbers
  };
  Drawn draw(const at::Tensor& frontier, int fanout);
  /// Each once.
  at::Tensor unknown_nodes(const at::Tensor& columns);

  SamplerOptions options_;
  at::Generator generator_;
  at::Tensor offsets_;
  at::Tensor columns_;
  at::Tensor local_;  ///< by the graph's number; -1 between batches
};

}  // namespace creg
