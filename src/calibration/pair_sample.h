// The pairs whose confidence is measured: every anchor with its positives and with random nodes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "creg/core/context.h"
#include "creg/core/named_enum.h"
#include "creg/graph/graph.h"
#include "creg/ops/similarity_options.h"

namespace creg {

/// Where an anchor's positives come from.
enum class PairSource {
  top_k,        ///< the k most similar of all nodes under the embedding (the paper's choice)
  neighbours,   ///< the k graph neighbours with the largest dot product: LC's
  propagation,  ///< the node itself one propagation deeper, h·(Âh): ML's; of one label always
  edges,        ///< k graph neighbours at random: GCN-neg's
};
template <>
struct EnumNames<PairSource> {
  static constexpr std::array<std::string_view, 4> names = {"top-k", "neighbours", "propagation",
                                                            "edges"};
};

struct PairOptions {
  PairSource source = PairSource::top_k;
  std::int64_t k = 5;  ///< positives and negatives of an anchor
  Similarity similarity = Similarity::cosine;
  SelfPairs self = SelfPairs::include;
  std::int64_t anchors = 0;  ///< 0: all nodes, or 10,000 of more
};

/// Of every anchor some positives (a node without neighbours may have none) and k negatives, other
/// nodes than itself, each with the same chance. sigma is that of the score as it is: the
/// embedding's rows keep their lengths.
struct PairSample {
  std::vector<std::int32_t> anchors;  ///< ascending
  std::vector<std::int64_t> offsets;  ///< those of anchor i: positives[offsets[i] … offsets[i+1])
  std::vector<std::int32_t> positives;
  std::vector<double> positive_sigma;
  std::int64_t k = 0;
  std::vector<std::int32_t> negatives;  ///< those of anchor i: negatives[i k … (i+1) k)
  std::vector<double> negative_sigma;
};

/// The Context's seed decides the anchors, where they are a part of the nodes, and the negatives.
/// Memory O(anchors k) beside the embedding. The graph is looked at for sources other than top_k.
/// A graph with a single node, k out of range, and an embedding that is not finite are input
/// errors.
PairSample sample_pairs(const Context& context, const Graph& graph, const DenseMatrix& embedding,
                        const PairOptions& options = {});

/// How many anchors these options mean on a graph of so many nodes.
std::int64_t anchor_count(std::int64_t nodes, const PairOptions& options);

}  // namespace creg
