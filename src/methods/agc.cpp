#include "methods/agc.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/parallel.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "creg/methods/entry.h"
#include "graph/normalise.h"
#include "kernels/distance.h"
#include "learn/kmeans.h"
#include "learn/sparse_product.h"
#include "learn/truncated_svd.h"

namespace creg {
namespace {

void check_input(const Graph& graph, const AgcOptions& options) {
  if (!has_features(graph.features)) {
    fail_input({.what = "the dataset has no features, and AGC smooths them",
                .file = graph.name,
                .hint = "give a table with --features FILE or the key `features`"});
  }
  const std::int64_t most = std::min(graph.nodes(), feature_cols(graph.features));
  if (options.clusters < 1 || options.clusters > most) {
    fail_input({.what = "AGC cannot make so many clusters",
                .file = graph.name,
                .found = with_commas(options.clusters),
                .expected = "1 to " + with_commas(most) + ": the graph has " +
                            with_commas(graph.nodes()) + " nodes and " +
                            with_commas(feature_cols(graph.features)) + " features"});
  }
  if (options.max_power < 1 || options.repeats < 1) {
    fail_input({.what = "AGC applies its filter and k-means at least once",
                .found = std::to_string(options.max_power) + " powers, " +
                         std::to_string(options.repeats) + " repeats",
                .expected = "at least 1 of each"});
  }
}

DenseMatrix left_vectors(const Context& context, const DenseMatrix& x, std::int64_t count) {
  const TruncatedSvd svd = truncated_svd(context, x, count, learn::symmetric_eigen);
  Buffer<float> values(x.rows * count);
  std::transform(svd.left.begin(), svd.left.end(), values.begin(),
                 [](double value) { return static_cast<float>(value); });
  return {.rows = x.rows, .cols = count, .values = std::move(values)};
}

double mean_intra(const Context& context, const DenseMatrix& x, const DenseMatrix& embedding,
                  const AgcOptions& options) {
  std::vector<double> distances(static_cast<std::size_t>(options.repeats));
  parallel_tasks(context, options.repeats, [&](std::int64_t repeat) {
    const KMeansResult clusters = kmeans(context, embedding, options.clusters,
                                         {.restarts = options.restarts,
                                          .seed = options.seed + static_cast<std::uint64_t>(repeat),
                                          .each_restart = [&] { context.throw_if_stopped(); }});
    distances[static_cast<std::size_t>(repeat)] =
        intra_cluster_distance(x, clusters.labels, options.clusters);
  });
  double sum = 0;
  for (const double distance : distances) sum += distance;
  return sum / static_cast<double>(options.repeats);
}

}  // namespace

double intra_cluster_distance(const DenseMatrix& values, std::span<const std::int32_t> labels,
                              std::int64_t clusters) {
  invariant(static_cast<std::int64_t>(labels.size()) == values.rows, "every row has a label");
  const std::int64_t cols = values.cols;
  std::vector<double> sums(static_cast<std::size_t>(clusters * cols));
  std::vector<double> squares(static_cast<std::size_t>(clusters));
  std::vector<std::int64_t> counts(squares.size());
  for (std::int64_t i = 0; i < values.rows; ++i) {
    const std::int32_t c = labels[static_cast<std::size_t>(i)];
    const float* const row = values.row(i).data();
    learn::add_row(cols, row, sums.data() + c * cols);
    squares[static_cast<std::size_t>(c)] += learn::squared_norm(cols, row);
    ++counts[static_cast<std::size_t>(c)];
  }
  double distance = 0;
  for (std::int64_t c = 0; c < clusters; ++c) {
    if (counts[static_cast<std::size_t>(c)] == 0) continue;
    const auto count = static_cast<double>(counts[static_cast<std::size_t>(c)]);
    const double mean_length = learn::squared_norm(cols, sums.data() + c * cols) / (count * count);
    distance += squares[static_cast<std::size_t>(c)] / count - mean_length;
  }
  return 2 * distance / static_cast<double>(clusters);
}

AgcResult agc(const Context& context, const Graph& graph, const AgcOptions& options) {
  check_input(graph, options);
  const CsrMatrix filter = low_pass_filter(context, graph.adjacency);
  DenseMatrix x = to_dense(graph.features);
  AgcResult result;
  ProgressTask progress(context, "smoothing features", options.max_power, "powers");
  for (int power = 1; power <= options.max_power; ++power) {
    x = sparse_product(context, filter, x);
    DenseMatrix embedding = left_vectors(context, x, options.clusters);
    result.intra.push_back(mean_intra(context, x, embedding, options));
    progress.advance();
    const std::size_t last = result.intra.size() - 1;
    if (last > 0 && result.intra[last] > result.intra[last - 1]) break;
    result.embedding = std::move(embedding);
    result.power = power;
  }
  progress.finish_early();
  return result;
}

namespace {

/// Before and after a round, and a working copy.
std::vector<MemoryPart> filter_storage(const GraphSize& graph) {
  const std::int64_t entries = graph.entries + graph.nodes;
  const std::int64_t filter = 8 * (graph.nodes + 1) + 8 * entries;
  const std::int64_t dense = 4 * graph.nodes * graph.features;
  return {{"graph", graph.adjacency_bytes + filter},
          {"features, smoothed", graph.feature_bytes + 3 * dense}};
}

ComputedEmbedding smoothed(const Context& context, const Graph& graph,
                           const MethodOptions& options) {
  const std::int64_t clusters = options.clusters > 0 ? options.clusters : graph.classes();
  if (clusters < 1) {
    fail_input({.what = "agc needs to know how many clusters there are",
                .file = "clusters",
                .expected = "--clusters 2 or more, or labels whose classes are counted"});
  }
  AgcResult found = agc(context, graph, {.clusters = clusters, .seed = context.seed()});
  return {.embedding = std::move(found.embedding),
          .rounds = static_cast<int>(found.intra.size()),
          .chosen = found.power - 1};
}

}  // namespace

namespace methods {

MethodEntry agc() {
  return {.name = "agc",
          .about = "features smoothed until clusters grow no tighter; nothing is trained",
          .encoders = {},
          .regularised = false,
          .uses = {"clusters", "link_counts"},
          .compute = smoothed,
          .storage = filter_storage};
}

}  // namespace methods
}  // namespace creg
