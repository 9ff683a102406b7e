// The time of looking at all pairs of nodes: the k most similar of each and its entropy.
#pragma once

#include <cstdint>
#include <optional>

#include "bench/measure.h"
#include "creg/graph/graph.h"
#include "creg/nn/encoder_options.h"

namespace creg {

struct SelectBench {
  Measurement ours;
  std::optional<Measurement> plain;
  /// Of the two results.
  std::optional<double> entropy_difference;  ///< the largest, in nats
  std::optional<double> value_difference;    ///< the largest of the k similarities'
};

/// On the embedding of a prepared graph by a fresh encoder. With `compare_plain` also by the N x N
/// matrix as it is written down; where that does not fit into memory, an environment error says so.
SelectBench bench_select(const Context& context, const Graph& graph, const EncoderOptions& encoder,
                         std::int64_t k, const MeasureOptions& options, bool compare_plain);

}  // namespace creg
