// Sampled neighbourhoods on a GPU: the steps of graph/neighbour_sampler.h, hop by hop, and what
// layers make of them. The same draws and the same numbers as on the CPU.
//
// Memory of the graph and of its features may be the GPU's or pinned memory of the host.
#pragma once

#include <cstdint>

#include "creg/core/random.h"
#include "kernels/csr_build.h"
#include "kernels/launch.h"

namespace creg::kernels {

/// Of a node that no batch has found: more than any number.
inline constexpr std::int32_t unnumbered = 0x7fffffff;

/// A hop of a batch: the nodes first..last-1 draw neighbours. Row u of the graph lists the nodes
/// that u gathers from, fewer than 2^32 of them.
struct SampledHop {
  std::int64_t first = 0;
  std::int64_t last = 0;
  int fanout = 0;           ///< negative: all neighbours
  bool replace = false;     ///< not with all neighbours
  std::int64_t places = 0;  ///< for the hop's entries: as many as there can be
  const std::int64_t* graph_offsets = nullptr;
  const std::int32_t* graph_columns = nullptr;
  std::int32_t* nodes = nullptr;        ///< by number: the graph's
  std::int64_t* offsets = nullptr;      ///< [last + 1] of the batch's matrix
  std::int64_t* draw_starts = nullptr;  ///< [last - first + 1]: draws of the rows before
  std::int32_t* columns = nullptr;      ///< of the batch's matrix, from its first hop on
  std::int32_t* numbers = nullptr;      ///< by the graph's node
};

/// What the host learns of a hop.
struct HopSizes {
  std::int64_t entries = 0;    ///< offsets[last]
  std::int64_t found = 0;      ///< nodes known after it
  std::int64_t unsettled = 0;  ///< 1: more passes are needed
};

/// The first `rows` rows of a sampled matrix, of which the first `drawn` have entries.
struct SampledRows {
  std::int64_t rows = 0;
  std::int64_t drawn = 0;
  std::int64_t cols = 0;
  const std::int64_t* offsets = nullptr;
  const std::int32_t* columns = nullptr;
};

/// Rows of an array, by node.
struct GatheredRows {
  std::int64_t rows = 0;
  std::int64_t width = 0;
  const std::int32_t* nodes = nullptr;
  const float* from = nullptr;
};
struct GatheredEntries {
  std::int64_t rows = 0;
  const std::int32_t* nodes = nullptr;
  const std::int64_t* offsets = nullptr;
  const std::int32_t* columns = nullptr;
  const float* values = nullptr;  ///< null: ones
};

}  // namespace creg::kernels

namespace creg::cuda {

/// numbers[nodes[i]] = i: of a batch's seeds, which are distinct.
void number_seeds(const Launch& launch, const std::int32_t* nodes, std::int64_t count,
                  std::int32_t* numbers);
/// Leaves the numbers as they were before the batch.
void forget_numbers(const Launch& launch, const std::int32_t* nodes, std::int64_t count,
                    std::int32_t* numbers);

/// offsets[first + 1..last], from offsets[first] on, and draw_starts.
void count_drawn(const Launch& launch, const kernels::SampledHop& hop);

/// The neighbours by the graph's numbers. All draws of a hop are one stream, and a number that is
/// drawn again (uniform_below) moves all draws after it by a word: a pass finds the first row where
/// that happened, the next one draws the rows after it anew. It is rare: of a draw below n the
/// chance is less than n / 2^32. rejected: [passes], the last one for number_found.
void draw_neighbours(const Launch& launch, const kernels::SampledHop& hop, const RandomKey& key,
                     int passes, std::uint64_t* rejected);

/// Numbers from `known` on for the nodes that were not found before, in the order of the entries
/// where they are first met; the hop's columns become such numbers. known + places is below 2^31.
/// sizes: where the host will find them.
void number_found(const Launch& launch, const kernels::SampledHop& hop, std::int64_t known,
                  const std::uint64_t* last_rejected, kernels::HopSizes* sizes);

/// Of each row the node itself and its entries among the first `cols` nodes, in this order, each
/// with the value 1 / their number. Places for one entry more per row.
void list_mean_rows(const Launch& launch, const kernels::SampledRows& rows,
                    const kernels::NewCsrRows& out);

/// out: [rows, width].
void gather_rows(const Launch& launch, const kernels::GatheredRows& gathered, float* out);
/// offsets: [rows + 1], how many entries the rows before have.
void gather_offsets(const Launch& launch, const kernels::GatheredEntries& gathered,
                    std::int64_t* offsets);
/// To the places that out.offsets, which is read alone, says.
void gather_entries(const Launch& launch, const kernels::GatheredEntries& gathered,
                    const kernels::NewCsrRows& out);

}  // namespace creg::cuda
