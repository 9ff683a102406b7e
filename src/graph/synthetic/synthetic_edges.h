// The edges of a synthetic graph.
#pragma once

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "graph/generators.h"
#include "graph/synthetic/synthetic_blocks.h"

namespace creg {

/// Exactly spec.edges distinct undirected edges as a symmetric, sorted CSR without loops.
CsrMatrix make_edges(const Context& context, const GeneratorSpec& spec, const BlockModel& blocks);

}  // namespace creg
