// Parts of a graph out of NumPy arrays, checked: what the array-based formats share.
#pragma once

#include <cstdint>

#include "creg/core/array.h"
#include "creg/graph/graph.h"
#include "io/containers/ndarray.h"

namespace creg {

struct MatrixShape {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
};

/// Two whole numbers, each from 0 to max_nodes.
MatrixShape matrix_shape(const NdArray& shape);

/// CSR as SciPy stores it, columns in the stored order. Without `values`, or when all are 1, the
/// result has none. Lengths, row starts and columns that do not fit are input errors.
CsrMatrix csr_from_arrays(MatrixShape shape, const NdArray& offsets, const NdArray& columns,
                          const NdArray* values);

/// Empty when all are 1.
Array<float> values_or_none(const NdArray& values);

/// Class ids of a vector (or of a matrix of one column), or as labels_from_one_hot.
Array<std::int32_t> labels_from_array(const NdArray& labels);

/// The place of the 1 in each row of a matrix; a row of zeros is `unlabelled`.
Array<std::int32_t> labels_from_one_hot(const NdArray& labels);

}  // namespace creg
