#include "creg/contrast/epoch_pass.h"

#include <torch/types.h>

#include "creg/core/random.h"
#include "creg/ops/tensors.h"

namespace creg {
namespace {

/// A seed per pass for what the activations draw.
std::uint64_t noise_seed(const EpochPass::Settings& settings, std::uint64_t pass) {
  return RandomStream(settings.seed, Purpose::activation_noise, settings.epoch, pass).bits64();
}

}  // namespace

GraphInputs::GraphInputs(const Context& context, const Graph& graph, Aggregation aggregation)
    : nodes(graph.nodes()),
      rows(graph.nodes()),
      adjacency(graph.adjacency),
      features(context, graph.features),
      hops(aggregation_matrix(context, graph, aggregation)),
      node_hops(hops),
      propagation(aggregation == Aggregation::gcn
                      ? hops.of_layer(0)
                      : aggregation_matrix(context, graph, Aggregation::gcn)) {}

const Projected& EpochPass::projected() {
  if (!projected_.rows.defined()) projected_ = encoder_.project(inputs_.features, inputs_.hops);
  return projected_;
}

const at::Tensor& EpochPass::hidden() {
  if (!hidden_.defined()) {
    hidden_ =
        encoder_.propagate(inputs_.hops, projected(),
                           {.training = settings_.training, .noise = noise_seed(settings_, 0)});
  }
  return hidden_;
}

const at::Tensor& EpochPass::embedding() {
  if (!embedding_.defined()) embedding_ = finished(hidden());
  return embedding_;
}

at::Tensor EpochPass::nodes() {
  return inputs_.nodes == inputs_.rows ? embedding() : embedding().narrow(0, 0, inputs_.nodes);
}

const at::Tensor& EpochPass::corrupted() {
  if (corrupted_.defined()) return corrupted_;
  RandomStream stream(settings_.seed, Purpose::corruption, settings_.epoch);
  const at::Tensor order =
      index_tensor(random_permutation(static_cast<std::int32_t>(inputs_.features.rows()), stream));
  corrupted_ = finished(encoder_.propagate(
      inputs_.node_hops, projected(),
      {.order = order, .training = settings_.training, .noise = noise_seed(settings_, 1)}));
  return corrupted_;
}

at::Tensor EpochPass::finished(const at::Tensor& rows) const {
  if (!settings_.unit_rows) return rows;
  return rows / rows.norm(2, 1, true).clamp_min(1e-12);
}

}  // namespace creg
