// The tasks with libtorch's eigenvectors and hidden layer.
#include "tasks/handed_in.h"

namespace creg {

ClusterResult cluster(const Context& context, const Graph& graph, const DenseMatrix& embedding,
                      const ClusterOptions& options) {
  return tasks::cluster_by(learn::symmetric_eigen, context, graph, embedding, options);
}

LinkResult predict_links(const Context& context, const EdgeSplit& split, std::uint64_t split_seed,
                         const DenseMatrix& embedding, const LinkOptions& options) {
  return tasks::predict_links_by(learn::make_mlp_model, context, split, split_seed, embedding,
                                 options);
}

}  // namespace creg
