#include "tasks/embedding_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/parallel.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "graph/normalise.h"
#include "kernels/vectors.h"
#include "learn/pca.h"
#include "learn/sparse_product.h"

namespace creg::tasks {
namespace {

DenseMatrix smoothed(const Context& context, const Graph& graph, const DenseMatrix& embedding,
                     int power) {
  const CsrMatrix propagation = gcn_normalised(context, graph.adjacency);
  DenseMatrix far = embedding;
  for (int step = 0; step < power; ++step) {
    context.throw_if_stopped();
    far = sparse_product(context, propagation, far);
  }
  Buffer<float> values(embedding.values.size());
  for (std::int64_t i = 0; i < embedding.values.size(); ++i) {
    values[i] = embedding.values[i] + far.values[i];
  }
  return {.rows = embedding.rows, .cols = embedding.cols, .values = std::move(values)};
}

/// Noise fills many directions, and wants a penalty; classes lie in few. Chosen by validation
/// accuracy (docs/results.md).
double distance_for(double directions) {
  return 2 * std::pow(20 / directions, 1.5);
}

}  // namespace

std::string subject(const Graph& graph) {
  return graph.name.empty() ? "the graph" : graph.name;
}

void check_embedding(const Graph& graph, const DenseMatrix& embedding, std::string_view task) {
  if (!graph.has_labels()) {
    fail_input({.what = fmt::format("{} needs labels", task),
                .file = subject(graph),
                .found = "a graph without labels",
                .hint = "training and embedding need none; name a file of labels to be judged by"});
  }
  check_rows(graph, embedding);
}

void check_rows(const Graph& graph, const DenseMatrix& embedding) {
  if (embedding.rows != graph.nodes()) {
    fail_input({.what = "the embedding does not fit the graph",
                .file = subject(graph),
                .found = fmt::format("an embedding of {} rows", with_commas(embedding.rows)),
                .expected = fmt::format("{}, one per node", with_commas(graph.nodes())),
                .hint = "name the dataset that the embedding was made of"});
  }
  for (std::int64_t i = 0; i < embedding.rows; ++i) {
    const auto row = embedding.row(i);
    if (learn::all_finite(embedding.cols, row.data())) continue;
    const auto bad =
        std::find_if(row.begin(), row.end(), [](float x) { return !std::isfinite(x); });
    fail_input({.what = "the embedding holds a number that is not finite",
                .place = fmt::format("row {}, column {}", i, bad - row.begin() + 1),
                .found = fmt::format("{}", *bad),
                .hint = "the training has diverged: try a smaller learning rate"});
  }
}

void check_split(const Graph& graph, const Split& split) {
  const auto name = in_quotes(split.name.empty() ? "given" : split.name);
  for (const auto& [part, nodes] : {std::pair{"train", &split.train}, std::pair{"val", &split.val},
                                    std::pair{"test", &split.test}}) {
    for (const std::int32_t node : *nodes) {
      if (node < 0 || node >= graph.nodes()) {
        fail_input({.what = fmt::format("split {} does not fit the graph", name),
                    .file = subject(graph),
                    .found = fmt::format("node {} in its {} part", node, part),
                    .expected = fmt::format("0 to {}", graph.nodes() - 1)});
      }
      if (graph.labels[node] == unlabelled) {
        fail_input({.what = fmt::format("split {} holds a node without a label", name),
                    .file = subject(graph),
                    .found = fmt::format("node {} in its {} part", graph.node_name(node), part)});
      }
    }
  }
  if (split.train.empty() || split.test.empty()) {
    fail_input({.what = fmt::format("split {} has no {} nodes", name,
                                    split.train.empty() ? "train" : "test"),
                .file = subject(graph),
                .expected = "at least one"});
  }
}

DenseMatrix unit_rows(const Context& context, const DenseMatrix& matrix) {
  constexpr std::int64_t row_grain = 1024;
  Buffer<float> values(matrix.values.size());
  parallel_for(context, 0, matrix.rows, row_grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const auto row = matrix.row(i);
      double squares = 0;
      for (const float value : row) squares += static_cast<double>(value) * value;
      const double scale = squares > 0 ? 1 / std::sqrt(squares) : 1;
      for (std::int64_t k = 0; k < matrix.cols; ++k) {
        values[i * matrix.cols + k] = static_cast<float>(scale * row[static_cast<std::size_t>(k)]);
      }
    }
  });
  return {.rows = matrix.rows, .cols = matrix.cols, .values = std::move(values)};
}

DenseMatrix spread_rows(const Context& context, const DenseMatrix& matrix) {
  const Spread spread = spread_of(context, matrix);
  const double scale = spread.distance > 0 ? distance_for(spread.directions) / spread.distance : 0;
  Buffer<float> values(matrix.values.size());
  for (std::int64_t i = 0; i < matrix.rows; ++i) {
    const auto row = matrix.row(i);
    for (std::size_t k = 0; k < row.size(); ++k) {
      values[i * matrix.cols + static_cast<std::int64_t>(k)] =
          static_cast<float>(scale * (static_cast<double>(row[k]) - spread.mean[k]));
    }
  }
  return {.rows = matrix.rows, .cols = matrix.cols, .values = std::move(values)};
}

DenseMatrix judged_rows(const Context& context, const Graph& graph, const DenseMatrix& embedding,
                        int smooth, Normalize normalize) {
  if (smooth < 0) {
    fail_input({.what = "embeddings cannot be smoothed less than not at all",
                .file = "smooth",
                .found = fmt::format("{}", smooth),
                .expected = "0 or more"});
  }
  DenseMatrix rows = smooth > 0 ? smoothed(context, graph, embedding, smooth) : embedding;
  switch (normalize) {
    case Normalize::none:
      break;
    case Normalize::l2:
      return unit_rows(context, rows);
    case Normalize::spread:
      return spread_rows(context, rows);
  }
  return rows;
}

}  // namespace creg::tasks
