// What every similarity asks of a matrix of embeddings before it starts.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>

#include "ops/similarity_options.h"

namespace creg::detail {

/// The embeddings as contiguous rows without gradient. Anything but a float32 matrix is a
/// broken promise of the caller; `operation` names who asked.
at::Tensor embedding_rows(const at::Tensor& embeddings, std::string_view operation);

/// float64, N: the norm of every row. A value that is not finite is an input error that names it.
at::Tensor embedding_norms(const at::Tensor& rows);

/// Whether products of rows of these norms may leave the range of float.
bool products_overflow(const at::Tensor& norms);
[[noreturn]] void fail_huge_products();

/// An input error unless there are k others (itself counted in) to choose among `nodes`.
void check_top_k(std::int64_t k, std::int64_t nodes, SelfPairs self);

/// float32, N: 1 / max(norm, 1e-12).
at::Tensor inverse_norms(const at::Tensor& norms);

}  // namespace creg::detail
