#include "creg/train/memory_estimate.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <variant>

#include "creg/contrast/batch_inputs.h"
#include "creg/core/context.h"
#include "creg/core/error.h"
#include "creg/core/text.h"
#include "creg/methods/catalogue.h"
#include "creg/nn/feature_matrix.h"

namespace creg {
namespace {

constexpr std::int64_t number_bytes = 4;

std::int64_t product(std::int64_t a, std::int64_t b) {
  return number_bytes * a * b;
}

/// Offsets, columns and values.
std::int64_t csr_bytes(std::int64_t rows, std::int64_t entries) {
  return 8 * (rows + 1) + 8 * entries;
}

std::int64_t feature_bytes(const Graph& graph) {
  const std::int64_t rows = feature_rows(graph.features);
  const std::int64_t cols = feature_cols(graph.features);
  const std::int64_t filled = feature_nonzeros(graph.features);
  const double cells = static_cast<double>(rows) * static_cast<double>(cols);
  const bool sparse = std::holds_alternative<CsrMatrix>(graph.features) &&
                      static_cast<double>(filled) <= dense_above * cells;
  // The sparse form is kept with its transpose.
  return sparse ? csr_bytes(rows, filled) + csr_bytes(cols, filled) : product(rows, cols);
}

std::int64_t feature_storage(const Features& features) {
  if (const auto* sparse = std::get_if<CsrMatrix>(&features)) return sparse->bytes();
  if (const auto* dense = std::get_if<DenseMatrix>(&features)) return dense->values.bytes();
  return 0;
}

std::int64_t parameter_count(const Graph& graph, const TrainConfig& config) {
  const std::int64_t d = config.encoder.dim;
  std::int64_t count = 0;
  for (int l = 0; l < config.encoder.layers; ++l) {
    const std::int64_t in = l == 0 ? feature_cols(graph.features) : d;
    count += config.encoder.kind == EncoderKind::gin ? 2 * d * in + 2 * d * d : in * d;
  }
  if (config.contrast.score == Score::bilinear) count += d * d;
  if (config.method == "dgi") count += d * d;
  if (config.regulariser.contrast) count += d * d;
  return count;
}

/// Arrays of N x d that are alive together when the backward pass begins or while it runs.
double live_arrays(const TrainConfig& config) {
  // Per layer and pass the sum before the activation and the activated rows.
  double per_pass = 2.0 * config.encoder.layers;
  if (config.encoder.kind == EncoderKind::gin) per_pass = 6.0 * config.encoder.layers;
  if (config.encoder.kind == EncoderKind::gat) per_pass = 3.0 * config.encoder.layers;
  // The sums before and after normalisation.
  if (config.encoder.channel_norm) per_pass += 2.0 * config.encoder.layers;
  // Products between layers.
  per_pass += config.encoder.layers - 1;
  const double first_product = config.encoder.kind == EncoderKind::gin ? 2 : 1;
  const bool corrupted = config.regulariser.contrast || describe_method(config.method).corrupts;
  double arrays = first_product + per_pass * (corrupted ? 2 : 1);
  if (config.regulariser.l2norm) arrays += corrupted ? 4 : 2;
  if (config.method == "ml") arrays += 1;
  if (config.method == "gcn-neg") arrays += 1;  // gradients of edges and of non-edges
  if (config.contrast.score == Score::bilinear) arrays += 1;
  // The gradients on their way: of the anchors, the rows, and through the last layer.
  return arrays + 3;
}

/// How many nodes a batch knows after each hop, on average: draws fall on nodes at random.
std::vector<double> nodes_after_hops(const Graph& graph, const TrainConfig& config) {
  const auto nodes = static_cast<double>(graph.nodes());
  const double degree = static_cast<double>(graph.adjacency.nonzeros()) / std::max(1.0, nodes);
  const double seeds = std::min(static_cast<double>(config.batch.size), nodes);
  std::vector<double> known = {seeds};
  double found = seeds;
  for (const int fanout : sampled_fanouts(config.batch.fanouts, config.batch.neighbours)) {
    // Nodes met by following an edge have more neighbours than the average: twice is on the safe
    // side of what sparse graphs have, and a fanout bounds it.
    const double drawn = fanout < 0 ? 2 * degree : std::min<double>(fanout, 2 * degree);
    const double draws = found * drawn;
    found = (nodes - known.back()) * (1 - std::exp(-draws / nodes));
    known.push_back(known.back() + found);
  }
  return known;
}

/// Of training in batches; the embedding afterwards is kept on disk where memory is short.
MemoryEstimate estimate_batches(const Graph& graph, const TrainConfig& config) {
  const std::int64_t d = config.encoder.dim;
  const std::int64_t width = feature_cols(graph.features);
  const std::vector<double> known = nodes_after_hops(graph, config);
  const auto layers = static_cast<std::size_t>(config.encoder.layers);
  const std::size_t extra = known.size() - 1 - layers;
  MemoryEstimate out;
  const auto add = [&](const std::string& name, double bytes) {
    out.parts.push_back({name, static_cast<std::int64_t>(bytes)});
    out.total += out.parts.back().bytes;
  };
  add("graph", static_cast<double>(graph.adjacency.bytes()));
  add("features", static_cast<double>(feature_storage(graph.features)));
  constexpr std::int64_t copies = 6;
  add("parameters", static_cast<double>(copies * number_bytes * parameter_count(graph, config)));
  // One batch in use and two that are drawn ahead.
  const double share = static_cast<double>(feature_nonzeros(graph.features)) /
                       std::max(1.0, static_cast<double>(graph.nodes()));
  const bool sparse = std::holds_alternative<CsrMatrix>(graph.features);
  double entries = 0;
  for (std::size_t l = 0; l < layers; ++l) {
    const int fanout = config.batch.fanouts[layers - 1 - l];
    entries += known[layers - 1 - l + extra] * (fanout < 0 ? 0 : fanout + 1);
  }
  const double row_bytes = sparse ? 16 * share : 4 * static_cast<double>(width);
  add("batches", 3 * (known.back() * (row_bytes + 4) + 16 * entries));
  add("marks of the sampler", 3.0 * number_bytes * static_cast<double>(graph.nodes()));
  double rows = 0;
  for (std::size_t l = 0; l < layers; ++l) rows += known[layers - 1 - l + extra];
  const double passes = config.regulariser.contrast ? 2 : 1;
  // Per layer and pass the gathered rows, the sum, the activated rows and a gradient.
  add("activations and gradients", 4.0 * rows * static_cast<double>(4 * d) * passes +
                                       (sparse ? known.back() * static_cast<double>(4 * d) : 0));
  return out;
}

}  // namespace

MemoryEstimate estimate_memory(const Graph& graph, const TrainConfig& config) {
  if (config.batch.size > 0) return estimate_batches(graph, config);
  const std::int64_t nodes = graph.nodes();
  const std::int64_t d = config.encoder.dim;
  const std::int64_t entries = graph.adjacency.nonzeros() + nodes;
  MemoryEstimate out;
  const auto add = [&](const std::string& name, std::int64_t bytes) {
    out.parts.push_back({name, bytes});
    out.total += bytes;
  };
  std::int64_t matrices = csr_bytes(nodes, entries);
  if (config.encoder.kind != EncoderKind::gcn) matrices += csr_bytes(nodes, entries);
  if (graph.directed || config.encoder.kind == EncoderKind::sage) {
    matrices += csr_bytes(nodes, entries);
  }
  if (config.encoder.kind == EncoderKind::gat) matrices += 8 * entries;
  add("graph", graph.adjacency.bytes() + matrices);
  add("features", feature_bytes(graph));
  // Values, gradients, Adam's two moments, the best so far and the best before it.
  constexpr std::int64_t copies = 6;
  add("parameters", copies * number_bytes * parameter_count(graph, config));
  add("activations and gradients",
      static_cast<std::int64_t>(live_arrays(config) * static_cast<double>(product(nodes, d))));
  if (config.encoder.kind == EncoderKind::gat) {
    // A weight per entry and head for every layer and pass, and their gradients in one of them.
    const std::int64_t kept = config.encoder.layers * (config.regulariser.contrast ? 2 : 1) + 1;
    add("attention", kept * product(entries, config.encoder.heads));
  }
  const bool all_pairs = config.method == "lc" && (config.contrast.positives == Positives::global ||
                                                   config.contrast.curriculum > 1);
  if (all_pairs) {
    constexpr std::int64_t blocks = std::int64_t{64} << 20;
    add("similarities, in blocks", product(nodes, d) + nodes * config.contrast.k * 16 + blocks);
  }
  return out;
}

std::int64_t available_memory() {
  std::int64_t free_bytes = physical_memory();
  std::ifstream info("/proc/meminfo");
  std::string key;
  std::int64_t kilobytes = 0;
  std::string unit;
  while (info >> key >> kilobytes && std::getline(info, unit)) {
    if (key == "MemAvailable:") free_bytes = std::min(free_bytes, kilobytes * 1024);
  }
  std::ifstream limit_file("/sys/fs/cgroup/memory.max");
  std::ifstream used_file("/sys/fs/cgroup/memory.current");
  std::int64_t limit = 0;
  std::int64_t used = 0;
  if (limit_file >> limit && used_file >> used) free_bytes = std::min(free_bytes, limit - used);
  return std::max<std::int64_t>(free_bytes, 0);
}

void require_memory(const MemoryEstimate& estimate, int runs, std::int64_t available) {
  if (estimate.total <= available / runs) return;
  std::string parts;
  for (const MemoryPart& part : estimate.parts) {
    parts += (parts.empty() ? "" : ", ") + part.name + " " + human_bytes(part.bytes);
  }
  fail_environment(
      {.what = "this run would need more memory than there is",
       .found = "about " + human_bytes(estimate.total) + " a run (" + parts + ")" +
                (runs > 1 ? ", " + std::to_string(runs) + " runs side by side" : ""),
       .expected = "at most " + human_bytes(available),
       .hint = "a smaller --dim helps most; fewer --layers, --reg none and --score dot help too; "
               "--batch-size trains on samples of the graph"});
}

}  // namespace creg
