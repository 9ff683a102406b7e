// Pairs of nodes that are drawn on a GPU: by random walks, and without an edge. (On the CPU graph/
// has the same draws.)
#pragma once

#include <cstdint>

#include "creg/core/random.h"
#include "graph/walk_steps.h"
#include "kernels/csr_build.h"
#include "kernels/launch.h"

namespace creg::kernels {

/// Walk number i starts from starts[i / per_start] and goes by the key's stream with i added to its
/// item.
struct WalkStarts {
  RandomKey key;
  const std::int32_t* starts = nullptr;  ///< null: node i / per_start
  std::int64_t walks = 0;
  int per_start = 1;
  int length = 1;  ///< nodes of a walk
};

/// walk_pairs (graph/walk_pairs.h) of these walks; the negatives of walk i are of the key's stream
/// with i added to its item.
struct WalkWindows {
  RandomKey key;
  const std::int32_t* walked = nullptr;  ///< [walks, length]
  std::int64_t walks = 0;
  int length = 2;
  int window = 2;
  int negatives = 1;
  std::int64_t nodes = 0;

  std::int64_t windows_each() const { return length - window + 1; }
  std::int64_t positives_each() const { return window - 1; }
  std::int64_t negatives_each() const { return positives_each() * negatives; }
};

/// What NonEdgeSampler (graph/non_edges.h) draws.
struct NonEdges {
  RandomKey key;
  std::int64_t per_stream = 1;  ///< pairs of one stream: that of the key, then of the next items
  std::int64_t nodes = 0;
  const std::int64_t* offsets = nullptr;  ///< columns ascend in each row
  const std::int32_t* columns = nullptr;
  const std::int32_t* listed = nullptr;  ///< [listed_count, 2]: all there are; null: by trying
  std::int64_t listed_count = 0;
};

}  // namespace creg::kernels

namespace creg::cuda {

/// [walks, length]
void walk(const Launch& launch, const WalkSteps& steps, const kernels::WalkStarts& starts,
          std::int32_t* nodes);
/// By centre; values are not written.
void pair_windows(const Launch& launch, const kernels::WalkWindows& windows,
                  const kernels::NewCsrRows& positives, const kernels::NewCsrRows& negatives);
/// `count` pairs by the node they start from, in the order of drawing; values are not written.
void draw_non_edges(const Launch& launch, const kernels::NonEdges& graph, std::int64_t count,
                    const kernels::NewCsrRows& out);

}  // namespace creg::cuda
