// The matrices by which layers gather from sampled neighbours, and from some rows of a large graph.
#pragma once

#include <cstdint>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/ops/sparse_matrix.h"
#include "graph/neighbour_sampler.h"
#include "ops/sampled_tensors.h"

namespace creg {

/// The mean over a node and its sampled neighbours, for the first `rows` nodes of a batch; of their
/// neighbours only those among the first `cols` nodes count. Nodes whose neighbours were not drawn
/// have none. [rows, cols]
SparseMatrix sampled_mean(const Context& context, const SampledBatch& batch, std::int64_t rows,
                          std::int64_t cols, SparseMatrix::Shape shape);

/// The same of a batch that a GPU drew.
SparseMatrix sampled_mean(const Context& context, const SampledTensors& batch, std::int64_t rows,
                          std::int64_t cols, SparseMatrix::Shape shape);

/// The same over all neighbours of the nodes first..last-1 in the whole graph: [last - first,
/// nodes]. Row u of `gathered` lists the nodes that u gathers from. Forward products only.
SparseMatrix mean_of_rows(const Context& context, const CsrMatrix& gathered, std::int64_t first,
                          std::int64_t last);

/// The same with a column for those nodes alone that it gathers from.
struct MeanOfSome {
  SparseMatrix mean;
  std::vector<std::int32_t> nodes;  ///< of the columns, rising
};
MeanOfSome mean_of_some(const Context& context, const CsrMatrix& gathered, std::int64_t first,
                        std::int64_t last);

}  // namespace creg
