#include "nn/part_hops.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "creg/core/error.h"
#include "graph/build.h"
#include "kernels/aggregate.h"
#include "ops/tensors.h"

namespace creg {
namespace {

struct PartEntry {
  std::int32_t column;
  float weight;
};

/// Rows made one after the other.
class PartRows {
 public:
  PartRows(std::int64_t cols, std::int64_t entries) : cols_(cols) {
    columns_.reserve(static_cast<std::size_t>(entries));
    values_.reserve(static_cast<std::size_t>(entries));
  }

  void add(const PartEntry& entry) {
    columns_.push_back(entry.column);
    values_.push_back(entry.weight);
  }
  void end_row() { offsets_.push_back(static_cast<std::int64_t>(columns_.size())); }
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
  std::vector<std::int64_t> offsets_ = {0};
  std::vector<std::int32_t> columns_;
  std::vector<float> values_;
};

/// With a loop of weight 1 in every row that has none, in its place by number.
CsrMatrix with_missing_loops(const CsrMatrix& rows, const Array<std::int32_t>& numbers) {
  PartRows out(rows.cols, rows.nonzeros() + rows.rows);
  for (std::int64_t r = 0; r < rows.rows; ++r) {
    const auto self = static_cast<std::int32_t>(r);
    const auto row = rows.row(r);
    bool pending = std::find(row.begin(), row.end(), self) == row.end();
    for (std::int64_t e = rows.offsets[r]; e < rows.offsets[r + 1]; ++e) {
      const std::int32_t column = rows.columns[e];
      if (pending && numbers[column] > numbers[r]) {
        out.add({self, 1});
        pending = false;
      }
      out.add({column, rows.value(e)});
    }
    if (pending) out.add({self, 1});
    out.end_row();
  }
  return out.take();
}

std::vector<double> sums_of_rows(const CsrMatrix& rows) {
  std::vector<double> sums;
  sums.reserve(static_cast<std::size_t>(rows.rows));
  for (std::int64_t r = 0; r < rows.rows; ++r) {
    double sum = 0;
    for (std::int64_t e = rows.offsets[r]; e < rows.offsets[r + 1]; ++e) sum += rows.value(e);
    sums.push_back(sum);
  }
  return sums;
}

/// 1 / sqrt(degree) of every node here, as gcn_normalised has it on the whole graph.
Array<double> scales_of(const std::vector<double>& degrees, const GraphPart& part,
                        PartExchange& exchange) {
  std::vector<double> own;
  own.reserve(degrees.size());
  for (std::size_t i = 0; i < degrees.size(); ++i) {
    if (degrees[i] < 0) {
      fail_input({.what = "the weights of a node's incoming edges sum to a negative number",
                  .place = "node " + std::to_string(part.nodes[static_cast<std::int64_t>(i)]),
                  .found = std::to_string(degrees[i]),
                  .expected = "0 or more: the square root of this degree is taken"});
    }
    own.push_back(degrees[i] > 0 ? 1 / std::sqrt(degrees[i]) : 0);
  }
  return host_array<double>(exchange.plain_with_halo(as_tensor(Array<double>(std::move(own)))));
}

/// The same pattern with change(row, column, value) as values.
template <class Change>
CsrMatrix with_weights(CsrMatrix matrix, const Change& change) {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(matrix.nonzeros()));
  for (std::int64_t r = 0; r < matrix.rows; ++r) {
    for (std::int64_t e = matrix.offsets[r]; e < matrix.offsets[r + 1]; ++e) {
      values.push_back(static_cast<float>(change(r, matrix.columns[e], matrix.value(e))));
    }
  }
  matrix.values = std::move(values);
  return matrix;
}

CsrMatrix weighted_rows(CsrMatrix loops, const GraphPart& part, PartExchange& exchange,
                        Aggregation kind) {
  switch (kind) {
    case Aggregation::gcn: {
      const Array<double> scale = scales_of(sums_of_rows(loops), part, exchange);
      return with_weights(std::move(loops), [&](std::int64_t i, std::int64_t j, float weight) {
        return scale[j] * weight * scale[i];
      });
    }
    case Aggregation::mean: {
      const std::vector<double> sums = sums_of_rows(loops);
      return with_weights(std::move(loops), [&](std::int64_t i, std::int64_t /*j*/, float weight) {
        const double sum = sums[static_cast<std::size_t>(i)];
        return sum == 0 ? weight : weight / sum;
      });
    }
    case Aggregation::sum:
      return loops;
    case Aggregation::attention:
      loops.values = {};
      return loops;
  }
  throw Bug("an aggregation without a matrix");
}

}  // namespace

CsrMatrix gathered_rows(const Context& context, const GraphPart& part) {
  // Undirected rows list whom a node gathers from; a directed part has its edges by their start.
  const CsrMatrix& stored = part.graph.adjacency;
  const CsrMatrix by_target = part.graph.directed ? transpose(context, stored) : stored;
  PartRows out(stored.cols, by_target.offsets[part.own]);
  std::vector<PartEntry> row;
  for (std::int64_t r = 0; r < part.own; ++r) {
    row.clear();
    for (std::int64_t e = by_target.offsets[r]; e < by_target.offsets[r + 1]; ++e) {
      row.push_back({by_target.columns[e], by_target.value(e)});
    }
    std::stable_sort(row.begin(), row.end(), [&](const PartEntry& a, const PartEntry& b) {
      return part.nodes[a.column] < part.nodes[b.column];
    });
    for (std::size_t i = 0; i < row.size();) {
      const std::int32_t column = row[i].column;
      double sum = 0;
      for (; i < row.size() && row[i].column == column; ++i) sum += row[i].weight;
      out.add({column, static_cast<float>(sum)});
    }
    out.end_row();
  }
  return out.take();
}

SparseMatrix part_matrix(const Context& context, const GraphPart& part, PartExchange& exchange,
                         Aggregation kind) {
  CsrMatrix rows = weighted_rows(with_missing_loops(gathered_rows(context, part), part.nodes), part,
                                 exchange, kind);
  if (rows.nonzeros() > kernels::entries_per_source_in_order * rows.cols) {
    rows = sort_rows(context, rows);
  }
  return {context, rows, SparseMatrix::Shape::general,
          kind == Aggregation::attention ? SparseMatrix::Entries::linked
                                         : SparseMatrix::Entries::unlinked};
}

}  // namespace creg
