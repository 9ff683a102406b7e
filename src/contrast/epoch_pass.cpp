#include "creg/contrast/epoch_pass.h"

#include <torch/types.h>

#include "creg/core/random.h"
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
      features(features_of(context, graph)),
      hops(encoder_hops(context, adjacency, graph.directed, encoder, &graph.features)),
      node_hops(hops),
      propagation(gathers_by_adjacency(encoder)
                      ? hops.of_layer(0)
                      : aggregation_matrix(context, adjacency, graph.directed, Aggregation::gcn)) {}

EncoderPass EpochPass::encoder_pass(std::uint64_t pass) const {
  RandomStream stream(settings_.seed, Purpose::activation_noise, settings_.step, pass);
  return {.order = {}, .training = settings_.training, .noise = stream.bits64()};
}

const Projected& EpochPass::projected() {
  if (!projected_.rows.defined()) {
    projected_ = encoder_.project(inputs_.features, inputs_.hops, encoder_pass(0));
  }
  return projected_;
}

const at::Tensor& EpochPass::hidden() {
  if (!hidden_.defined()) {
    hidden_ = encoder_.propagate(inputs_.hops, projected(), encoder_pass(0));
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

const at::Tensor& EpochPass::corruption() {
  if (!corruption_.defined()) {
    corruption_ = draw_permutation(device_of(context_), inputs_.features.rows(),
                                   {settings_.seed, Purpose::corruption, settings_.step});
  }
  return corruption_;
}

const at::Tensor& EpochPass::corrupted() {
  if (!corrupted_.defined()) {
    EncoderPass pass = encoder_pass(1);
    pass.order = corruption();
    corrupted_ = finished(encoder_.propagate(inputs_.node_hops, projected(), pass));
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
