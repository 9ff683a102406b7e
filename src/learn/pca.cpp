#include "learn/pca.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "core/parallel.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "kernels/distance.h"
#include "kernels/rows.h"
#include "learn/row_blocks.h"

namespace creg {
namespace {

constexpr std::int64_t block_rows = 256;

// Rows as doubles less their mean, `stride` apart, zeros behind the last column.
class CentredBlock {
 public:
  explicit CentredBlock(std::int64_t cols)
      // With a group beyond the columns this is no power of two: columns do not share cache sets.
      : stride_(learn::padded_columns(cols) + learn::column_group),
        values_(static_cast<std::size_t>(block_rows * stride_), 0.0) {}

  std::int64_t stride() const { return stride_; }
  const double* data() const { return values_.data(); }

  void fill(const DenseMatrix& matrix, std::span<const double> mean, std::int64_t first,
            std::int64_t row_begin, std::int64_t row_end) {
    for (std::int64_t i = row_begin; i < row_end; ++i) {
      const auto from = matrix.row(first + i);
      double* const to = values_.data() + i * stride_;
      for (std::size_t c = 0; c < mean.size(); ++c) to[c] = static_cast<double>(from[c]) - mean[c];
    }
  }

 private:
  std::int64_t stride_;
  learn::AlignedVector values_;
};

void check_components(const DenseMatrix& values, std::int64_t components) {
  const std::int64_t most = std::min(values.rows, values.cols);
  if (components >= 1 && components <= most) return;
  fail_input({.what = "a PCA cannot have as many components",
              .found = with_commas(components),
              .expected = "1 to " + with_commas(most) + ": the rows are " +
                          with_commas(values.rows) + " and the dimensions " +
                          with_commas(values.cols)});
}

std::vector<double> mean_of(const DenseMatrix& values) {
  std::vector<double> mean(static_cast<std::size_t>(values.cols));
  for (std::int64_t i = 0; i < values.rows; ++i) {
    learn::add_row(values.cols, values.row(i).data(), mean.data());
  }
  for (double& value : mean) value /= static_cast<double>(values.rows);
  return mean;
}

// The products of centred columns, summed over the rows: cols rows of `stride` numbers.
learn::AlignedVector scatter_of(const Context& context, const DenseMatrix& values,
                                std::span<const double> mean, CentredBlock& block) {
  const std::int64_t stride = block.stride();
  learn::AlignedVector scatter(static_cast<std::size_t>(values.cols * stride), 0.0);
  for (std::int64_t first = 0; first < values.rows; first += block_rows) {
    context.throw_if_stopped();
    const std::int64_t count = std::min(block_rows, values.rows - first);
    parallel_for(context, 0, count, 64, [&](std::int64_t begin, std::int64_t end) {
      block.fill(values, mean, first, begin, end);
    });
    // Each piece has rows of the result to itself and adds the blocks in their order.
    parallel_for(context, 0, values.cols, 64, [&](std::int64_t begin, std::int64_t end) {
      learn::add_product(end - begin, count, stride, block.data() + begin, 1, stride, block.data(),
                         scatter.data() + begin * stride);
    });
  }
  return scatter;
}

}  // namespace

Pca fit_pca(const Context& context, const DenseMatrix& values, std::int64_t components,
            const learn::EigenSolver& solver) {
  check_components(values, components);
  std::vector<std::int32_t> all(static_cast<std::size_t>(values.rows));
  std::iota(all.begin(), all.end(), 0);
  learn::check_rows(values, all);

  const std::int64_t cols = values.cols;
  Pca pca{.components = components, .cols = cols, .mean = mean_of(values)};
  CentredBlock block(cols);
  const learn::AlignedVector scatter = scatter_of(context, values, pca.mean, block);
  const double freedom = static_cast<double>(std::max<std::int64_t>(values.rows - 1, 1));
  std::vector<double> covariance(static_cast<std::size_t>(cols * cols));
  for (std::int64_t i = 0; i < cols; ++i) {
    const double* const row = scatter.data() + i * block.stride();
    std::transform(row, row + cols, covariance.begin() + i * cols,
                   [&](double sum) { return sum / freedom; });
    pca.total_variance += covariance[static_cast<std::size_t>(i * cols + i)];
  }
  const learn::SymmetricEigen eigen = solver(std::move(covariance), cols);
  for (std::int64_t k = 0; k < components; ++k) {
    const std::int64_t column = cols - 1 - k;
    // Rounding may put the least ones below zero.
    pca.variance.push_back(std::max(0.0, eigen.values[static_cast<std::size_t>(column)]));
    double largest = 0;
    for (std::int64_t c = 0; c < cols; ++c) {
      const double entry = eigen.vectors[static_cast<std::size_t>(c * cols + column)];
      if (std::abs(entry) > std::abs(largest)) largest = entry;
      pca.axes.push_back(entry);
    }
    if (largest >= 0) continue;
    for (auto entry = pca.axes.end() - cols; entry != pca.axes.end(); ++entry) *entry = -*entry;
  }
  return pca;
}

Spread spread_of(const Context& context, const DenseMatrix& values) {
  Spread spread{.mean = mean_of(values)};
  CentredBlock block(values.cols);
  const learn::AlignedVector scatter = scatter_of(context, values, spread.mean, block);
  double sum = 0;
  double squares = 0;
  for (std::int64_t i = 0; i < values.cols; ++i) {
    const double* const row = scatter.data() + i * block.stride();
    sum += row[i];
    // The squares of a symmetric matrix's entries add up to those of its eigenvalues.
    for (std::int64_t j = 0; j < values.cols; ++j) squares += row[j] * row[j];
  }
  if (squares == 0) return spread;
  spread.distance = std::sqrt(sum / static_cast<double>(values.rows));
  spread.directions = sum * sum / squares;
  return spread;
}

DenseMatrix project(const Context& context, const Pca& pca, const DenseMatrix& values) {
  if (values.cols != pca.cols) {
    fail_input({.what = "the matrix does not fit the PCA",
                .found = with_commas(values.cols) + " columns",
                .expected = with_commas(pca.cols)});
  }
  const std::int64_t padded = learn::padded_columns(pca.components);
  learn::AlignedVector axes(static_cast<std::size_t>(pca.cols * padded), 0.0);
  for (std::int64_t k = 0; k < pca.components; ++k) {
    for (std::int64_t c = 0; c < pca.cols; ++c) {
      axes[static_cast<std::size_t>(c * padded + k)] =
          pca.axes[static_cast<std::size_t>(k * pca.cols + c)];
    }
  }
  Buffer<float> projected(values.rows * pca.components);
  parallel_for(context, 0, values.rows, block_rows, [&](std::int64_t first, std::int64_t last) {
    CentredBlock block(pca.cols);
    block.fill(values, pca.mean, first, 0, last - first);
    learn::AlignedVector products(static_cast<std::size_t>((last - first) * padded), 0.0);
    learn::add_product(last - first, pca.cols, padded, block.data(), block.stride(), 1, axes.data(),
                       products.data());
    for (std::int64_t i = 0; i < last - first; ++i) {
      for (std::int64_t k = 0; k < pca.components; ++k) {
        projected[(first + i) * pca.components + k] =
            static_cast<float>(products[static_cast<std::size_t>(i * padded + k)]);
      }
    }
  });
  return {.rows = values.rows, .cols = pca.components, .values = std::move(projected)};
}

}  // namespace creg
