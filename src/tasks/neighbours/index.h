// An index of an embedding's rows that finds most of the most similar ones without looking at all.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/ops/similarity_options.h"

namespace creg::tasks {

/// Whether this build has one.
bool has_neighbour_index();

/// Faiss's inverted lists: rows lie with the nearest of some centres, and a search goes through the
/// lists of the centres that are nearest to what is looked for. It copies the embedding.
class NeighbourIndex {
 public:
  /// `embedding` must outlive it, and all of it is finite.
  NeighbourIndex(const Context& context, const DenseMatrix& embedding, Similarity similarity);
  NeighbourIndex(const NeighbourIndex&) = delete;
  NeighbourIndex& operator=(const NeighbourIndex&) = delete;
  ~NeighbourIndex();

  std::int64_t lists() const;
  /// How many lists a search goes through from now on: more find more, and take longer.
  void look_through(std::int64_t lists);

  /// k places for each of the nodes: the most similar others, -1 where it found no more.
  void search(std::span<const std::int32_t> nodes, std::int64_t k, std::int32_t* neighbours,
              float* scores) const;

 private:
  struct Parts;

  std::unique_ptr<Parts> parts_;
};

}  // namespace creg::tasks
