// Sparse matrices as tensors on the Context's device, and what a step makes of them: the functions
// of graph/ of the same names, with the same results.
#pragma once

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/ops/sparse_matrix.h"
#include "graph/normalise.h"
#include "graph/view_draw.h"

namespace creg {

/// On the CPU the arrays are shared. On a GPU columns ascend in every row, as the functions below
/// take for granted there.
CsrTensors csr_tensors(const Context& context, const CsrMatrix& matrix);
/// The other way, without room behind the last entry: for what looks at a graph once, before
/// training.
CsrMatrix host_csr(const CsrTensors& matrix);
/// The same matrix, whose nonzeros() is the number of its entries. On a GPU the host waits for that
/// number: not for a step.
CsrTensors without_room(const CsrTensors& matrix);

/// The rows with an entry off the diagonal, rising: int32. Undefined where every row has one. Found
/// on the host, which knows the matrix: a step then needs no size from its device.
at::Tensor joined_nodes(const Context& context, const CsrMatrix& adjacency);

// On a GPU none of these waits for a size: results have room for as many entries as there can be.

CsrTensors transpose(const Context& context, const CsrTensors& matrix);
CsrTensors with_self_loops(const Context& context, const CsrTensors& adjacency, SelfLoops loops);
/// On a GPU a negative degree is no error: what it takes part in is not a number.
CsrTensors gcn_normalised(const Context& context, const CsrTensors& adjacency);
CsrTensors row_normalised(const Context& context, const CsrTensors& adjacency, SelfLoops loops);

/// Each stored entry is gone with this chance.
CsrTensors drop_edges(const Context& context, const CsrTensors& adjacency, double chance,
                      const ViewDraw& draw);
/// With a chance per stored entry: float32.
CsrTensors drop_edges(const Context& context, const CsrTensors& adjacency,
                      const at::Tensor& chances, const ViewDraw& draw);

}  // namespace creg
