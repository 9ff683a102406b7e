#include "train/loop/epoch_steps.h"

#include <torch/types.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "contrast/batch_inputs.h"
#include "creg/core/error.h"
#include "graph/build.h"
#include "ops/tensors.h"

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

}  // namespace

EpochSteps::EpochSteps(const Context& context, const Graph& graph, const TrainConfig& config,
                       const Model& model, std::span<const std::int32_t> labelled)
    : context_(batch_context(context)),
      graph_(graph),
      config_(config),
      // With a single thread there is nobody to work ahead; with many, a quarter of them keeps up.
      threads_ahead_(context.threads() == 1 ? 0 : std::max(1, context.threads() / 4)),
      neighbours_seen_(model.method->sees_neighbours()) {
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
  sampler_ = std::make_unique<NeighbourSampler>(
      graph.directed ? transpose(context, graph.adjacency) : graph.adjacency, options);
}

EpochSteps::~EpochSteps() = default;

GraphInputs EpochSteps::make_batch(const EpochBatches& batches, int epoch,
                                   std::int64_t step) const {
  const SampledBatch batch = sampler_->sample(batches[step], context_.seed(), draw(epoch, step));
  return batch_inputs(context_, graph_, batch, config_.encoder.layers, neighbours_seen_);
}

void EpochSteps::start(int epoch, std::int64_t first) {
  if (config_.batch.size == 0) return;
  ahead_.reset();
  const EpochBatches batches(graph_.nodes(), config_.batch.size, context_.seed(),
                             static_cast<std::uint32_t>(epoch));
  if (sampler_ == nullptr) {
    starts_ = std::make_unique<EpochBatches>(batches);
    next_ = first;
    return;
  }
  ahead_ = std::make_unique<Prefetcher<GraphInputs>>(
      first, per_epoch_,
      [this, batches, epoch](std::int64_t step) { return make_batch(batches, epoch, step); },
      PrefetchOptions{.threads = threads_ahead_});
}

const GraphInputs& EpochSteps::next() {
  if (sampler_ != nullptr) {
    inputs_.reset();
    inputs_ = ahead_->next();
    invariant(inputs_.has_value(), "an epoch has as many batches as it says");
  } else if (starts_ != nullptr) {
    const auto nodes = (*starts_)[next_++];
    inputs_->seeds = tensor_on(context_, std::vector<std::int32_t>(nodes.begin(), nodes.end()));
  }
  return *inputs_;
}

}  // namespace creg
