// Sparse matrices as tensors on the Context's device, and what a step makes of them: the functions
// of graph/ of the same names, with the same results.
#pragma once

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/ops/sparse_matrix.h"
#include "graph/normalise.h"
#include "graph/view_draw.h"

namespace creg {

/// On the CPU the arrays are shared.
CsrTensors csr_tensors(const Context& context, const CsrMatrix& matrix);
/// The other way: for what looks at a graph once, before training.
CsrMatrix host_csr(const CsrTensors& matrix);

/// The rows with an entry off the diagonal, rising: int32. Undefined where every row has one. Found
/// on the host, which knows the matrix: a step then needs no size from its device.
at::Tensor joined_nodes(const Context& context, const CsrMatrix& adjacency);

CsrTensors transpose(const Context& context, const CsrTensors& matrix);
CsrTensors with_self_loops(const Context& context, const CsrTensors& adjacency, SelfLoops loops);
CsrTensors gcn_normalised(const Context& context, const CsrTensors& adjacency);
CsrTensors row_normalised(const Context& context, const CsrTensors& adjacency, SelfLoops loops);

/// Each stored entry is gone with this chance.
CsrTensors drop_edges(const Context& context, const CsrTensors& adjacency, double chance,
                      const ViewDraw& draw);
/// With a chance per stored entry: float32.
CsrTensors drop_edges(const Context& context, const CsrTensors& adjacency,
                      const at::Tensor& chances, const ViewDraw& draw);

}  // namespace creg
