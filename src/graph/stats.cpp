#include "graph/stats.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "graph/build.h"
#include "graph/components.h"
#include "graph/rows/csr_rows.h"

namespace creg {
namespace {

struct PairCounts {
  std::int64_t undirected = 0;
  std::int64_t directed = 0;
  bool loop = false;
};

// Pairs of node u in its sorted row. An undirected pair is counted at its smaller node: it is
// there as u -> v in `out`, or as v -> u in `in`, the row of the transpose.
PairCounts count_pairs(std::int32_t u, std::span<const std::int32_t> out,
                       std::span<const std::int32_t> in) {
  PairCounts counts;
  const auto skip = [](std::span<const std::int32_t> row, std::size_t& i) {
    const std::int32_t value = row[i];
    while (i < row.size() && row[i] == value) ++i;
    return value;
  };
  std::size_t i = 0;
  while (i < out.size() && out[i] <= u) {
    if (skip(out, i) == u) {
      counts.loop = true;
    } else {
      ++counts.directed;
    }
  }
  auto j = static_cast<std::size_t>(std::upper_bound(in.begin(), in.end(), u) - in.begin());
  while (i < out.size() || j < in.size()) {
    const bool forward = i < out.size() && (j >= in.size() || out[i] <= in[j]);
    const bool backward = j < in.size() && (i >= out.size() || in[j] <= out[i]);
    if (forward) {
      skip(out, i);
      ++counts.directed;
    }
    if (backward) skip(in, j);
    ++counts.undirected;
  }
  return counts;
}

void count_edges(const Context& context, const Graph& graph, GraphStats& stats) {
  const CsrMatrix out = sort_rows(context, {.rows = graph.adjacency.rows,
                                            .cols = graph.adjacency.cols,
                                            .offsets = graph.adjacency.offsets,
                                            .columns = graph.adjacency.columns});
  const Components components = connected_components(context, out);
  const CsrMatrix in = transpose(context, out);
  const std::int32_t largest = components.largest();
  std::atomic<std::int64_t> undirected = 0;
  std::atomic<std::int64_t> directed = 0;
  std::atomic<std::int64_t> loops = 0;
  std::atomic<std::int64_t> inside = 0;
  parallel_for(context, 0, out.rows, detail::row_grain, [&](std::int64_t first, std::int64_t last) {
    PairCounts sum;
    std::int64_t loops_here = 0;
    std::int64_t inside_here = 0;
    for (std::int64_t u = first; u < last; ++u) {
      const PairCounts counts = count_pairs(static_cast<std::int32_t>(u), out.row(u), in.row(u));
      sum.undirected += counts.undirected;
      sum.directed += counts.directed;
      loops_here += counts.loop ? 1 : 0;
      if (components.of_node[u] == largest) inside_here += counts.undirected;
    }
    undirected += sum.undirected;
    directed += sum.directed;
    loops += loops_here;
    inside += inside_here;
  });
  stats.edges = undirected;
  stats.directed_edges = directed;
  stats.self_loops = loops;
  stats.components = components.count();
  stats.isolated = std::count(components.sizes.begin(), components.sizes.end(), 1);
  if (largest >= 0) {
    stats.largest_component_nodes = components.sizes[static_cast<std::size_t>(largest)];
    stats.largest_component_edges = inside;
  }
}

void count_labels(const Graph& graph, GraphStats& stats) {
  if (!graph.has_labels()) return;
  std::vector<std::int32_t> labels(graph.labels.begin(), graph.labels.end());
  std::sort(labels.begin(), labels.end());
  const auto labelled = std::upper_bound(labels.begin(), labels.end(), unlabelled);
  stats.unlabelled = labelled - labels.begin();
  stats.classes = std::unique(labelled, labels.end()) - labelled;
}

}  // namespace

GraphStats graph_stats(const Context& context, const Graph& graph) {
  GraphStats stats;
  stats.name = graph.name;
  stats.nodes = graph.nodes();
  stats.entries = graph.adjacency.nonzeros();
  count_edges(context, graph, stats);
  if (has_features(graph.features)) {
    stats.features = feature_cols(graph.features);
    stats.nonzeros = feature_nonzeros(graph.features);
  }
  count_labels(graph, stats);
  if (!graph.splits.empty()) {
    const Split& split = graph.splits.front();
    stats.train = split.train.size();
    stats.val = split.val.size();
    stats.test = split.test.size();
  }
  return stats;
}

}  // namespace creg
