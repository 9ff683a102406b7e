// The tasks that leave a part to a library of dense algebra, with that part handed in. Those of
// creg/tasks/ hand in libtorch's.
#pragma once

#include "creg/tasks/cluster.h"
#include "creg/tasks/link.h"
#include "learn/link_predictor.h"
#include "learn/symmetric_eigen.h"

namespace creg::tasks {

/// The solver is asked for the principal components.
ClusterResult cluster_by(const learn::EigenSolver& solver, const Context& context,
                         const Graph& graph, const DenseMatrix& embedding,
                         const ClusterOptions& options = {});

/// `make_mlp` may be empty where the predictor is linear.
LinkResult predict_links_by(const learn::MlpMaker& make_mlp, const Context& context,
                            const EdgeSplit& split, std::uint64_t split_seed,
                            const DenseMatrix& embedding, const LinkOptions& options = {});

}  // namespace creg::tasks
