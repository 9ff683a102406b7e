#include "creg/graph/graph_size.h"

#include <variant>

namespace creg {

GraphSize size_of(const Graph& graph) {
  return {.nodes = graph.nodes(),
          .entries = graph.adjacency.nonzeros(),
          .adjacency_bytes = graph.adjacency.bytes(),
          .directed = graph.directed,
          .features = feature_cols(graph.features),
          .feature_entries = feature_nonzeros(graph.features),
          .sparse_features = std::holds_alternative<CsrMatrix>(graph.features),
          .feature_bytes = feature_bytes(graph.features),
          .classes = graph.classes()};
}

GraphSize with_bytes(GraphSize size) {
  constexpr std::int64_t offset = 8;
  constexpr std::int64_t number = 4;
  size.adjacency_bytes = offset * (size.nodes + 1) + number * size.entries;
  size.feature_bytes = size.sparse_features
                           ? offset * (size.nodes + 1) + 2 * number * size.feature_entries
                           : number * size.nodes * size.features;
  return size;
}

}  // namespace creg
