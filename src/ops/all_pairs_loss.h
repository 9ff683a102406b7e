// A loss over all pairs of rows, without the N x N matrix of their products.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "creg/core/context.h"

namespace creg {

/// The mean over all N² ordered pairs, a row with itself included, of -log sigma(-h_i·h_j): what it
/// costs to take every pair for one that does not belong together. For h float32 [N, d].
///
/// Products come in blocks of `block_rows` rows (0: a size that suits the caches), and the gradient
/// is made of the same ones as the value: two matrix products per block, O(N (d + block_rows))
/// memory. On a GPU they are as exact as the Context says.
at::Tensor all_pairs_apart(const Context& context, const at::Tensor& h,
                           std::int64_t block_rows = 0);

}  // namespace creg
