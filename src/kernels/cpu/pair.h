// Ranges of the kernels in kernels/pair.h, compiled for several instruction sets.
#pragma once

#include "kernels/pair.h"

namespace creg::cpu {

/// Sums over a range of anchors.
struct PairSums {
  double loss = 0;
  double positive_sigma = 0;
  double negative_sigma = 0;
};
PairSums score_pairs(const kernels::PairScores& scores, std::int64_t begin, std::int64_t end);

struct EdgeSums {
  double loss = 0;
  double sigma = 0;
};
EdgeSums score_edges(const kernels::EdgeScores& scores, std::int64_t begin, std::int64_t end);

/// The sum of the losses.
double score_direction(const kernels::DirectionScores& scores, std::int64_t begin,
                       std::int64_t end);
void spread_direction(const kernels::DirectionGradient& gradient, std::int64_t begin,
                      std::int64_t end);
/// sums += coefficient_i · h_i over the range.
void sum_direction(const kernels::DirectionGradient& gradient, float* sums, std::int64_t begin,
                   std::int64_t end);

/// lengths[i] = |rows_i|.
void row_lengths(const kernels::LengthStatistics& statistics, std::int64_t begin, std::int64_t end);

}  // namespace creg::cpu
