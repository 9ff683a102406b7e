#include "train/epoch_steps.h"

#include <torch/types.h>

#include <algorithm>
#include <limits>
#include <string>

#include "creg/contrast/batch_inputs.h"
#include "creg/core/error.h"
#include "creg/graph/build.h"

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

}  // namespace

EpochSteps::EpochSteps(const Context& context, const Graph& graph, const TrainConfig& config,
                       const Model& model)
    : context_(batch_context(context)),
      graph_(graph),
      config_(config),
      // With a single thread there is nobody to work ahead; with many, a quarter of them keeps up.
      threads_ahead_(context.threads() == 1 ? 0 : std::max(1, context.threads() / 4)),
      neighbours_seen_(model.method->sees_neighbours()) {
  if (config.batch.size == 0) {
    inputs_.emplace(context, graph, model.encoder->aggregation());
    return;
  }
  if (model.method->needs_edges() && graph.adjacency.nonzeros() == 0) {
    fail_input({.what = "the graph has no edges, and this method's positives are neighbours",
                .file = graph.name,
                .found = config.method,
                .hint = "take positives from the whole batch: --positives global"});
  }
  const std::int64_t all = batches_per_epoch(graph.nodes(), config.batch.size);
  per_epoch_ = config.batch.per_epoch > 0 ? std::min(config.batch.per_epoch, all) : all;
  check_steps(config.epochs, per_epoch_);
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
  if (sampler_ == nullptr) return;
  ahead_.reset();
  const EpochBatches batches(graph_.nodes(), config_.batch.size, context_.seed(),
                             static_cast<std::uint32_t>(epoch));
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
  }
  return *inputs_;
}

}  // namespace creg
