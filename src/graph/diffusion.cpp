#include "graph/diffusion.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "creg/core/error.h"
#include "creg/core/progress.h"
#include "graph/build.h"
#include "graph/rows/csr_rows.h"

namespace creg {
namespace {

/// Rows of S that are computed side by side.
constexpr std::int64_t block_rows = 64;

/// next = keep · M · current; both are [nodes, block_rows].
void multiply(const CsrMatrix& matrix, float keep, const float* current, float* next) {
  for (std::int64_t r = 0; r < matrix.rows; ++r) {
    float sums[block_rows] = {};
    for (std::int64_t e = matrix.offsets[r]; e < matrix.offsets[r + 1]; ++e) {
      const float weight = keep * matrix.values[e];
      const float* const row = current + matrix.columns[e] * block_rows;
      for (std::int64_t i = 0; i < block_rows; ++i) sums[i] += weight * row[i];
    }
    std::copy(sums, sums + block_rows, next + r * block_rows);
  }
}

/// The kept entries of some rows, one row after the other.
struct Rows {
  std::vector<std::int32_t> columns;
  std::vector<float> values;
};

/// Rows first.. of S are its transpose's product with unit vectors: z <- (1 - alpha) Âᵀ z + alpha
/// e.
class RowBlock {
 public:
  RowBlock(const CsrMatrix& transposed, const PprOptions& options)
      : matrix_(transposed), options_(options) {
    const auto cells = static_cast<std::size_t>(matrix_.rows * block_rows);
    current_.resize(cells);
    next_.resize(cells);
  }

  Rows compute(std::int64_t first, std::int64_t count, std::int64_t* counts) {
    const auto alpha = static_cast<float>(options_.alpha);
    const auto keep = static_cast<float>(1 - options_.alpha);
    std::fill(current_.begin(), current_.end(), 0.0F);
    add_start(first, count, alpha);
    double left = 1 - options_.alpha;
    while (left > options_.tolerance) {
      multiply(matrix_, keep, current_.data(), next_.data());
      std::swap(current_, next_);
      add_start(first, count, alpha);
      left *= 1 - options_.alpha;
    }
    Rows out;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::size_t before = out.columns.size();
      for (std::int64_t c = 0; c < matrix_.rows; ++c) {
        const float value = current_[static_cast<std::size_t>(c * block_rows + i)];
        if (value == 0 || value < options_.threshold) continue;
        out.columns.push_back(static_cast<std::int32_t>(c));
        out.values.push_back(value);
      }
      counts[i] = static_cast<std::int64_t>(out.columns.size() - before);
    }
    return out;
  }

 private:
  void add_start(std::int64_t first, std::int64_t count, float alpha) {
    for (std::int64_t i = 0; i < count; ++i) {
      current_[static_cast<std::size_t>((first + i) * block_rows + i)] += alpha;
    }
  }

  const CsrMatrix& matrix_;
  const PprOptions& options_;
  std::vector<float> current_;
  std::vector<float> next_;
};

void check(const PprOptions& options) {
  const bool inside = options.alpha > 0 && options.alpha <= 1;
  if (!inside) {
    fail_input({.what = "teleport probability out of range",
                .found = std::to_string(options.alpha),
                .expected = "a number above 0 and at most 1"});
  }
  invariant(options.tolerance > 0, "a series ends somewhere");
}

}  // namespace

