// A sparse matrix times rows.
#pragma once

#include "creg/core/context.h"
#include "creg/graph/graph.h"

namespace creg {

/// M·X for an M of as many columns as X has rows. The result does not depend on the number of
/// threads.
DenseMatrix sparse_product(const Context& context, const CsrMatrix& matrix, const DenseMatrix& x);

}  // namespace creg
