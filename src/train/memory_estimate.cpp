#include "creg/train/memory_estimate.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <variant>

#include "creg/core/context.h"
#include "creg/core/error.h"
#include "creg/core/text.h"
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

std::int64_t parameter_count(const Graph& graph, const TrainConfig& config) {
  const std::int64_t d = config.encoder.dim;
  std::int64_t count = 0;
  for (int l = 0; l < config.encoder.layers; ++l) {
    const std::int64_t in = l == 0 ? feature_cols(graph.features) : d;
    count += config.encoder.kind == EncoderKind::gin ? 2 * d * in + 2 * d * d : in * d;
  }
  if (config.contrast.score == Score::bilinear) count += d * d;
  if (config.regulariser.contrast) count += d * d;
  return count;
}

/// Arrays of N x d that are alive together when the backward pass begins or while it runs.
double live_arrays(const TrainConfig& config) {
  // Per layer and pass the sum before the activation and the activated rows.
  double per_pass = 2.0 * config.encoder.layers;
  if (config.encoder.kind == EncoderKind::gin) per_pass = 6.0 * config.encoder.layers;
  if (config.encoder.kind == EncoderKind::gat) per_pass = 3.0 * config.encoder.layers;
  // Products between layers.
  per_pass += config.encoder.layers - 1;
  const double first_product = config.encoder.kind == EncoderKind::gin ? 2 : 1;
  double arrays = first_product + per_pass * (config.regulariser.contrast ? 2 : 1);
  if (config.regulariser.l2norm) arrays += config.regulariser.contrast ? 4 : 2;
  if (config.method == "ml") arrays += 1;
  if (config.contrast.score == Score::bilinear) arrays += 1;
  // The gradients on their way: of the anchors, the rows, and through the last layer.
  return arrays + 3;
}

}  // namespace

MemoryEstimate estimate_memory(const Graph& graph, const TrainConfig& config) {
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
       .hint = "a smaller --dim helps most; fewer --layers, --reg none and --score dot help too"});
}

}  // namespace creg
