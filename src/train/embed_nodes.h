// Embeddings of some nodes of a graph.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/nn/encoder_options.h"

namespace creg {

struct Checkpoint;

/// Whether a node's embedding depends on what is at most options.layers + 1 hops away alone.
bool sees_neighbourhoods(const EncoderOptions& options);

/// The rows of these nodes, in that order, of the graph's embedding by the encoder kept in a
/// checkpoint (but for the last bits). Where the encoder sees neighbourhoods no other nodes are
/// looked at; else the whole graph is embedded, which is said in the log.
DenseMatrix embed_nodes(const Context& context, const Graph& graph,
                        const std::filesystem::path& checkpoint,
                        std::span<const std::int32_t> nodes);

/// The same of a checkpoint that is there already; messages call it `name`.
DenseMatrix embed_nodes(const Context& context, const Graph& graph, const Checkpoint& checkpoint,
                        const std::string& name, std::span<const std::int32_t> nodes,
                        const std::shared_ptr<const AddedEncoder>& added = nullptr);

}  // namespace creg
