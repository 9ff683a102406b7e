#include "contrast/batch_inputs.h"

#include <torch/types.h>

#include "creg/core/error.h"
#include "graph/transforms.h"
#include "nn/sampled_hops.h"
#include "ops/csr.h"

namespace creg {

std::vector<int> sampled_fanouts(const std::vector<int>& fanouts, BatchNeighbours neighbours) {
  std::vector<int> out = fanouts;
  if (neighbours == BatchNeighbours::extra_hop) out.insert(out.begin(), fanouts.front());
  return out;
}

namespace {

/// The layers' matrices, first layer first, so that the last one puts out the nodes known after
/// `level` hops. The first one gathers from all features.
std::vector<SparseMatrix> layer_matrices(const Context& context, const SampledBatch& batch,
                                         int layers, int level, bool dense) {
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

}  // namespace

GraphInputs batch_inputs(const Context& context, const Graph& graph, const SampledBatch& batch,
                         int layers, bool neighbours_seen) {
  const bool extra_hop = batch.hops() == layers + 1;
  invariant(extra_hop || batch.hops() == layers, "a batch has a hop per layer, or one more");
  GraphInputs inputs(FeatureMatrix(context, feature_rows_of(context, graph.features, batch.nodes)));
  const bool dense = !inputs.features.sparse();
  inputs.batch = true;
  inputs.nodes = batch.seeds();
  inputs.rows = neighbours_seen ? batch.known[1] : batch.seeds();
  // With a single layer the neighbours' rows take part in the first product.
  const bool one_square = neighbours_seen && !extra_hop && layers == 1;
  std::vector<SparseMatrix> matrices =
      layer_matrices(context, batch, layers, 0, dense && !one_square);
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
    const CsrMatrix neighbours = batch.block(0);
    inputs.adjacency = csr_tensors(context, neighbours);
    inputs.joined = joined_nodes(context, neighbours);
    inputs.propagation =
        sampled_mean(context, batch, batch.seeds(), batch.known[1], SparseMatrix::Shape::general);
  }
  return inputs;
}

}  // namespace creg
