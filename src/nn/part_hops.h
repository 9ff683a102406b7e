// The matrices by which layers gather on a part of a graph: rows for the own nodes, columns for
// these and their halo, with the weights that they have on the whole graph.
#pragma once

#include <memory>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/nn/inputs.h"
#include "graph/graph_parts.h"
#include "nn/part_exchange.h"

namespace creg {

/// [own, rows]: row i lists, in the order of their numbers in the whole graph, the nodes that own
/// node i gathers from (its in-neighbours), without repeats, whose weights are summed.
CsrMatrix gathered_rows(const Context& context, const GraphPart& part);

/// The own rows of the whole graph's aggregation_matrix(kind). The degrees of the halo come from
/// the ranks that own it: all ranks make this call together. Entries are in the order of the nodes'
/// numbers in the whole graph where products allow it, so that sums come out to the same bits; else
/// columns ascend.
SparseMatrix part_matrix(const Context& context, const GraphPart& part, PartExchange& exchange,
                         Aggregation kind);

}  // namespace creg
