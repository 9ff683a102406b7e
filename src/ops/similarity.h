// Similarities between embeddings: over all pairs of nodes in one streamed pass that never holds
// more than a few blocks of the N x N matrix, and over the pairs that a graph joins.
//
// Rows of `embeddings` are nodes, float32; gradients do not flow through a selection.
// A value that is not finite is an input error wherever it is met. Of two equally similar nodes the
// one with the smaller number comes first, so every result is well defined; none depends on the
// number of threads.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "creg/core/context.h"
#include "creg/ops/similarity_options.h"
#include "creg/ops/sparse_matrix.h"

namespace creg {

struct SimilarityRequest {
  std::int64_t k = 0;  ///< how many most similar nodes per node; 0: none are looked for
  Similarity similarity = Similarity::cosine;
  SelfPairs self = SelfPairs::include;
  bool entropies = false;
  /// Without it a GPU is not asked whether all values are finite: for steps that are recorded.
  /// Where some are not, or products leave the range of float32, nodes may be short of others, and
  /// -1 stands for these; pair_loss makes of that a loss which is not a number.
  bool checked = true;
  std::int64_t block_rows = 0;  ///< 0: chosen; the similarities are computed in blocks this wide
};

/// What was not asked for is undefined.
struct SimilarityResult {
  at::Tensor indices;    ///< int32, N x k, most similar first
  at::Tensor values;     ///< float32, N x k: their similarities
  at::Tensor entropies;  ///< float32, N
};

/// Both answers from one pass over all pairs: O(N² d / 2) work, O(N k) memory beside the blocks.
/// k outside 1..N (N - 1 without self pairs) is an input error.
SimilarityResult similarity_pass(const Context& context, const at::Tensor& embeddings,
                                 const SimilarityRequest& request);

/// Only `indices` and `values`.
SimilarityResult top_k_similar(const Context& context, const at::Tensor& embeddings, std::int64_t k,
                               Similarity similarity = Similarity::cosine,
                               SelfPairs self = SelfPairs::include);

/// The same for these nodes (int32) alone, compared with all: row i of the result is that of
/// nodes[i]. For a share of the nodes it is cheaper than a pass over all pairs: O(nodes N d) work.
SimilarityResult top_k_of_nodes(const Context& context, const at::Tensor& embeddings,
                                const at::Tensor& nodes, std::int64_t k,
                                Similarity similarity = Similarity::cosine,
                                SelfPairs self = SelfPairs::include);

/// Per node the entropy, in nats, of its cosine similarities to all nodes (itself included)
/// clamped at 0 and divided by their sum. A node similar to none has ln N, the largest there is.
at::Tensor row_entropies(const Context& context, const at::Tensor& embeddings);

/// Per node its k most similar neighbours in the graph, most similar first: int32 and float32,
/// N x k, filled up with -1 and 0 where a node has fewer. Row i of `adjacency` lists the
/// neighbours of node i; loops and repeats in it are ignored. It may have rows for the first nodes
/// only: the others are neighbours of these. On a GPU columns ascend in its rows (csr_tensors), and
/// a node with a similarity that is not finite has no neighbours: the host does not wait to say so.
struct NeighbourTopK {
  at::Tensor indices;
  at::Tensor values;
};
NeighbourTopK top_k_neighbours(const Context& context, const at::Tensor& embeddings,
                               const CsrTensors& adjacency, std::int64_t k,
                               Similarity similarity = Similarity::dot);

/// Per node one of its k most similar neighbours, each with the same chance; -1 where there is
/// none. int32, N. A node with at most k neighbours costs no similarity at all. On a GPU also -1
/// where one of the similarities that decide is not finite; pair_loss makes of that a loss which is
/// not a number.
/// Where the rows are nodes of a part of a graph, `numbers` (int32, one per row of the embeddings)
/// are theirs in the whole one: draws, and the order of equals, go by them. On the CPU.
at::Tensor draw_top_neighbour(const Context& context, const at::Tensor& embeddings,
                              const CsrTensors& adjacency, std::int64_t k, Similarity similarity,
                              std::uint64_t seed, std::uint32_t epoch,
                              const at::Tensor& numbers = {});

}  // namespace creg
