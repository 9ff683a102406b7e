// A part of a graph as the encoders and losses need it.
#pragma once

#include <memory>

#include "creg/contrast/epoch_pass.h"
#include "graph/graph_parts.h"
#include "nn/part_exchange.h"

namespace creg {

/// All ranks make this call together. `part` must outlive the exchange. The encoder is a GCN by the
/// adjacency, GAT, GIN or SAGE.
GraphInputs part_inputs(const Context& context, const GraphPart& part,
                        std::shared_ptr<PartExchange> exchange, const EncoderOptions& encoder);

}  // namespace creg
