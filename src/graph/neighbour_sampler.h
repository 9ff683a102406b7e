// Random neighbourhoods of some nodes: what a layer of an encoder gathers from when the whole graph
// is too much for one step.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "creg/core/array.h"
#include "creg/graph/graph.h"

namespace creg {

/// A fanout that takes every neighbour.
inline constexpr int every_neighbour = -1;

struct SamplerOptions {
  /// How many neighbours of a node are drawn, from the seeds outward: 1 or more, or
  /// every_neighbour. One entry per hop.
  std::vector<int> fanouts;
  /// Draws that may repeat a neighbour. Without it a node with no more neighbours than the fanout
  /// keeps them all, any other a uniformly drawn subset.
  bool replace = false;
};

/// What was found from some seeds. Nodes have local numbers in the order in which they were found,
/// the seeds first, then hop by hop; a local number means the same node everywhere. The neighbours
/// of a node are drawn once, when its hop is expanded, with that hop's fanout, and are stored once:
/// hop h is the first known[h] rows of one matrix.
struct SampledBatch {
  Array<std::int32_t> nodes;        ///< by local number: the graph's
  Array<std::int64_t> offsets;      ///< of the expanded nodes' rows: known[hops() - 1] + 1
  Array<std::int32_t> columns;      ///< local numbers, in the order drawn; no added self entry
  std::vector<std::int64_t> known;  ///< nodes known after h hops: known[0] seeds, the last all

  int hops() const { return static_cast<int>(known.size()) - 1; }
  std::int64_t seeds() const { return known.front(); }
  std::int64_t edges() const { return columns.size(); }
  std::int64_t bytes() const { return nodes.bytes() + offsets.bytes() + columns.bytes(); }
  /// Hop 0 is next to the seeds. known[hop] rows gather from known[hop + 1] columns, of which the
  /// first known[hop] are the rows' own nodes. Without values; shares the storage.
  CsrMatrix block(int hop) const;
};

/// Draws neighbourhoods. `sample` may be called from any number of threads at once; a call in
/// flight holds 4 bytes per node of the graph and the room of a batch, kept for the calls after it.
class NeighbourSampler {
 public:
  /// Row u of `gathered` lists the nodes that u gathers from, as they are: each entry is one
  /// neighbour, values play no part. That is a prepared graph's adjacency where it is undirected
  /// and the transpose of it where it is directed: messages flow along u -> v into v. The arrays
  /// are shared, never copied. An unusable fanout is an input error.
  NeighbourSampler(CsrMatrix gathered, SamplerOptions options);
  NeighbourSampler(const NeighbourSampler&) = delete;
  NeighbourSampler& operator=(const NeighbourSampler&) = delete;
  ~NeighbourSampler();

  std::int64_t nodes() const { return gathered_.rows; }
  const SamplerOptions& options() const { return options_; }

  /// A pure function of its arguments and the sampler's, whatever the thread and the calls before.
  /// `seeds` are distinct nodes of the graph; one that is listed twice, or is none, is a Bug.
  SampledBatch sample(std::span<const std::int32_t> seeds, std::uint64_t seed,
                      std::uint32_t step) const;

  /// What finished calls have left for later ones.
  std::int64_t kept_bytes() const;

 private:
  class Scratch;
  class ScratchPool;

  CsrMatrix gathered_;
  SamplerOptions options_;
  std::unique_ptr<ScratchPool> scratch_;
};

}  // namespace creg
