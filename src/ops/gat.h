// Graph attention: softmax over the edges into a node, and the weighted sum of their sources.
#pragma once

#include <ATen/core/Tensor.h>

#include "creg/ops/sparse_matrix.h"

namespace creg {

/// How one call differs from the plain one.
struct GatOptions {
  /// int32 [m], a permutation: node j is row order[j] of Z, as if Z had been permuted first.
  at::Tensor order;
  /// float32 [entries of the pattern, heads], constant: every weight is multiplied by it after the
  /// softmax. Dropout of attention is a mask of 0 and 1 / (1 - p).
  at::Tensor mask;
  float negative_slope = 0.2F;
};

/// out_i = sum over j in row i of a_ij z_j for every head, the heads side by side, with
/// a_i = softmax over row i of LeakyReLU(att_source · z_j + att_target · z_i).
///
/// `pattern` [n, m] lists in row i the sources j of the edges j -> i, loops where they are wanted;
/// its values have no part, its entries must be linked. Node i of the rows is node i of the
/// columns, so n <= m. Z is [m, heads · C], att_source and att_target [heads, C], float32. A node
/// without entries gets 0. Gradients reach Z, att_source and att_target.
///
/// Costs one gather of nnz rows forward and two backward; keeps a weight per entry and head.
/// Nothing depends on the number of threads.
at::Tensor gat_aggregate(const SparseMatrix& pattern, const at::Tensor& z,
                         const at::Tensor& att_source, const at::Tensor& att_target,
                         const GatOptions& options = {});

}  // namespace creg
