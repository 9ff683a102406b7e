#include "learn/row_blocks.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>

#include "core/parallel.h"
#include "creg/core/error.h"
#include "kernels/vectors.h"

namespace creg::learn {
namespace {

constexpr std::int64_t block_doubles = 1 << 15;  // 256 KiB: half of a small second-level cache
constexpr std::int64_t most_chunks = 64;
constexpr std::int64_t least_chunk_work = 1 << 22;  // below this a second thread does not pay

std::int64_t round_up(std::int64_t n, std::int64_t unit) {
  return (n + unit - 1) / unit * unit;
}

}  // namespace

RowBlocks::RowBlocks(const Context& context, const DenseMatrix& values,
                     std::span<const std::int32_t> rows, std::int64_t outputs)
    : context_(context),
      values_(values),
      rows_(rows),
      outputs_(outputs),
      cols_(padded_columns(outputs)),
      // With the 1 appended this is no power of two, so columns do not share cache sets.
      stride_(round_up(values.cols + 1, 8)),
      block_rows_(std::clamp<std::int64_t>(block_doubles / stride_, 8, 256)) {
  const std::int64_t row_work = std::max<std::int64_t>(1, 4 * stride_ * cols_);
  chunk_rows_ = std::max((this->rows() + most_chunks - 1) / most_chunks,
                         (least_chunk_work + row_work - 1) / row_work);
  chunk_rows_ = round_up(std::max<std::int64_t>(chunk_rows_, 1), block_rows_);
  chunks_ = (this->rows() + chunk_rows_ - 1) / chunk_rows_;
  const std::int64_t lanes = std::min<std::int64_t>(context.threads(), chunks_);
  scratch_.resize(static_cast<std::size_t>(lanes));
  const auto size = static_cast<std::size_t>(block_rows_ * (stride_ + cols_));
  for (AlignedVector& scratch : scratch_) scratch.resize(size);
}

void RowBlocks::scores(std::span<const double> coefficients, const Use& use) {
  pass(coefficients, use, nullptr);
}

void RowBlocks::scores_and_gradient(std::span<const double> coefficients, const Use& use,
                                    std::span<double> gradient) {
  invariant(static_cast<std::int64_t>(gradient.size()) == this->coefficients(),
            "a gradient has the shape of the coefficients");
  std::fill(gradient.begin(), gradient.end(), 0.0);
  pass(coefficients, use, gradient.data());
}

void RowBlocks::pass(std::span<const double> coefficients, const Use& use, double* gradient) {
  invariant(static_cast<std::int64_t>(coefficients.size()) == this->coefficients(),
            "coefficients have the shape of the rows");
  const bool partial = gradient != nullptr && chunks_ > 1;
  if (partial && partial_.empty()) {
    partial_.resize(static_cast<std::size_t>(chunks_));
    for (AlignedVector& part : partial_) part.resize(coefficients.size());
  }
  std::atomic<std::int64_t> next = 0;
  parallel_tasks(context_, static_cast<std::int64_t>(scratch_.size()), [&](std::int64_t lane) {
    for (std::int64_t chunk = next++; chunk < chunks_; chunk = next++) {
      double* target = gradient;
      if (partial) {
        AlignedVector& part = partial_[static_cast<std::size_t>(chunk)];
        std::fill(part.begin(), part.end(), 0.0);
        target = part.data();
      }
      run_chunk(chunk, scratch_[static_cast<std::size_t>(lane)], coefficients, use, target);
    }
  });
  if (!partial) return;
  // Always in the order of the chunks: the sum is the same for every number of threads.
  parallel_for(context_, 0, this->coefficients(), 1 << 14,
               [&](std::int64_t first, std::int64_t last) {
                 for (const AlignedVector& part : partial_) {
                   const double* const from = part.data();
                   for (std::int64_t i = first; i < last; ++i) gradient[i] += from[i];
                 }
               });
}

void RowBlocks::run_chunk(std::int64_t chunk, AlignedVector& scratch,
                          std::span<const double> coefficients, const Use& use,
                          double* gradient) const {
  const std::int64_t end = std::min(rows(), (chunk + 1) * chunk_rows_);
  double* const block = scratch.data();
  double* const scores = block + block_rows_ * stride_;
  for (std::int64_t first = chunk * chunk_rows_; first < end; first += block_rows_) {
    const std::int64_t count = std::min(block_rows_, end - first);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int32_t row = rows_[static_cast<std::size_t>(first + i)];
      widen_row(values_.values.data() + row * values_.cols, values_.cols, block + i * stride_);
    }
    std::fill(scores, scores + count * cols_, 0.0);
    add_product(count, features() + 1, cols_, block, stride_, 1, coefficients.data(), scores);
    use(chunk, first, count, scores);
    if (gradient == nullptr) continue;
    add_product(features() + 1, count, cols_, block, 1, stride_, scores, gradient);
  }
}

void check_rows(const DenseMatrix& values, std::span<const std::int32_t> rows) {
  for (const std::int32_t row : rows) {
    if (row < 0 || row >= values.rows) {
      fail_input({.what = "a row is not in the matrix",
                  .found = "row " + std::to_string(row),
                  .expected = "0 to " + std::to_string(values.rows - 1)});
    }
    const auto numbers = values.row(row);
    if (all_finite(values.cols, numbers.data())) continue;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      if (std::isfinite(numbers[k])) continue;
      fail_input({.what = "a value is not a finite number",
                  .place = "row " + std::to_string(row) + ", column " + std::to_string(k + 1),
                  .found = std::to_string(numbers[k]),
                  .hint = "all values must be finite: did the training diverge?"});
    }
  }
}

}  // namespace creg::learn
