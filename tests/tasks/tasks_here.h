// The tasks as this build has them: those of creg/tasks/, or without libtorch the same with the
// tests' own eigenvectors and no hidden layer.
#pragma once

#include "support/plain_eigen.h"
#include "tasks/handed_in.h"

namespace creg::test {

#ifdef CREG_HAS_TORCH
using creg::cluster;
using creg::predict_links;
#else
inline ClusterResult cluster(const Context& context, const Graph& graph,
                             const DenseMatrix& embedding, const ClusterOptions& options = {}) {
  return tasks::cluster_by(plain_eigen, context, graph, embedding, options);
}
inline LinkResult predict_links(const Context& context, const EdgeSplit& split,
                                std::uint64_t split_seed, const DenseMatrix& embedding,
                                const LinkOptions& options = {}) {
  return tasks::predict_links_by(nullptr, context, split, split_seed, embedding, options);
}
#endif

}  // namespace creg::test
