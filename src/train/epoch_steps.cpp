#include "train/epoch_steps.h"

#include <torch/types.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "contrast/batch_inputs.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "graph/build.h"
#include "ops/runtime.h"
#include "ops/side_stream.h"
#include "ops/tensors.h"
#include "train/memory_estimate.h"

namespace creg {
namespace {

/// What makes a batch runs on one thread, and to its end.
Context batch_context(const Context& context) {
  Context::Options options = context.options();
  options.threads = 1;
  options.stop = nullptr;
  options.progress = nullptr;
  return Context(options);
}

/// Steps are counted in 32 bits by the random streams.
void check_steps(std::int64_t epochs, std::int64_t per_epoch) {
  constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();
  if (epochs <= most / per_epoch) return;
  fail_input({.what = "too many batches in all",
              .file = "epochs",
              .found = std::to_string(epochs) + " epochs of " + std::to_string(per_epoch),
              .expected = "at most " + std::to_string(most) + " batches"});
}

void show_labels(const Context& context, GraphInputs& inputs, const Graph& graph,
                 std::span<const std::int32_t> labelled) {
  if (labelled.empty()) return;
  std::vector<std::int64_t> labels;
  for (const std::int32_t node : labelled) labels.push_back(graph.labels[node]);
  inputs.labelled = tensor_on(context, std::vector<std::int64_t>(labelled.begin(), labelled.end()));
  inputs.labels = tensor_on(context, std::move(labels));
}

/// Where the graph and the features of sampled batches lie.
Residence residence_of(const Context& context, const Graph& graph, const TrainConfig& config) {
  // What earlier runs have left is free for this one.
  release_kept_device_memory(context);
  const MemoryEstimate estimate = estimate_memory(graph, config, context.device());
  const MemoryLimit available = tensor_memory_left(context);
  if (is_safe(estimate, 1, available)) return Residence::device;
  context.log().write(LogLevel::info,
                      "graph and features stay in the host's memory: with them the run would need "
                      "about " +
                          human_bytes(safe_bytes(estimate.total)) + ", and " +
                          human_bytes(available.bytes) + " is " + available.name);
  return Residence::host;
}

}  // namespace

EpochSteps::EpochSteps(const Context& context, const Graph& graph, const TrainConfig& config,
                       const Model& model, std::span<const std::int32_t> labelled, BatchShare share)
    : context_(batch_context(context)),
      graph_(graph),
      config_(config),
      // With a single thread there is nobody to work ahead; with many, a quarter of them keeps up.
      threads_ahead_(context.threads() == 1 ? 0 : std::max(1, context.threads() / 4)),
      neighbours_seen_(model.method->sees_neighbours()),
      share_(share) {
  const bool sampled = method_of(config).steps == StepsBy::neighbourhoods;
  if (config.batch.size == 0 || !sampled) {
    inputs_.emplace(context, graph, config.encoder);
    show_labels(context, *inputs_, graph, labelled);
  }
  if (config.batch.size == 0) return;
  if (model.method->needs_edges() && graph.adjacency.nonzeros() == 0) {
    fail_input({.what = "the graph has no edges, and this method's positives are neighbours",
                .file = graph.name,
                .found = config.method,
                .hint = "take positives from the whole batch: --positives global"});
  }
  // Start nodes are a size of steps, not of memory: a smaller graph has one step.
  if (!sampled) config_.batch.size = std::min(config.batch.size, graph.nodes());
  const std::int64_t all = batches_per_epoch(graph.nodes(), config_.batch.size);
  per_epoch_ = config.batch.per_epoch > 0 ? std::min(config.batch.per_epoch, all) : all;
  check_steps(config.epochs, per_epoch_);
  if (!sampled) return;
  SamplerOptions options;
  options.fanouts = neighbours_seen_
                        ? sampled_fanouts(config.batch.fanouts, config.batch.neighbours)
                        : config.batch.fanouts;
  options.replace = config.batch.replace;
  if (context.device().type == DeviceType::cuda) {
    on_device_ = std::make_unique<DeviceBatches>(
        context, graph,
        DeviceBatches::Settings{.sampler = options,
                                .layers = config.encoder.layers,
                                .neighbours_seen = neighbours_seen_,
                                .residence = residence_of(context, graph, config),
                                .feature_scale = config.encoder.feature_scale});
    return;
  }
  sampler_ = std::make_unique<NeighbourSampler>(
      graph.directed ? transpose(context, graph.adjacency) : graph.adjacency, options);
}

EpochSteps::EpochSteps(const Context& context, const Graph& graph, const TrainConfig& config,
                       GraphInputs inputs, std::span<const std::int32_t> labelled)
    : context_(batch_context(context)),
      graph_(graph),
      config_(config),
      threads_ahead_(0),
      neighbours_seen_(false),
      inputs_(std::move(inputs)) {
  invariant(config.batch.size == 0, "every step sees all inputs");
  show_labels(context, *inputs_, graph, labelled);
}

EpochSteps::~EpochSteps() = default;

GraphInputs EpochSteps::make_batch(const EpochBatches& batches, int epoch,
                                   std::int64_t step) const {
  if (on_device_ != nullptr) {
    return on_device_->make(batches[step], context_.seed(), draw(epoch, step));
  }
  const SampledBatch batch = sampler_->sample(batches[step], context_.seed(), draw(epoch, step));
  return batch_inputs(context_, graph_, batch, config_.encoder.layers, neighbours_seen_,
                      config_.encoder.feature_scale);
}

void EpochSteps::start(int epoch, std::int64_t first) {
  if (config_.batch.size == 0) return;
  ahead_.reset();
  own_.clear();
  for (std::int64_t step = first; step < per_epoch_; ++step) {
    if (step % share_.per_update % share_.size == share_.rank) own_.push_back(step);
  }
  const EpochBatches batches(graph_.nodes(), config_.batch.size, context_.seed(),
                             static_cast<std::uint32_t>(epoch));
  if (!sampled()) {
    starts_ = std::make_unique<EpochBatches>(batches);
    next_ = 0;
    return;
  }
  // A GPU makes one batch at a time, and has one more of them in its memory.
  const PrefetchOptions options = on_device_ != nullptr
                                      ? PrefetchOptions{.threads = 1, .ahead = 1}
                                      : PrefetchOptions{.threads = threads_ahead_};
  ahead_ = std::make_unique<Prefetcher<GraphInputs>>(
      0, static_cast<std::int64_t>(own_.size()),
      [this, batches, epoch](std::int64_t i) { return make_batch(batches, epoch, own_[i]); },
      options);
}

const GraphInputs& EpochSteps::next() {
  if (sampled()) {
    inputs_.reset();
    inputs_ = ahead_->next();
    invariant(inputs_.has_value(), "an epoch has as many batches as it says");
    if (on_device_ != nullptr) used_by_current_stream(tensors_of(*inputs_));
  } else if (starts_ != nullptr) {
    const auto nodes = (*starts_)[own_[next_++]];
    inputs_->seeds = tensor_on(context_, std::vector<std::int32_t>(nodes.begin(), nodes.end()));
  }
  return *inputs_;
}

}  // namespace creg
