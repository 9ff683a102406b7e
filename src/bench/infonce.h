// The time of InfoNCE between two views, forward and backward.
#pragma once

#include <cstdint>
#include <optional>

#include "bench/measure.h"
#include "creg/graph/graph.h"

namespace creg {

struct InfoNceBench {
  Measurement ours;
  std::optional<Measurement> plain;
  double loss = 0;
  std::optional<double> loss_difference;      ///< of the two losses
  std::optional<double> gradient_difference;  ///< the largest, over the largest gradient
};

/// On random projections of as many nodes as the graph has. With `compare_plain` also by the four
/// N x N matrices as they are written down; where these do not fit into memory, an environment
/// error says so.
InfoNceBench bench_infonce(const Context& context, std::int64_t nodes, std::int64_t dim,
                           double temperature, const MeasureOptions& options, bool compare_plain);

}  // namespace creg
