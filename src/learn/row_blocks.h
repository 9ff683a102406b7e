// One pass over rows of a float matrix in blocks that stay in the cache: scores out, residuals in,
// gradient out. Every linear classifier here is made of such passes.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "kernels/rows.h"

namespace creg::learn {

/// Coefficients are (features + 1) x cols matrices, row-major, the intercepts last; `cols` is the
/// number of outputs padded to column_group.
class RowBlocks {
 public:
  /// `values` and `rows` must outlive this object.
  RowBlocks(const Context& context, const DenseMatrix& values, std::span<const std::int32_t> rows,
            std::int64_t outputs);

  std::int64_t rows() const { return static_cast<std::int64_t>(rows_.size()); }
  std::int64_t features() const { return values_.cols; }
  std::int64_t outputs() const { return outputs_; }
  std::int64_t cols() const { return cols_; }
  std::int64_t coefficients() const { return (features() + 1) * cols_; }
  /// Pieces of the work: their number depends on the sizes alone, never on the threads.
  std::int64_t chunks() const { return chunks_; }

  /// What a pass does with the scores of rows first .. first + count - 1. Calls of one chunk come
  /// in order and never side by side; those of different chunks may.
  using Use = std::function<void(std::int64_t chunk, std::int64_t first, std::int64_t count,
                                 double* scores)>;

  /// Computes the scores of all rows and hands them to `use` block by block.
  void scores(std::span<const double> coefficients, const Use& use);
  /// The same; then gradient = transpose(rows) * what `use` left in place of the scores.
  void scores_and_gradient(std::span<const double> coefficients, const Use& use,
                           std::span<double> gradient);

 private:
  void pass(std::span<const double> coefficients, const Use& use, double* gradient);
  void run_chunk(std::int64_t chunk, AlignedVector& scratch, std::span<const double> coefficients,
                 const Use& use, double* gradient) const;

  const Context& context_;
  const DenseMatrix& values_;
  std::span<const std::int32_t> rows_;
  std::int64_t outputs_;
  std::int64_t cols_;
  std::int64_t stride_;  // doubles from one widened row to the next
  std::int64_t block_rows_;
  std::int64_t chunk_rows_;
  std::int64_t chunks_;
  std::vector<AlignedVector> scratch_;  // one per thread
  std::vector<AlignedVector> partial_;  // one gradient per chunk, where there are several
};

/// Throws an input error unless all of the rows are in the matrix and finite.
void check_rows(const DenseMatrix& values, std::span<const std::int32_t> rows);

}  // namespace creg::learn
