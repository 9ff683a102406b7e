// A sparse matrix as a dense one.
#pragma once

#include <ATen/core/Tensor.h>

#include "creg/ops/sparse_matrix.h"

namespace creg {

/// float32 [rows, cols]; entries of one cell are added up in their order. No gradient goes through
/// it.
at::Tensor dense_of(const CsrTensors& matrix);

}  // namespace creg
