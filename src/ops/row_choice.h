// Rows of a matrix chosen by their numbers, and the way back.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "creg/ops/sparse_matrix.h"

namespace creg {

/// [chosen, rows]: takes the chosen rows (int32) of a matrix; its transpose puts them back.
SparseMatrix choice_matrix(const at::Tensor& chosen, std::int64_t rows);

/// The chosen rows (int64) of a float32 matrix, some perhaps several times. A row's gradient is the
/// sum over its places in a fixed order, which libtorch's index_select leaves to chance on a GPU.
at::Tensor chosen_rows(const at::Tensor& rows, const at::Tensor& chosen);

}  // namespace creg
