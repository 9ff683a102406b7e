#include "train/memory_estimate.h"

#include <algorithm>
#include <cmath>

#include "contrast/batch_inputs.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "creg/methods/entry.h"
#include "creg/nn/inputs.h"
#include "train/made_features.h"

namespace creg {
namespace {

constexpr std::int64_t number_bytes = 4;
constexpr auto graph_part = "graph";
constexpr auto features_part = "features";

bool in_sampled_batches(const TrainConfig& config) {
  return config.batch.size > 0 && runs_in_batches(config.encoder);
}

std::int64_t product(std::int64_t a, std::int64_t b) {
  return number_bytes * a * b;
}

/// Offsets, columns and values.
std::int64_t csr_bytes(std::int64_t rows, std::int64_t entries) {
  return 8 * (rows + 1) + 8 * entries;
}

std::int64_t product_bytes(const GraphSize& graph) {
  const std::int64_t rows = graph.nodes;
  const std::int64_t cols = graph.features;
  const std::int64_t filled = graph.feature_entries;
  const double cells = static_cast<double>(rows) * static_cast<double>(cols);
  const bool sparse = graph.sparse_features && static_cast<double>(filled) <= dense_above * cells;
  // The sparse form is kept with its transpose.
  return sparse ? csr_bytes(rows, filled) + csr_bytes(cols, filled) : product(rows, cols);
}

std::int64_t encoder_parameters(const GraphSize& graph, const EncoderOptions& encoder) {
  const std::int64_t features = graph.features;
  if (encoder.kind == EncoderKind::table) return graph.nodes * encoder.dim;
  if (encoder.kind == EncoderKind::dual) return 2 * features * encoder.dim;
  std::int64_t count = 0;
  for (int l = 0; l < encoder.layers; ++l) {
    const std::int64_t in = encoder.inputs(l, features);
    const std::int64_t out = encoder.width(l);
    count += encoder.kind == EncoderKind::gin ? 2 * out * in + 2 * out * out : in * out;
  }
  return count;
}

MethodMemory memory_of_method(const GraphSize& graph, const TrainConfig& config) {
  const MethodEntry& method = method_of(config);
  if (!method.memory) return {};
  MethodOptions options = method_options(config);
  options.features = graph.features;
  options.nodes = graph.nodes;
  options.classes = graph.classes;
  return method.memory(options);
}

std::int64_t parameter_count(const GraphSize& graph, const TrainConfig& config,
                             const MethodMemory& method) {
  const std::int64_t d = config.encoder.dim;
  std::int64_t count = encoder_parameters(graph, config.encoder) + method.parameters;
  if (config.contrast.score == Score::bilinear) count += d * d;
  if (config.regulariser.contrast) count += d * d;
  return count;
}

/// Numbers per node that one pass keeps for its way back, after the first product.
double numbers_of_pass(const EncoderOptions& encoder) {
  const auto d = static_cast<double>(encoder.dim);
  switch (encoder.kind) {
    case EncoderKind::table:
      return d;
    case EncoderKind::dual:
      return 7 * d;  // per part its rows, their sum and the activated ones; both added
    default:
      break;
  }
  // Per layer the sum before the activation and the activated rows.
  double arrays = 2;
  if (encoder.kind == EncoderKind::gin) arrays = 6;
  if (encoder.kind == EncoderKind::gat) arrays = 3;
  // The sums before and after normalisation.
  if (encoder.channel_norm || encoder.layer_norm) arrays += 2;
  double numbers = 0;
  for (int l = 0; l < encoder.layers; ++l) {
    const auto width = static_cast<double>(encoder.width(l));
    numbers += arrays * width;
    if (l == 0) continue;
    numbers += width;  // the product between layers
    if (encoder.dropout > 0) numbers += 2 * static_cast<double>(encoder.width(l - 1));
  }
  return encoder.kind == EncoderKind::multiplex ? 2 * numbers + d : numbers;
}

/// How many passes through the encoder are kept for their way back; the clean one is looked at even
/// where no loss asks for it.
int kept_passes(const TrainConfig& config, const MethodMemory& method) {
  const bool corrupted = config.regulariser.contrast || method_of(config).corrupts;
  return (corrupted ? 2 : 1) + method.passes;
}

/// Numbers per node that are alive together when the backward pass begins or while it runs.
double live_numbers(const TrainConfig& config, const MethodMemory& method) {
  const EncoderOptions& encoder = config.encoder;
  double first_product = static_cast<double>(encoder.width(0));
  if (encoder.kind == EncoderKind::gin || encoder.kind == EncoderKind::dual) first_product *= 2;
  if (encoder.kind == EncoderKind::table) first_product = 0;
  const int passes = kept_passes(config, method);
  double arrays = 0;
  if (config.regulariser.l2norm) arrays += 2 * passes;
  if (config.contrast.score == Score::bilinear) arrays += 1;
  // The gradients on their way: of the anchors, the rows, and through the last layer.
  arrays += 3;
  // Views have features of their own.
  return first_product * (1 + method.views) + numbers_of_pass(encoder) * passes +
         arrays * static_cast<double>(encoder.dim) + method.numbers_per_node;
}

/// What the encoder gathers by, Â included.
std::int64_t matrix_bytes(const GraphSize& graph, const EncoderOptions& encoder) {
  const std::int64_t nodes = graph.nodes;
  const std::int64_t entries = graph.entries + nodes;
  std::int64_t bytes = csr_bytes(nodes, entries);
  const bool diffusion =
      encoder.kind == EncoderKind::dual ||
      (encoder.kind == EncoderKind::gcn && encoder.propagation == Propagation::diffusion);
  // All entries, and where they stay the dense form that is made of them.
  if (diffusion) bytes += (encoder.sparse_diffusion ? 2 : 3) * product(nodes, nodes);
  if (encoder.kind == EncoderKind::multiplex) {
    const std::int64_t twice =
        entries + 3 * nodes + 2 * multiplex_neighbours * nodes;  // neighbours both ways at most
    bytes += csr_bytes(2 * nodes, twice) * (encoder.layers > 1 ? 3 : 2);
    bytes += 2 * product(nodes, graph.features);  // while neighbours are looked for
  }
  const bool own =
      encoder.kind == EncoderKind::gat || encoder.kind == EncoderKind::gin ||
      encoder.kind == EncoderKind::sage ||
      (encoder.kind == EncoderKind::gcn && encoder.propagation == Propagation::directed_pagerank);
  if (own) bytes += csr_bytes(nodes, entries);
  if (graph.directed || encoder.kind == EncoderKind::sage) bytes += csr_bytes(nodes, entries);
  if (encoder.kind == EncoderKind::gat) bytes += 8 * entries;
  return bytes;
}

/// How many nodes a batch knows after each hop, on average: draws fall on nodes at random.
std::vector<double> nodes_after_hops(const GraphSize& graph, const TrainConfig& config) {
  const auto nodes = static_cast<double>(graph.nodes);
  const double degree = static_cast<double>(graph.entries) / std::max(1.0, nodes);
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

/// Places for entries in the last hop, where most are drawn.
double drawn_at_most(const std::vector<double>& known, const GraphSize& graph,
                     const TrainConfig& config) {
  const double degree =
      static_cast<double>(graph.entries) / std::max(1.0, static_cast<double>(graph.nodes));
  const int fanout = config.batch.fanouts.back();
  const double rows = known[known.size() - 2] - (known.size() > 2 ? known[known.size() - 3] : 0.0);
  return rows * (fanout < 0 ? 2 * degree : fanout);
}

/// Of training in batches; the embedding afterwards is kept on disk where memory is short.
MemoryEstimate estimate_batches(const GraphSize& graph, const TrainConfig& config,
                                const Device& device) {
  const bool on_gpu = device.type == DeviceType::cuda;
  const std::int64_t d = std::max(config.encoder.width(0), config.encoder.dim);
  const std::int64_t width = graph.features;
  const std::vector<double> known = nodes_after_hops(graph, config);
  const auto layers = static_cast<std::size_t>(config.encoder.layers);
  const std::size_t extra = known.size() - 1 - layers;
  MemoryEstimate out;
  const auto add = [&](const std::string& name, double bytes) {
    out.parts.push_back({name, static_cast<std::int64_t>(bytes)});
    out.total += out.parts.back().bytes;
  };
  add(graph_part, static_cast<double>(graph.adjacency_bytes));
  add(features_part, static_cast<double>(graph.feature_bytes));
  constexpr std::int64_t copies = 6;
  const std::int64_t parameters = parameter_count(graph, config, memory_of_method(graph, config));
  add("parameters", static_cast<double>(copies * number_bytes * parameters));
  // A batch's gradient, what comes of it from other ranks or goes to them, and the sum.
  if (config.batch.per_update > 1) {
    add("gradients of an update", static_cast<double>(4 * number_bytes * parameters));
  }
  // One batch in use and those that are drawn ahead.
  const double batches = on_gpu ? 2 : 3;
  const double share =
      static_cast<double>(graph.feature_entries) / std::max(1.0, static_cast<double>(graph.nodes));
  const bool sparse = graph.sparse_features;
  double entries = 0;
  for (std::size_t l = 0; l < layers; ++l) {
    const int fanout = config.batch.fanouts[layers - 1 - l];
    entries += known[layers - 1 - l + extra] * (fanout < 0 ? 0 : fanout + 1);
  }
  const double row_bytes = sparse ? 16 * share : 4 * static_cast<double>(width);
  // A GPU draws with places for all that a hop can find, and sorts what it found both ways.
  const double drawing = on_gpu ? 12 * drawn_at_most(known, graph, config) + 80 * entries : 0;
  add("batches", batches * (known.back() * (row_bytes + 4) + 16 * entries) + drawing);
  add("marks of the sampler",
      (on_gpu ? 1 : 3) * static_cast<double>(number_bytes) * static_cast<double>(graph.nodes));
  double rows = 0;
  for (std::size_t l = 0; l < layers; ++l) rows += known[layers - 1 - l + extra];
  const double passes = config.regulariser.contrast ? 2 : 1;
  // Per layer and pass the gathered rows, the sum, the activated rows and a gradient.
  add("activations and gradients", 4.0 * rows * static_cast<double>(4 * d) * passes +
                                       (sparse ? known.back() * static_cast<double>(4 * d) : 0));
  return out;
}

/// Of a graph with features, if it is to have any.
MemoryEstimate estimate_training(const GraphSize& graph, const TrainConfig& config,
                                 const Device& device) {
  const MethodEntry& entry = method_of(config);
  if (entry.encoders.empty()) {
    MemoryEstimate computed;
    if (entry.storage) computed.parts = entry.storage(graph);
    for (const MemoryPart& part : computed.parts) computed.total += part.bytes;
    return computed;
  }
  if (in_sampled_batches(config)) return estimate_batches(graph, config, device);
  const std::int64_t nodes = graph.nodes;
  const std::int64_t entries = graph.entries + nodes;
  const MethodMemory method = memory_of_method(graph, config);
  MemoryEstimate out;
  const auto add = [&](const std::string& name, std::int64_t bytes) {
    out.parts.push_back({name, bytes});
    out.total += bytes;
  };
  // A view has its matrix with its transpose, made of the edges that it kept.
  const std::int64_t of_views =
      method.views > 0 ? (2 * method.views + 1) * csr_bytes(nodes, entries) : 0;
  add(graph_part, graph.adjacency_bytes + matrix_bytes(graph, config.encoder) + of_views);
  // With dropout the values of an epoch beside those of all: of dense ones with their mask.
  if (graph.features > 0) {
    add(features_part, product_bytes(graph) * (config.encoder.dropout > 0 ? 2 : 1));
  }
  // Values, gradients, Adam's two moments, the best so far and the best before it.
  constexpr std::int64_t copies = 6;
  add("parameters", copies * number_bytes * parameter_count(graph, config, method));
  add("activations and gradients",
      static_cast<std::int64_t>(live_numbers(config, method) *
                                static_cast<double>(product(nodes, 1))));
  if (config.encoder.kind == EncoderKind::gat) {
    // A weight per entry and head for every layer and pass, and their gradients in one of them.
    const std::int64_t kept = std::int64_t{config.encoder.layers} * kept_passes(config, method) + 1;
    add("attention", kept * product(entries, config.encoder.heads));
  }
  for (const MemoryPart& part : method.more) add(part.name, part.bytes);
  return out;
}

}  // namespace

MemoryEstimate estimate_memory(const Graph& graph, const TrainConfig& config,
                               const Device& device) {
  return estimate_memory(size_of(graph), config, device);
}

MemoryEstimate estimate_memory(const GraphSize& graph, const TrainConfig& config,
                               const Device& device) {
  const GraphSize seen = with_made_features(graph, config);
  MemoryEstimate out = estimate_training(seen, config, device);
  // Beside them and the graph, and before there is anything of the training.
  const std::int64_t later = out.total - seen.adjacency_bytes - seen.feature_bytes;
  const std::int64_t making = bytes_of_making(graph, config);
  if (making > later) {
    out.parts.push_back({"making the features", making - later});
    out.total += making - later;
  }
  return out;
}

std::int64_t trained_numbers(const GraphSize& graph, const TrainConfig& config) {
  const GraphSize seen = with_made_features(graph, config);
  return parameter_count(seen, config, memory_of_method(seen, config));
}

std::int64_t safe_bytes(std::int64_t estimate) {
  constexpr std::int64_t buffers = std::int64_t{32} << 20;
  return estimate + estimate / 4 + buffers;
}

std::int64_t available_memory() {
  return memory_left().bytes;
}

MemoryEstimate least_memory(MemoryEstimate estimate, const TrainConfig& config,
                            const Device& device, const MemoryLimit& available) {
  const bool may_stay = device.type == DeviceType::cuda && in_sampled_batches(config);
  if (!may_stay || is_safe(estimate, 1, available)) return estimate;
  std::erase_if(estimate.parts, [&](const MemoryPart& part) {
    const bool stays = part.name == graph_part || part.name == features_part;
    if (stays) estimate.total -= part.bytes;
    return stays;
  });
  return estimate;
}

MemoryEstimate with_shared_graph(MemoryEstimate estimate, int processes) {
  for (MemoryPart& part : estimate.parts) {
    if (part.name != graph_part && part.name != features_part) continue;
    const std::int64_t share = part.bytes / processes;
    estimate.total -= part.bytes - share;
    part.bytes = share;
  }
  return estimate;
}

bool is_safe(const MemoryEstimate& estimate, int runs, const MemoryLimit& available) {
  return safe_bytes(estimate.total) <= available.bytes / runs;
}

void require_memory(const MemoryEstimate& estimate, int runs, const MemoryLimit& available,
                    std::string_view one) {
  if (is_safe(estimate, runs, available)) return;
  std::string parts;
  for (const MemoryPart& part : estimate.parts) {
    parts += (parts.empty() ? "" : ", ") + part.name + " " + human_bytes(part.bytes);
  }
  fail_environment(
      {.what = "this run would need more memory than there is",
       .found = "about " + human_bytes(estimate.total) + " a " + std::string(one) + " (" + parts +
                "), " + human_bytes(safe_bytes(estimate.total)) + " to be safe" +
                (runs > 1 ? ", " + counted(runs, one) + " side by side" : ""),
       .expected = "at most " + human_bytes(available.bytes) + ", by " + available.name,
       .hint = "a smaller --dim helps most; fewer --layers, --reg none and --score dot help too; "
               "--batch-size trains on samples of the graph"});
}

}  // namespace creg
