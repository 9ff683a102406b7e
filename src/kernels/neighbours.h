// The most similar neighbours of nodes on a GPU. (On the CPU ops/similarity has the same.)
#pragma once

#include <cstdint>

#include "creg/core/random.h"
#include "kernels/launch.h"

namespace creg::kernels {

/// Columns ascend in every row; repeats and the node itself are no neighbours. Places behind the
/// last entry mean nothing.
struct NeighbourRows {
  std::int64_t rows = 0;
  std::int64_t places = 0;  ///< for entries
  const std::int64_t* offsets = nullptr;
  const std::int32_t* columns = nullptr;
  const float* embedding = nullptr;
  std::int64_t width = 0;
  const float* inverse = nullptr;  ///< of each row's norm, for the cosine; null: dot products
  std::int64_t k = 0;
};

}  // namespace creg::kernels

namespace creg::cuda {

/// out[i] = 1 / max(|row i|, 1e-12).
void inverse_norms(const Launch& launch, const float* rows, std::int64_t count, std::int64_t width,
                   float* out);
/// [rows, k], most similar first, filled up with -1 and 0. A node with a similarity that is not
/// finite gets none.
void rank_neighbours(const Launch& launch, const kernels::NeighbourRows& neighbours, float* values,
                     std::int32_t* indices);
/// One of the k most similar of each row, by the key's stream with the row added to its item; -1
/// where there is none or a similarity that decides is not finite.
void draw_neighbours(const Launch& launch, const kernels::NeighbourRows& neighbours,
                     const RandomKey& key, std::int32_t* drawn);

}  // namespace creg::cuda
