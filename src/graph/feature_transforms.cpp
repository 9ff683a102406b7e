// The transforms of transforms.h that change features.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/text.h"
#include "creg/core/error.h"
#include "graph/rows/csr_rows.h"
#include "graph/rows/merge.h"
#include "graph/transforms.h"

namespace creg {
namespace {

// Sums over rows are taken piece by piece and then in order, so that they never depend on threads.
constexpr std::int64_t column_grain = 1 << 14;

CsrMatrix without_repeats(const Context& context, const CsrMatrix& features) {
  return detail::merge_repeats(context, features, detail::Repeats::sum);
}

float checked(double value, const Graph& graph, std::int64_t row, const char* transform) {
  const auto result = static_cast<float>(value);
  if (!std::isfinite(result)) {
    fail_input({.what = std::string(transform) + " makes a feature too large",
                .file = graph.name,
                .place = "node " + graph.node_name(row),
                .found = std::to_string(value),
                .expected = "a finite 32-bit number"});
  }
  return result;
}

// Calls body(row, column, value) for every stored feature of the rows [first, last).
template <class Body>
void visit(const Features& features, std::int64_t first, std::int64_t last, Body body) {
  if (const auto* dense = std::get_if<DenseMatrix>(&features)) {
    for (std::int64_t r = first; r < last; ++r) {
      const std::span<const float> row = dense->row(r);
      for (std::size_t c = 0; c < row.size(); ++c) body(r, static_cast<std::int64_t>(c), row[c]);
    }
  } else if (const auto* sparse = std::get_if<CsrMatrix>(&features)) {
    for (std::int64_t r = first; r < last; ++r) {
      for (std::int64_t e = sparse->offsets[r]; e < sparse->offsets[r + 1]; ++e) {
        body(r, std::int64_t{sparse->columns[e]}, sparse->value(e));
      }
    }
  }
}

// The same matrix with each stored value replaced by change(row, column, value).
template <class Change>
Features map_values(const Context& context, const Features& features, Change change) {
  if (const auto* dense = std::get_if<DenseMatrix>(&features)) {
    Buffer<float> values(dense->values.size());
    detail::for_rows(context, dense->rows, [&](std::int64_t r) {
      visit(features, r, r + 1, [&](std::int64_t, std::int64_t c, float x) {
        values[r * dense->cols + c] = change(r, c, x);
      });
    });
    return DenseMatrix{.rows = dense->rows, .cols = dense->cols, .values = std::move(values)};
  }
  const auto* sparse = std::get_if<CsrMatrix>(&features);
  if (sparse == nullptr) return features;
  Buffer<float> values(sparse->nonzeros());
  detail::for_rows(context, sparse->rows, [&](std::int64_t r) {
    for (std::int64_t e = sparse->offsets[r]; e < sparse->offsets[r + 1]; ++e) {
      values[e] = change(r, std::int64_t{sparse->columns[e]}, sparse->value(e));
    }
  });
  CsrMatrix result = *sparse;
  result.values = std::move(values);
  return result;
}

// One total per column: each piece of rows adds its stored features to a row of zeros by
// add(total, column, value), and the pieces' rows are joined in order by join(total, other).
template <class Add, class Join>
std::vector<double> fold_columns(const Context& context, const Features& features, double start,
                                 Add add, Join join) {
  const std::int64_t rows = feature_rows(features);
  const auto cols = static_cast<std::size_t>(feature_cols(features));
  const std::int64_t pieces = (rows + column_grain - 1) / column_grain;
  std::vector<std::vector<double>> partial(static_cast<std::size_t>(pieces));
  parallel_tasks(context, pieces, [&](std::int64_t piece) {
    std::vector<double>& totals = partial[static_cast<std::size_t>(piece)];
    totals.assign(cols, start);
    const std::int64_t first = piece * column_grain;
    visit(features, first, std::min(first + column_grain, rows),
          [&](std::int64_t, std::int64_t c, float x) {
            double& total = totals[static_cast<std::size_t>(c)];
            total = add(total, c, x);
          });
  });
  std::vector<double> totals(cols, start);
  for (const std::vector<double>& piece : partial) {
    for (std::size_t c = 0; c < cols; ++c) totals[c] = join(totals[c], piece[c]);
  }
  return totals;
}

double larger(double a, double b) {
  return std::max(a, b);
}

DenseMatrix dense_within_memory(const Graph& graph) {
  const std::int64_t rows = feature_rows(graph.features);
  const std::int64_t cols = feature_cols(graph.features);
  const std::int64_t limit = physical_memory() / static_cast<std::int64_t>(sizeof(float));
  if (rows > 0 && cols > limit / rows) {
    fail_input({.what = "standardised features are dense and do not fit into memory",
                .file = graph.name,
                .found = with_commas(rows) + " x " + with_commas(cols) + " features",
                .expected = "at most " + with_commas(limit) + " values"});
  }
  return to_dense(graph.features);
}

}  // namespace

Graph row_normalise_features(const Context& context, Graph graph, RowSum divisor) {
  if (!has_features(graph.features)) return graph;
  const std::int64_t rows = feature_rows(graph.features);
  Buffer<double> sums(rows);
  detail::for_rows(context, rows, [&](std::int64_t r) {
    double sum = 0;
    visit(graph.features, r, r + 1, [&](std::int64_t, std::int64_t, float x) { sum += x; });
    if (divisor == RowSum::at_least_one) sum = std::max(sum, 1.0);
    sums[r] = sum == 0 ? 1 : sum;
  });
  graph.features = map_values(context, graph.features, [&](std::int64_t r, std::int64_t, float x) {
    return checked(x / sums[r], graph, r, "row-normalising");
  });
  return graph;
}

Graph column_max_scale(const Context& context, Graph graph) {
  if (const auto* sparse = std::get_if<CsrMatrix>(&graph.features)) {
    graph.features = without_repeats(context, *sparse);
  }
  const std::vector<double> largest = fold_columns(
      context, graph.features, 0.0,
      [](double total, std::int64_t, float x) { return larger(total, x); }, larger);
  graph.features =
      map_values(context, graph.features, [&](std::int64_t r, std::int64_t c, float x) {
        const double divisor = largest[static_cast<std::size_t>(c)];
        return divisor > 0 ? checked(x / divisor, graph, r, "scaling columns") : x;
      });
  return graph;
}

Graph binarise(const Context& context, Graph graph) {
  if (!has_features(graph.features)) return graph;
  if (const auto* sparse = std::get_if<CsrMatrix>(&graph.features)) {
    graph.features = without_repeats(context, *sparse);
  }
  const Features& features = graph.features;
  Buffer<std::int64_t> offsets =
      detail::offsets_of(context, feature_rows(features), [&](std::int64_t r) {
        std::int64_t positive = 0;
        visit(features, r, r + 1,
              [&](std::int64_t, std::int64_t, float x) { positive += x > 0 ? 1 : 0; });
        return positive;
      });
  graph.features = compact(detail::fill_rows(
      context, feature_cols(features), std::move(offsets), false, [&](std::int64_t r, auto put) {
        visit(features, r, r + 1, [&](std::int64_t, std::int64_t c, float x) {
          if (x > 0) put(static_cast<std::int32_t>(c), 1);
        });
      }));
  return graph;
}

Graph standardise(const Context& context, Graph graph) {
  if (!has_features(graph.features)) return graph;
  graph.features = dense_within_memory(graph);
  const auto count = static_cast<double>(feature_rows(graph.features));
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto add = [](double a, double b) { return a + b; };
  const std::vector<double> largest = fold_columns(
      context, graph.features, -infinity,
      [](double total, std::int64_t, float x) { return larger(total, x); }, larger);
  const std::vector<double> negated_smallest = fold_columns(
      context, graph.features, -infinity,
      [](double total, std::int64_t, float x) { return larger(total, -x); }, larger);
  std::vector<double> mean = fold_columns(
      context, graph.features, 0.0, [](double total, std::int64_t, float x) { return total + x; },
      add);
  for (double& m : mean) m /= count;
  std::vector<double> scale = fold_columns(
      context, graph.features, 0.0,
      [&](double total, std::int64_t c, float x) {
        const double difference = x - mean[static_cast<std::size_t>(c)];
        return total + difference * difference;
      },
      add);
  for (std::size_t c = 0; c < scale.size(); ++c) {
    // By comparing values: a constant's rounded mean leaves a variance that is not quite 0.
    const bool constant = largest[c] == -negated_smallest[c];
    scale[c] = constant ? 0 : 1 / std::sqrt(scale[c] / count);
  }
  graph.features =
      map_values(context, graph.features, [&](std::int64_t r, std::int64_t c, float x) {
        const auto column = static_cast<std::size_t>(c);
        if (scale[column] == 0) return 0.0F;
        return checked((x - mean[column]) * scale[column], graph, r, "standardising");
      });
  return graph;
}

}  // namespace creg
