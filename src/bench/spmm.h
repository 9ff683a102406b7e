// The time of one propagation Â·H.
#pragma once

#include <cstdint>
#include <optional>

#include "bench/measure.h"
#include "creg/graph/graph.h"

namespace creg {

struct SpmmBench {
  Measurement ours;
  Measurement copy;  ///< a large copy on the same threads
  std::optional<Measurement> plain;
  std::optional<double> largest_difference;  ///< between the two products
  std::int64_t nonzeros = 0;                 ///< of Â
  std::int64_t product_bytes = 0;            ///< gathered, read and written by one product
  std::int64_t copy_bytes = 0;               ///< read and written by one copy
};

/// Â of a prepared graph times a random matrix [nodes, dim]. With `compare_plain` also by ATen's
/// own product of a CSR tensor.
SpmmBench bench_spmm(const Context& context, const Graph& graph, std::int64_t dim,
                     const MeasureOptions& options, bool compare_plain);

}  // namespace creg
