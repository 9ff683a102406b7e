// The exact embedding of a graph that is too large for one pass: layer by layer, over all
// neighbours, some rows at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/nn/encoder.h"

namespace creg {

class Communicator;

struct LayerwiseOptions {
  EncoderOptions encoder;
  bool unit_rows = false;  ///< the l2norm regulariser: embeddings have length 1
  /// Two matrices of nodes x dim are alive at a time. Where they take more than this they are kept
  /// in unnamed files in `scratch`, which the system writes out and drops as it needs.
  std::int64_t memory = 0;
  std::filesystem::path scratch;  ///< empty: the system's folder for temporary files
  std::int64_t rows_at_once = 0;  ///< 0: some tens of megabytes of them
  /// A layer reads all rows of the one before from the device's memory. Where they and a block need
  /// more than this, each block gets those that it gathers from, by way of the host. Null: what is
  /// free there; on the CPU no limit.
  std::optional<std::int64_t> device_memory;
  /// The ranks that share the rows, all of which get all of them; null: this process alone.
  Communicator* world = nullptr;
};

/// For an encoder that runs in batches. The result is the one of a pass over the whole graph, but
/// for the last bits.
DenseMatrix embed_layerwise(const Context& context, const Graph& graph, const Encoder& encoder,
                            const LayerwiseOptions& options);

}  // namespace creg
