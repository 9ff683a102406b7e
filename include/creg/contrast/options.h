// Which pairs are contrasted, how they are scored, and what regularises them, in plain values.
#pragma once

#include <array>
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
