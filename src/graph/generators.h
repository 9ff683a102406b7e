// Graphs that are made, not read: seeded, parallel, with the sizes and habits of the benchmarks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph.h"

namespace creg {

enum class SyntheticFeatures {
  bag_of_words,  ///< binary, a fixed number of words on average
  tf_idf,        ///< the same with term frequency times inverse document frequency
  dense,         ///< class centre + community centre + noise of deviation 1
};

enum class SyntheticSplit {
  planetoid,        ///< 20 per class train, 500 val, 1000 test; small graphs 20/30/50 % per class
  random_54_18_28,  ///< percent of the nodes, rounded down; the rest is test
};

/// What to generate. A graph of communities inside classes: every node belongs to a community,
/// draws its edges by power-law weights mostly inside it, and its features from the community's
/// topic.
struct GeneratorSpec {
  std::string name = "synthetic";
  std::uint64_t seed = 0;  ///< of the data, not of the run: a dataset is the same in every run
  std::int64_t nodes = 0;
  std::int64_t edges = 0;            ///< distinct undirected ones, met exactly
  std::vector<double> class_shares;  ///< one per class, in any unit

  double homophily = 0.8;              ///< share of edges inside a class, by label
  double community_share = 0.8;        ///< of the edges inside a class, those inside a community
  std::int64_t community_nodes = 100;  ///< size that communities have on average
  double degree_exponent = 1.5;  ///< of the Pareto law of weights: P(weight > x) = x^-exponent
  double degree_cap = 50;        ///< largest weight; the smallest is 1
  double label_noise = 0;        ///< share of nodes that get the label of a random node

  SyntheticFeatures features = SyntheticFeatures::bag_of_words;
  std::int64_t feature_count = 0;
  double words = 18;              ///< distinct words a row, on average (sparse kinds)
  double background_share = 0.2;  ///< of the words, those from the Zipf law that all share
  double class_sharpness = 1;     ///< how far a class's words or centre lie from the shared ones
  double community_sharpness = 1;
  double off_topic = 0;  ///< share of nodes whose features are of a random community

  SyntheticSplit split = SyntheticSplit::planetoid;  ///< stored under the name "public"
};

/// Names that follow "synthetic:".
std::vector<std::string> synthetic_names();

/// "synthetic:NAME" or "synthetic:NAME@scale" with scale in (0, 100]: that share of nodes and
/// edges, rounded to the nearest integer.
GeneratorSpec parse_synthetic(std::string_view text);

/// A pure function of the spec, whatever the number of threads. The adjacency is symmetric, sorted,
/// without loops or repeats. With at least as many edges as nodes, no node is isolated. Costs
/// O(nodes + edges) time, and memory of about 20 bytes per edge besides the features.
Graph generate(const Context& context, const GeneratorSpec& spec);

}  // namespace creg
