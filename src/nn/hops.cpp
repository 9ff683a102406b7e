#include "creg/nn/hops.h"

#include "creg/core/error.h"
#include "creg/graph/build.h"
#include "creg/graph/normalise.h"

namespace creg {

SparseMatrix aggregation_matrix(const Context& context, const Graph& graph, Aggregation kind) {
  const auto shape = graph.directed ? SparseMatrix::Shape::general : SparseMatrix::Shape::symmetric;
  // Row i of A + I gathers from j -> i: the transposed adjacency.
  const auto gathered = [&] {
    CsrMatrix loops = with_self_loops(context, graph.adjacency, SelfLoops::missing);
    return graph.directed ? transpose(context, loops) : loops;
  };
  switch (kind) {
    case Aggregation::gcn:
      return {context, gcn_normalised(context, graph.adjacency), shape};
    case Aggregation::sum:
      return {context, gathered(), shape};
    case Aggregation::mean:
      return {context, row_normalised(context, graph.adjacency, SelfLoops::missing)};
    case Aggregation::attention: {
      CsrMatrix pattern = gathered();
      pattern.values = {};
      return {context, pattern, shape, SparseMatrix::Entries::linked};
    }
  }
  throw Bug("an aggregation without a matrix");
}

}  // namespace creg
