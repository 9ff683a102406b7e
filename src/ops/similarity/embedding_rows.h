// What every similarity asks of a matrix of embeddings before it starts.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>

#include "creg/ops/similarity_options.h"

namespace creg::detail {

/// The embeddings as contiguous rows without gradient. Anything but a float32 matrix is a
/// broken promise of the caller; `operation` names who asked.
at::Tensor embedding_rows(const at::Tensor& embeddings, std::string_view operation);

/// float64, N: the norm of every row. A value that is not finite is an input error that names it.
at::Tensor embedding_norms(const at::Tensor& rows);

/// Rows whose products, times both scales where there are any, are similarities.
struct ScaledRows {
  at::Tensor rows;
  at::Tensor scales;  ///< float32, N: inverse norms; undefined where only plain products are wanted
};
/// For plain products, cosines or both. Rows that are too long for plain products are an input
/// error; for cosines alone they are divided by their norms first.
ScaledRows scaled_rows(const at::Tensor& rows, bool plain, bool cosines);

/// An input error unless there are k others (itself counted in) to choose among `nodes`.
void check_top_k(std::int64_t k, std::int64_t nodes, SelfPairs self);

/// float32, N: 1 / max(norm, 1e-12).
at::Tensor inverse_norms(const at::Tensor& norms);
/// The same of rows. On a GPU the host does not wait for it, and nothing is said of values that are
/// not finite: for steps that are recorded.
at::Tensor inverse_row_norms(const at::Tensor& rows);

}  // namespace creg::detail
