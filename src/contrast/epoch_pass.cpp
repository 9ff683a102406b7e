#include "creg/contrast/epoch_pass.h"

#include <torch/types.h>

#include "creg/contrast/pairs.h"
#include "creg/core/random.h"
#include "nn/part_exchange.h"
#include "ops/csr.h"
#include "ops/device.h"
#include "ops/random.h"
#include "ops/row_norms.h"

namespace creg {
namespace {

FeatureMatrix features_of(const Context& context, const Graph& graph) {
  if (has_features(graph.features)) return {context, graph.features};
  return FeatureMatrix(at::empty({graph.nodes(), 0}, options_on(context, at::kFloat)));
}

bool gathers_by_adjacency(const EncoderOptions& encoder) {
  return encoder.kind == EncoderKind::dual ||
         (encoder.kind == EncoderKind::gcn && encoder.propagation == Propagation::adjacency);
}

}  // namespace

GraphInputs::GraphInputs(const Context& context, const Graph& graph, const EncoderOptions& encoder)
    : nodes(graph.nodes()),
      rows(graph.nodes()),
      adjacency(csr_tensors(context, graph.adjacency)),
      joined(joined_nodes(context, graph.adjacency)),
      features(features_of(context, graph).scaled(encoder.feature_scale)),
      hops(encoder_hops(context, adjacency, graph.directed, encoder, &graph.features)),
      node_hops(hops),
      propagation(gathers_by_adjacency(encoder)
                      ? hops.of_layer(0)
                      : aggregation_matrix(context, adjacency, graph.directed, Aggregation::gcn)) {}

EncoderPass EpochPass::encoder_pass(std::uint64_t pass) const {
  return {.order = {},
          .training = settings_.training,
          .noise = {settings_.seed, Purpose::activation_noise, settings_.step, pass},
          .numbers = inputs_.numbers};
}

const Projected& EpochPass::projected() {
  if (!projected_.rows.defined()) {
    projected_ = encoder_.project(inputs_.features, inputs_.hops, encoder_pass(0));
  }
  return projected_;
}

const at::Tensor& EpochPass::own_hidden() {
  if (!own_hidden_.defined()) {
    own_hidden_ = encoder_.propagate(inputs_.hops, projected(), encoder_pass(0));
  }
  return own_hidden_;
}

const at::Tensor& EpochPass::hidden() {
  if (!hidden_.defined()) hidden_ = inputs_.hops.with_halo(own_hidden());
  return hidden_;
}

const at::Tensor& EpochPass::embedding() {
  if (!embedding_.defined()) embedding_ = finished(hidden());
  return embedding_;
}

at::Tensor EpochPass::nodes() {
  // Without its halo, which may never be asked for.
  if (inputs_.part && !embedding_.defined()) {
    if (!own_embedding_.defined()) own_embedding_ = finished(own_hidden());
    return own_embedding_;
  }
  return inputs_.nodes == inputs_.rows ? embedding() : embedding().narrow(0, 0, inputs_.nodes);
}

at::Tensor EpochPass::mean_of_nodes() {
  return inputs_.part ? inputs_.part->mean_of_rows(nodes()) : nodes().mean(0);
}

NegativeRows EpochPass::negatives(int count) {
  const std::int64_t nodes = inputs_.part ? inputs_.part->nodes() : inputs_.nodes;
  const at::Tensor drawn = draw_negatives(context_, nodes, count, settings_.seed, settings_.step);
  if (!inputs_.part) return {embedding(), drawn};
  const at::Tensor own = inputs_.numbers.narrow(0, 0, inputs_.nodes);
  const at::Tensor met = drawn.index_select(0, own);
  const at::Tensor others = inputs_.part->rows_of(this->nodes(), met.flatten());
  const std::int64_t first = embedding().size(0);
  return {at::cat({embedding(), others}, 0),
          at::arange(first, first + met.numel(), met.options()).view_as(met)};
}

at::Tensor EpochPass::share(const at::Tensor& mean, std::int64_t count) const {
  if (!inputs_.part || !mean.defined()) return mean;
  const double share = inputs_.part->share(count);
  // A mean of nothing is no number, which would stay none.
  return count == 0 ? at::zeros_like(mean) : mean * share;
}

const at::Tensor& EpochPass::corruption() {
  if (!corruption_.defined()) {
    const std::int64_t rows = inputs_.part ? inputs_.part->nodes() : inputs_.features.rows();
    corruption_ = draw_permutation(device_of(context_), rows,
                                   {settings_.seed, Purpose::corruption, settings_.step});
  }
  return corruption_;
}

const at::Tensor& EpochPass::corrupted() {
  if (!corrupted_.defined()) {
    EncoderPass pass = encoder_pass(1);
    Projected start = projected();
    if (inputs_.part) {
      // What every node here starts from belongs to some other.
      start.rows = inputs_.part->rows_of(start.rows.narrow(0, 0, inputs_.nodes),
                                         corruption().index_select(0, inputs_.numbers));
    } else {
      pass.order = corruption();
    }
    corrupted_ = finished(encoder_.propagate(inputs_.node_hops, start, pass));
  }
  return corrupted_;
}

at::Tensor EpochPass::encode(const FeatureMatrix& features, const Hops& hops, int number) const {
  const EncoderPass pass = encoder_pass(static_cast<std::uint64_t>(number));
  return finished(encoder_.propagate(hops, encoder_.project(features, hops, pass), pass));
}

at::Tensor EpochPass::finished(const at::Tensor& rows) const {
  if (!settings_.unit_rows) return rows;
  return unit_rows(rows);
}

}  // namespace creg
