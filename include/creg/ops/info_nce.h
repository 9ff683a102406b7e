// InfoNCE between two views of the same nodes, without the N x N matrix.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "creg/core/context.h"

namespace creg {

/// Who is contrasted with a node of one view, beside the same node in the other, its positive.
enum class ViewNegatives {
  both_views,  ///< all other nodes of both views (GRACE, GCA)
  own_view,    ///< all other nodes of its own view (DiGCL)
};

/// The mean over both views of
///   -log( e^{cos(u_i, v_i)/t} / (e^{cos(u_i, v_i)/t} + sum over negatives z of e^{cos(u_i, z)/t})
///   )
/// for u, v float32 [N, d] and a temperature t > 0; rows are divided by
/// max(their norm, 1e-12) first. Gradients reach both.
///
/// The N x N similarities come in blocks that are used and forgotten, each pair of nodes once, and
/// are computed again backward: O(N d) memory. Neither value nor gradient depends on the number of
/// threads. A temperature below 0.025 loses pairs that are far from the largest similarity. On a
/// GPU the similarities are as exact as the Context's precision.
at::Tensor info_nce(const Context& context, const at::Tensor& u, const at::Tensor& v,
                    double temperature, ViewNegatives negatives = ViewNegatives::both_views,
                    std::int64_t block_rows = 0);

}  // namespace creg
