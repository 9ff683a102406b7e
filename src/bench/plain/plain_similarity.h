// Similarities of all pairs with the N x N matrix written down.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "ops/similarity.h"

namespace creg {

/// What similarity_pass gives for cosines, self pairs included.
SimilarityResult plain_similarity(const at::Tensor& embeddings, std::int64_t k, bool entropies);

/// An environment error where the arrays do not fit into what memory is left.
void require_plain_similarity_memory(std::int64_t nodes);

/// An environment error unless so many N x N matrices of floats fit into memory together.
void require_square_memory(std::int64_t nodes, int matrices);

}  // namespace creg
