#include "contrast/batch_inputs.h"

#include <torch/types.h>

#include <utility>

#include "creg/core/error.h"
#include "graph/transforms.h"
#include "nn/sampled_hops.h"
#include "ops/csr.h"
#include "ops/tensors.h"

namespace creg {

std::vector<int> sampled_fanouts(const std::vector<int>& fanouts, BatchNeighbours neighbours) {
  std::vector<int> out = fanouts;
  if (neighbours == BatchNeighbours::extra_hop) out.insert(out.begin(), fanouts.front());
  return out;
}

namespace {

/// The layers' matrices, first layer first, so that the last one puts out the nodes known after
/// `level` hops. The first one gathers from all features.
template <class Batch>
std::vector<SparseMatrix> layer_matrices(const Context& context, const Batch& batch, int layers,
                                         int level, bool dense) {
  std::vector<SparseMatrix> matrices;
  for (int l = 0; l < layers; ++l) {
    const auto inner = static_cast<std::size_t>(level + layers - 1 - l);
    const std::int64_t rows = batch.known[inner];
    const std::int64_t cols = l == 0 ? batch.known.back() : batch.known[inner + 1];
    // Dense features are gathered before they are multiplied, and take no gradient.
    const bool forward = l == 0 && dense && rows < cols;
    matrices.push_back(
        sampled_mean(context, batch, rows, cols,
                     forward ? SparseMatrix::Shape::forward : SparseMatrix::Shape::general));
  }
  return matrices;
}

void set_neighbours(const Context& context, const SampledBatch& batch, GraphInputs& inputs) {
  const CsrMatrix neighbours = batch.block(0);
  inputs.adjacency = csr_tensors(context, neighbours);
  inputs.joined = joined_nodes(context, neighbours);
}

void set_neighbours(const Context& context, const SampledTensors& batch, GraphInputs& inputs) {
  const CsrTensors neighbours = batch.block(0);
  inputs.adjacency = with_sorted_rows(context, neighbours);
  // The seeds' neighbours alone: little to look at.
  inputs.joined = joined_nodes(context, host_csr(neighbours));
}

at::Tensor members_of(const Context& context, const SampledBatch& batch) {
  const auto seeds = batch.nodes.span().first(static_cast<std::size_t>(batch.seeds()));
  return tensor_on(context, std::vector<std::int32_t>(seeds.begin(), seeds.end()));
}

at::Tensor members_of(const Context& /*context*/, const SampledTensors& batch) {
  return batch.nodes.narrow(0, 0, batch.seeds());
}

/// Of a SampledBatch or SampledTensors.
template <class Batch>
GraphInputs inputs_of(const Context& context, FeatureMatrix features, const Batch& batch,
                      int layers, bool neighbours_seen) {
  const bool extra_hop = batch.hops() == layers + 1;
  invariant(extra_hop || batch.hops() == layers, "a batch has a hop per layer, or one more");
  GraphInputs inputs(std::move(features));
  const bool dense = !inputs.features.sparse();
  inputs.batch = true;
  inputs.nodes = batch.seeds();
  inputs.members = members_of(context, batch);
  inputs.rows = neighbours_seen ? batch.known[1] : batch.seeds();
  // With a single layer the neighbours' rows take part in the first product. Where an extra hop has
  // found nobody new, features are multiplied first, for the batch's nodes too.
  const bool one_square = neighbours_seen && !extra_hop && layers == 1;
  const bool nobody_new =
      extra_hop && batch.known[static_cast<std::size_t>(layers)] == batch.known.back();
  std::vector<SparseMatrix> matrices =
      layer_matrices(context, batch, layers, 0, dense && !one_square && !nobody_new);
  inputs.node_hops = Hops(matrices);
  if (!neighbours_seen) {
    inputs.hops = inputs.node_hops;
  } else if (extra_hop) {
    inputs.hops = Hops(layer_matrices(context, batch, layers, 1, dense));
  } else {
    matrices.back() =
        sampled_mean(context, batch, batch.known[1], batch.known[1], SparseMatrix::Shape::general);
    inputs.hops = Hops(std::move(matrices));
  }
  if (neighbours_seen) {
    set_neighbours(context, batch, inputs);
    inputs.propagation =
        sampled_mean(context, batch, batch.seeds(), batch.known[1], SparseMatrix::Shape::general);
  }
  return inputs;
}

FeatureMatrix gathered_features(const Context& context, const ResidentFeatures& features,
                                const at::Tensor& nodes) {
  if (features.sparse()) return {context, features.sparse_rows(nodes)};
  return FeatureMatrix(features.dense_rows(nodes));
}

void append(std::vector<at::Tensor>& all, const std::vector<at::Tensor>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

GraphInputs batch_inputs(const Context& context, const Graph& graph, const SampledBatch& batch,
                         int layers, bool neighbours_seen, double feature_scale) {
  const FeatureMatrix features(context, feature_rows_of(context, graph.features, batch.nodes));
  return inputs_of(context, features.scaled(feature_scale), batch, layers, neighbours_seen);
}

GraphInputs batch_inputs(const Context& context, const ResidentFeatures& features,
                         const SampledTensors& batch, int layers, bool neighbours_seen,
                         double feature_scale) {
  return inputs_of(context, gathered_features(context, features, batch.nodes).scaled(feature_scale),
                   batch, layers, neighbours_seen);
}

std::vector<at::Tensor> tensors_of(const GraphInputs& inputs) {
  std::vector<at::Tensor> all = inputs.features.tensors();
  const CsrTensors& adjacency = inputs.adjacency;
  for (const at::Tensor& tensor :
       {adjacency.offsets, adjacency.columns, adjacency.values, inputs.joined, inputs.members,
        inputs.seeds, inputs.labelled, inputs.labels}) {
    if (tensor.defined()) all.push_back(tensor);
  }
  for (const Hops* hops : {&inputs.hops, &inputs.node_hops}) {
    for (const SparseMatrix& matrix : hops->all()) append(all, matrix.tensors());
  }
  if (inputs.propagation.defined()) append(all, inputs.propagation.tensors());
  return all;
}

}  // namespace creg
