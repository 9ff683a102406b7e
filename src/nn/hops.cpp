#include "creg/nn/inputs.h"

#include "nn/part_exchange.h"
#include "nn/sampled_hops.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "creg/core/error.h"
#include "ops/csr.h"

namespace creg {

at::Tensor Hops::with_halo(const at::Tensor& rows) const {
  return part_ ? part_->with_halo(rows) : rows;
}

SparseMatrix aggregation_matrix(const Context& context, const CsrTensors& adjacency, bool directed,
                                Aggregation kind) {
  const auto shape = directed ? SparseMatrix::Shape::general : SparseMatrix::Shape::symmetric;
  // Row i of A + I gathers from j -> i: the transposed adjacency.
  const auto gathered = [&] {
    CsrTensors loops = with_self_loops(context, adjacency, SelfLoops::missing);
    return directed ? transpose(context, loops) : loops;
  };
  switch (kind) {
    case Aggregation::gcn:
      return {context, gcn_normalised(context, adjacency), shape};
    case Aggregation::sum:
      return {context, gathered(), shape};
    case Aggregation::mean:
      return {context, row_normalised(context, adjacency, SelfLoops::missing)};
    case Aggregation::attention: {
      CsrTensors pattern = gathered();
      pattern.values.reset();
      return {context, pattern, shape, SparseMatrix::Entries::linked};
    }
  }
  throw Bug("an aggregation without a matrix");
}

SparseMatrix aggregation_matrix(const Context& context, const Graph& graph, Aggregation kind) {
  return aggregation_matrix(context, csr_tensors(context, graph.adjacency), graph.directed, kind);
}

namespace {

/// Mean rows, one after the other, each with the node itself.
class MeanRows {
 public:
  MeanRows(std::int64_t rows, std::int64_t cols, std::int64_t entries) : cols_(cols) {
    offsets_.reserve(static_cast<std::size_t>(rows) + 1);
    offsets_.push_back(0);
    columns_.reserve(static_cast<std::size_t>(entries));
    values_.reserve(static_cast<std::size_t>(entries));
  }

  /// `self` and those of `neighbours` that are columns; products want ascending columns.
  void add(std::int32_t self, std::span<const std::int32_t> neighbours) {
    const auto begin = static_cast<std::ptrdiff_t>(columns_.size());
    columns_.push_back(self);
    for (const std::int32_t c : neighbours) {
      if (c < cols_) columns_.push_back(c);
    }
    std::sort(columns_.begin() + begin, columns_.end());
    const auto count = columns_.size() - static_cast<std::size_t>(begin);
    values_.insert(values_.end(), count, 1.0F / static_cast<float>(count));
    offsets_.push_back(static_cast<std::int64_t>(columns_.size()));
  }

  /// Leaves columns out that no row has; the others are returned.
  std::vector<std::int32_t> keep_used_columns() {
    std::vector<std::int32_t> used = columns_;
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    for (std::int32_t& c : columns_) {
      c = static_cast<std::int32_t>(std::lower_bound(used.begin(), used.end(), c) - used.begin());
    }
    cols_ = static_cast<std::int64_t>(used.size());
    return used;
  }

  CsrMatrix take() {
    CsrMatrix out;
    out.rows = static_cast<std::int64_t>(offsets_.size()) - 1;
    out.cols = cols_;
    out.offsets = std::move(offsets_);
    out.columns = std::move(columns_);
    out.values = std::move(values_);
    return out;
  }

 private:
  std::int64_t cols_;
  std::vector<std::int64_t> offsets_;
  std::vector<std::int32_t> columns_;
  std::vector<float> values_;
};

MeanRows rows_of(const CsrMatrix& gathered, std::int64_t first, std::int64_t last) {
  MeanRows mean(last - first, gathered.cols,
                gathered.offsets[last] - gathered.offsets[first] + last - first);
  for (std::int64_t u = first; u < last; ++u) {
    mean.add(static_cast<std::int32_t>(u), gathered.row(u));
  }
  return mean;
}

}  // namespace

SparseMatrix sampled_mean(const Context& context, const SampledBatch& batch, std::int64_t rows,
                          std::int64_t cols, SparseMatrix::Shape shape) {
  const std::int64_t drawn = batch.offsets.size() - 1;
  const std::int64_t listed = batch.offsets[std::min(rows, drawn)];
  MeanRows mean(rows, cols, listed + rows);
  for (std::int64_t i = 0; i < rows; ++i) {
    std::span<const std::int32_t> neighbours;
    if (i < drawn) {
      neighbours = batch.columns.span().subspan(
          static_cast<std::size_t>(batch.offsets[i]),
          static_cast<std::size_t>(batch.offsets[i + 1] - batch.offsets[i]));
    }
    mean.add(static_cast<std::int32_t>(i), neighbours);
  }
  return {context, mean.take(), shape};
}

SparseMatrix sampled_mean(const Context& context, const SampledTensors& batch, std::int64_t rows,
                          std::int64_t cols, SparseMatrix::Shape shape) {
  MeanTensors mean = sampled_mean_rows(context, batch, rows, cols);
  if (shape == SparseMatrix::Shape::forward) return {context, std::move(mean.rows), shape};
  return {std::move(mean.rows), std::move(mean.transposed)};
}

SparseMatrix mean_of_rows(const Context& context, const CsrMatrix& gathered, std::int64_t first,
                          std::int64_t last) {
  return {context, rows_of(gathered, first, last).take(), SparseMatrix::Shape::forward};
}

MeanOfSome mean_of_some(const Context& context, const CsrMatrix& gathered, std::int64_t first,
                        std::int64_t last) {
  MeanRows mean = rows_of(gathered, first, last);
  std::vector<std::int32_t> nodes = mean.keep_used_columns();
  return {{context, mean.take(), SparseMatrix::Shape::forward}, std::move(nodes)};
}

}  // namespace creg
