// Which pairs are contrasted, how they are scored, and what regularises them, in plain values.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "creg/core/named_enum.h"
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
  int negatives = 1;
  double temperature = 1;
  LogForm log = LogForm::stable;
};

/// Of methods that contrast two views of the graph.
struct ViewOptions {
  double drop_edges1 = 0.2;  ///< chance of an entry to be gone from the first view
  double drop_edges2 = 0.4;  ///< and from the second
  double drop_features1 = 0.3;
  double drop_features2 = 0.4;
  std::int64_t projection = 128;  ///< width inside the projection head
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