CsrMatrix ppr_diffusion(const Context& context, const CsrMatrix& adjacency,
                        const PprOptions& options) {
  check(options);
  const CsrMatrix transposed =
      transpose(context, gcn_normalised(context, adjacency, options.loops));
  const std::int64_t nodes = adjacency.rows;
  const std::int64_t blocks = (nodes + block_rows - 1) / block_rows;
  std::vector<Rows> parts(static_cast<std::size_t>(blocks));
  Buffer<std::int64_t> offsets(nodes + 1);
  offsets[0] = 0;
  ProgressTask progress(context, "diffusion", nodes, "nodes");
  parallel_tasks(context, blocks, [&](std::int64_t block) {
    const std::int64_t first = block * block_rows;
    const std::int64_t count = std::min(block_rows, nodes - first);
    parts[static_cast<std::size_t>(block)] =
        RowBlock(transposed, options).compute(first, count, &offsets[first + 1]);
    progress.advance(count);
  });
  progress.finish();
  for (std::int64_t i = 0; i < nodes; ++i) offsets[i + 1] += offsets[i];
  Buffer<std::int32_t> columns(offsets[nodes]);
  Buffer<float> values(offsets[nodes]);
  // A part is freed when it has been copied: entries that fill the memory are there once.
  for (std::int64_t block = 0; block < blocks; ++block) {
    const Rows part = std::exchange(parts[static_cast<std::size_t>(block)], {});
    const std::int64_t at = offsets[block * block_rows];
    std::copy(part.columns.begin(), part.columns.end(), columns.begin() + at);
    std::copy(part.values.begin(), part.values.end(), values.begin() + at);
  }
  return {.rows = nodes,
          .cols = nodes,
          .offsets = std::move(offsets),
          .columns = std::move(columns),
          .values = std::move(values)};
}

double threshold_for_degree(const CsrMatrix& matrix, double degree,
                            std::span<const double> candidates) {
  invariant(!candidates.empty(), "there is a threshold to choose");
  std::vector<std::int64_t> kept(candidates.size(), 0);
  for (std::int64_t e = 0; e < matrix.nonzeros(); ++e) {
    const double value = matrix.value(e);
    for (std::size_t c = 0; c < candidates.size(); ++c) kept[c] += value >= candidates[c] ? 1 : 0;
  }
  const auto rows = static_cast<double>(std::max<std::int64_t>(1, matrix.rows));
  double best = std::numeric_limits<double>::infinity();
  double chosen = candidates.front();
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    const double difference = std::abs(degree - static_cast<double>(kept[c]) / rows);
    if (difference < best) {
      best = difference;
      chosen = candidates[c];
    }
  }
  return chosen;
}

CsrMatrix without_small_entries(const Context& context, const CsrMatrix& matrix, double threshold) {
  const auto kept = [&](std::int64_t e) { return matrix.value(e) >= threshold; };
  Buffer<std::int64_t> offsets = detail::offsets_of(context, matrix.rows, [&](std::int64_t r) {
    std::int64_t count = 0;
    for (std::int64_t e = matrix.offsets[r]; e < matrix.offsets[r + 1]; ++e) count += kept(e);
    return count;
  });
  return detail::fill_rows(
      context, matrix.cols, std::move(offsets), true, [&](std::int64_t r, auto put) {
        for (std::int64_t e = matrix.offsets[r]; e < matrix.offsets[r + 1]; ++e) {
          if (kept(e)) put(matrix.columns[e], matrix.value(e));
        }
      });
}

CsrMatrix min_max_columns(const Context& context, CsrMatrix matrix) {
  struct Column {
    float low = std::numeric_limits<float>::infinity();
    float high = 0;
    std::int64_t stored = 0;
  };
  std::vector<Column> columns(static_cast<std::size_t>(matrix.cols));
  for (std::int64_t e = 0; e < matrix.nonzeros(); ++e) {
    Column& column = columns[static_cast<std::size_t>(matrix.columns[e])];
    const float value = matrix.value(e);
    invariant(value >= 0, "entries of a diffusion are not negative");
    column.low = std::min(column.low, value);
    column.high = std::max(column.high, value);
    ++column.stored;
  }
  for (Column& column : columns) {
    if (column.stored < matrix.rows) column.low = 0;
  }
  Buffer<float> values(matrix.nonzeros());
  detail::for_rows(context, matrix.rows, [&](std::int64_t r) {
    for (std::int64_t e = matrix.offsets[r]; e < matrix.offsets[r + 1]; ++e) {
      const Column& column = columns[static_cast<std::size_t>(matrix.columns[e])];
      const float range = column.high - column.low;
      values[e] = range > 0 ? (matrix.value(e) - column.low) / range : 0.0F;
    }
  });
  matrix.values = std::move(values);
  return matrix;
}

}  // namespace creg
