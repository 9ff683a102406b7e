#include "learn/sparse_product.h"

#include <utility>

#include "creg/core/error.h"
#include "kernels/aggregate.h"

namespace creg {

DenseMatrix sparse_product(const Context& context, const CsrMatrix& matrix, const DenseMatrix& x) {
  invariant(matrix.cols == x.rows, "the matrix has a column for every row");
  Buffer<float> out(matrix.rows * x.cols);
  kernels::RowProduct product;
  product.rows = matrix.rows;
  product.source_rows = matrix.cols;
  product.offsets = matrix.offsets.data();
  product.columns = matrix.columns.data();
  product.values = matrix.values.empty() ? nullptr : matrix.values.data();
  product.x = x.values.data();
  product.width = x.cols;
  product.out = out.data();
  const PoolWorkers workers(context);
  cpu::multiply_row_by_row({.workers = &workers}, product);
  return {.rows = matrix.rows, .cols = x.cols, .values = std::move(out)};
}

}  // namespace creg
