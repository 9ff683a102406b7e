// Which pairs are contrasted, how they are scored, and what regularises them, in plain values.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "creg/core/named_enum.h"
#include "creg/graph/centrality.h"
#include "creg/ops/log_form.h"

namespace creg {

enum class Score {
  dot,       ///< u·v, the paper's formula
  bilinear,  ///< u·C v with a trained matrix C, the paper's code
};
template <>
struct EnumNames<Score> {
  static constexpr std::array<std::string_view, 2> names = {"dot", "bilinear"};
};

/// Where LC takes a node's positive from.
enum class Positives {
  neighbours,  ///< one at random of the k graph neighbours with the largest dot product (paper)
  global,      ///< the mean of the k most cosine-similar nodes of all, itself included (code)
};
template <>
struct EnumNames<Positives> {
  static constexpr std::array<std::string_view, 2> names = {"neighbours", "global"};
};

/// The direction r that Contrast-Reg compares with.
enum class Direction {
  random,   ///< uniform in [0,1), drawn anew every epoch
  summary,  ///< sigma of the mean embedding, as in DGI
};
template <>
struct EnumNames<Direction> {
  static constexpr std::array<std::string_view, 2> names = {"random", "summary"};
};

/// Where a batch takes the embeddings of its nodes' neighbours from, for losses that look at them.
enum class BatchNeighbours {
  subgraph,   ///< the last layer sees of a neighbour's neighbours those that were met before
  extra_hop,  ///< neighbours are encoded as the nodes themselves are: one more hop is drawn
};
template <>
struct EnumNames<BatchNeighbours> {
  static constexpr std::array<std::string_view, 2> names = {"subgraph", "extra-hop"};
};

struct ContrastOptions {
  Score score = Score::dot;
  Positives positives = Positives::neighbours;
  int k = 5;
  int negatives = 1;
  double temperature = 1;
  LogForm log = LogForm::stable;
  int curriculum = 0;  ///< rounds; 0: none
};

/// Of methods that look for clusters of nodes.
struct ClusterContrastOptions {
  std::int64_t count = 0;  ///< clusters; 0: as many as there are classes
  int warmup = 200;        ///< epochs before clusters are looked for
  int interval = 2;        ///< epochs between two looks
  int positives = 10;      ///< nodes of its own cluster that a node meets
  int negatives = 1000;    ///< nodes of other clusters
  double rate = 0.05;      ///< of the learning rate, once the clusters count
};

/// How the teleport probability of DiGCL's second view moves over the epochs.
enum class TeleportSchedule {
  log,  ///< the authors' default, with its slip of a sign: from about 1.7 down to 0.9
  linear,
  exponential,
  fixed,
};
template <>
struct EnumNames<TeleportSchedule> {
  static constexpr std::array<std::string_view, 4> names = {"log", "linear", "exp", "fixed"};
};

/// Of methods that contrast two views of the graph.
struct ViewOptions {
  double drop_edges1 = 0.2;  ///< chance of an entry to be gone from the first view
  double drop_edges2 = 0.4;  ///< and from the second
  double drop_features1 = 0.3;
  double drop_features2 = 0.4;
  Centrality centrality = Centrality::degree;  ///< what GCA takes for importance
  TeleportSchedule teleport_schedule = TeleportSchedule::log;
  std::int64_t projection = 128;  ///< width inside the projection head
};

/// The random walks of node2vec.
struct WalkOptions {
  int length = 20;    ///< nodes of a walk
  int context = 10;   ///< nodes of a window: the first is the centre of the others
  int per_node = 10;  ///< walks from every start
  double p = 1;       ///< a step back counts 1/p
  double q = 1;       ///< a step away counts 1/q
};

/// Of a method that masks nodes and wants their features back.
struct MaskOptions {
  double rate = 0.5;     ///< share of the nodes
  double replace = 0;    ///< share of these that show the features of another node
  double sharpness = 3;  ///< the loss is (1 - cosine) to this power
};

struct RegulariserOptions {
  bool contrast = false;    ///< Contrast-Reg
  bool l2norm = false;      ///< the encoder's output has rows of length 1
  double ratio = 1;         ///< weight of Contrast-Reg; where it is automatic, the one at the start
  bool auto_ratio = false;  ///< the weight rises while positives are too confident
  double target_sigma = 0.9;  ///< mean sigma of the positives that an automatic weight aims at
  Direction r = Direction::random;
  double r_scale = 1;
};

}  // namespace creg
