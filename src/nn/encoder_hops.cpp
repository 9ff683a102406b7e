// The matrices of whole graphs, by the encoder that gathers by them.
#include <torch/types.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "creg/core/error.h"
#include "creg/nn/inputs.h"
#include "graph/build.h"
#include "graph/diffusion.h"
#include "graph/normalise.h"
#include "ops/csr.h"
#include "ops/similarity.h"
#include "ops/tensors.h"

namespace creg {
namespace {

SparseMatrix diffusion_matrix(const Context& context, const CsrMatrix& adjacency, bool directed,
                              const EncoderOptions& options) {
  PprOptions ppr{.alpha = options.teleport};
  if (!options.sparse_diffusion) {
    const auto shape = directed ? SparseMatrix::Shape::general : SparseMatrix::Shape::symmetric;
    return SparseMatrix::compact(context, ppr_diffusion(context, adjacency, ppr), shape);
  }
  ppr.threshold = ppr_thresholds.front();
  const CsrMatrix all = ppr_diffusion(context, adjacency, ppr);
  const double degree =
      static_cast<double>(adjacency.nonzeros()) / static_cast<double>(adjacency.rows);
  return SparseMatrix::compact(
      context, min_max_columns(context, without_small_entries(context, all,
                                                              threshold_for_degree(all, degree))));
}

SparseMatrix propagation_matrix(const Context& context, const CsrTensors& adjacency, bool directed,
                                const EncoderOptions& options) {
  switch (options.propagation) {
    case Propagation::adjacency:
      return aggregation_matrix(context, adjacency, directed, Aggregation::gcn);
    case Propagation::directed_pagerank:
      return {context,
              gcn_normalised(context,
                             pagerank_laplacian(context, host_csr(adjacency), options.teleport)),
              SparseMatrix::Shape::symmetric};
    case Propagation::diffusion:
      return diffusion_matrix(context, host_csr(adjacency), directed, options);
  }
  throw Bug("a propagation without a matrix");
}

/// Both directions of every pair, each once.
using Joined = std::vector<std::pair<std::int32_t, std::int32_t>>;
Joined similar_nodes(const Context& context, const Features& features) {
  Joined pairs;
  const std::int64_t nodes = feature_rows(features);
  const std::int64_t k = std::min(multiplex_neighbours, nodes - 1);
  if (k < 1) return pairs;
  const auto found =
      host_array<std::int32_t>(top_k_similar(context, as_tensor(context, to_dense(features)), k,
                                             Similarity::cosine, SelfPairs::exclude)
                                   .indices);
  for (std::int64_t i = 0; i < nodes * k; ++i) {
    const auto u = static_cast<std::int32_t>(i / k);
    pairs.emplace_back(u, found[i]);
    pairs.emplace_back(found[i], u);
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

/// Nodes 0..N-1 joined by edges, N..2N-1 by similar features, and each with its other self.
CsrMatrix supra_graph(const Context& context, const CsrMatrix& adjacency,
                      const Features& features) {
  const auto nodes = static_cast<std::int32_t>(adjacency.rows);
  std::vector<std::int32_t> from;
  std::vector<std::int32_t> to;
  std::vector<float> weights;
  const auto join = [&](std::int32_t u, std::int32_t v, float weight) {
    from.push_back(u);
    to.push_back(v);
    weights.push_back(weight);
  };
  for (std::int32_t u = 0; u < nodes; ++u) {
    for (std::int64_t e = adjacency.offsets[u]; e < adjacency.offsets[u + 1]; ++e) {
      join(u, adjacency.columns[e], adjacency.value(e));
    }
    join(u, u + nodes, 1);
    join(u + nodes, u, 1);
  }
  for (const auto& [u, v] : similar_nodes(context, features)) join(u + nodes, v + nodes, 1);
  return csr_from_entries(context, 2 * nodes, 2 * nodes, from, to, weights);
}

/// [2N, N]: both selves of a node start from its features.
CsrMatrix with_shared_columns(const Context& context, const CsrMatrix& matrix) {
  const auto nodes = static_cast<std::int32_t>(matrix.cols / 2);
  std::vector<std::int32_t> rows;
  std::vector<std::int32_t> columns;
  for (std::int64_t r = 0; r < matrix.rows; ++r) {
    for (const std::int32_t c : matrix.row(r)) {
      rows.push_back(static_cast<std::int32_t>(r));
      columns.push_back(c % nodes);
    }
  }
  return csr_from_entries(context, matrix.rows, nodes, rows, columns, matrix.values.span());
}

Hops multiplex_hops(const Context& context, const CsrMatrix& adjacency, bool directed,
                    const EncoderOptions& options, const Features* features) {
  invariant(features != nullptr && has_features(*features), "a multiplex has features");
  const CsrMatrix matrix = gcn_normalised(context, supra_graph(context, adjacency, *features));
  std::vector<SparseMatrix> layers = {{context, with_shared_columns(context, matrix)}};
  const auto shape = directed ? SparseMatrix::Shape::general : SparseMatrix::Shape::symmetric;
  if (options.layers > 1) {
    layers.resize(static_cast<std::size_t>(options.layers), SparseMatrix(context, matrix, shape));
  }
  return Hops(std::move(layers));
}

}  // namespace

Hops encoder_hops(const Context& context, const CsrTensors& adjacency, bool directed,
                  const EncoderOptions& options, const Features* features) {
  const auto gathered_by = [&](Aggregation kind) {
    return aggregation_matrix(context, adjacency, directed, kind);
  };
  switch (options.kind) {
    case EncoderKind::gcn:
      return Hops(propagation_matrix(context, adjacency, directed, options));
    case EncoderKind::gat:
      return Hops(gathered_by(Aggregation::attention));
    case EncoderKind::gin:
      return Hops(gathered_by(Aggregation::sum));
    case EncoderKind::sage:
      return Hops(gathered_by(Aggregation::mean));
    case EncoderKind::table:
      return {};
    case EncoderKind::dual:
      return Hops({gathered_by(Aggregation::gcn),
                   diffusion_matrix(context, host_csr(adjacency), directed, options)});
    case EncoderKind::multiplex:
      return multiplex_hops(context, host_csr(adjacency), directed, options, features);
  }
  throw Bug("an encoder without matrices");
}

}  // namespace creg
