#include "contrast/part_inputs.h"

#include <torch/types.h>

#include <utility>

#include "creg/core/error.h"
#include "nn/part_hops.h"
#include "ops/csr.h"

namespace creg {
namespace {

Aggregation gathers_by(const EncoderOptions& encoder) {
  switch (encoder.kind) {
    case EncoderKind::gcn:
      invariant(encoder.propagation == Propagation::adjacency, "a part has its edges alone");
      return Aggregation::gcn;
    case EncoderKind::gat:
      return Aggregation::attention;
    case EncoderKind::gin:
      return Aggregation::sum;
    case EncoderKind::sage:
      return Aggregation::mean;
    case EncoderKind::table:
    case EncoderKind::dual:
    case EncoderKind::multiplex:
      break;
  }
  throw Bug("an encoder that does not work on parts");
}

}  // namespace

GraphInputs part_inputs(const Context& context, const GraphPart& part,
                        std::shared_ptr<PartExchange> exchange, const EncoderOptions& encoder) {
  GraphInputs inputs(FeatureMatrix(context, part.graph.features).scaled(encoder.feature_scale));
  inputs.nodes = part.own;
  inputs.rows = part.graph.nodes();
  const CsrMatrix adjacency = gathered_rows(context, part);
  inputs.adjacency = csr_tensors(context, adjacency);
  inputs.joined = joined_nodes(context, adjacency);
  const Aggregation kind = gathers_by(encoder);
  const SparseMatrix matrix = part_matrix(context, part, *exchange, kind);
  inputs.propagation =
      kind == Aggregation::gcn ? matrix : part_matrix(context, part, *exchange, Aggregation::gcn);
  inputs.hops = Hops(matrix, exchange);
  inputs.node_hops = inputs.hops;
  inputs.numbers = exchange->numbers();
  inputs.part = std::move(exchange);
  return inputs;
}

}  // namespace creg
