// The sparse product, with what follows it in a layer.
#pragma once

#include <ATen/core/Tensor.h>

#include "creg/ops/sparse_matrix.h"

namespace creg {

/// What may follow the sum of a row while it is still in the cache. Undefined parts are left out.
struct Epilogue {
  at::Tensor bias;   ///< [width]
  at::Tensor slope;  ///< [1] or [width]: out > 0 ? out : slope·out. PReLU; ReLU with a constant 0
};

/// M·X for M [n, m] and X [m, width] float32, then bias and activation. With `order` (int32 [m], a
/// permutation) row c of X is taken from X[order[c]], as if X had been permuted first, without the
/// copy. Gradients reach X, bias and slope. Serves the propagation Â·H and the product of sparse
/// features with weights alike. Costs one gather of nnz rows forward, one backward, and with an
/// activation one more array [n, width] kept until the backward pass.
at::Tensor aggregate(const SparseMatrix& matrix, const at::Tensor& x, const Epilogue& epilogue = {},
                     const at::Tensor& order = {});

/// bias + PReLU of a dense matrix in one pass each way, as `aggregate` does it.
at::Tensor activate(const at::Tensor& x, const Epilogue& epilogue);

}  // namespace creg
