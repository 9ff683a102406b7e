#include "learn/sparse_product.h"

#include <utility>

#include "core/parallel.h"
#include "creg/core/error.h"
#include "kernels/aggregate.h"

namespace creg {

DenseMatrix sparse_product(const Context& context, const CsrMatrix& matrix, const DenseMatrix& x) {
  invariant(matrix.cols == x.rows, "the matrix has a column for every row");
  constexpr std::int64_t rows_per_piece = 64;
  Buffer<float> out(matrix.rows * x.cols);
  cpu::RowProduct product;
  product.offsets = matrix.offsets.data();
  product.columns = matrix.columns.data();
  product.values = matrix.values.empty() ? nullptr : matrix.values.data();
  product.x = x.values.data();
  product.width = x.cols;
  product.out = out.data();
  parallel_for(context, 0, matrix.rows, rows_per_piece, [&](std::int64_t first, std::int64_t last) {
    cpu::multiply_rows(product, first, last);
  });
  return {.rows = matrix.rows, .cols = x.cols, .values = std::move(out)};
}

}  // namespace creg
