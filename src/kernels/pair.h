// Range kernels of the losses over sampled pairs.
#pragma once

#include <cstdint>

#include "kernels/logistic.h"

namespace creg::cpu {

struct PairScores {
  const float* anchors = nullptr;           ///< [., width]
  const float* rows = nullptr;              ///< [., width]
  const std::int32_t* ids = nullptr;        ///< [M] or null: 0..M-1
  const std::int32_t* positives = nullptr;  ///< [M, positive_count]
  const std::int32_t* negatives = nullptr;  ///< [M, negative_count]
  int positive_count = 1;
  int negative_count = 1;
  std::int64_t width = 0;
  float scale = 1;
  /// Weight of one anchor in the mean: 1 / M.
  float share = 1;
  bool naive = false;
  /// [M, positive_count + negative_count]: d loss / d(anchor · row), for each pair.
  float* coefficients = nullptr;
  /// The anchors' gradient, one row per anchor id; null: not wanted.
  float* d_anchors = nullptr;
};

/// Sums over a range of anchors.
struct PairSums {
  double loss = 0;
  double positive_sigma = 0;
  double negative_sigma = 0;
};

PairSums score_pairs(const PairScores& scores, std::int64_t begin, std::int64_t end);

/// Pairs in compressed rows: anchor a meets rows columns[offsets[a] .. offsets[a+1]).
struct EdgeScores {
  const float* anchors = nullptr;  ///< [., width]
  const float* rows = nullptr;     ///< [., width]
  const std::int64_t* offsets = nullptr;
  const std::int32_t* columns = nullptr;
  std::int64_t width = 0;
  float scale = 1;
  /// Weight of one pair in the mean.
  float share = 1;
  bool positive = true;  ///< -log sigma(s), else -log sigma(-s)
  bool naive = false;
  /// Per pair d loss / d(anchor · row).
  float* coefficients = nullptr;
  /// The anchors' gradient, all rows of the range written; null: not wanted.
  float* d_anchors = nullptr;
};

struct EdgeSums {
  double loss = 0;
  double sigma = 0;
};

/// The pairs of anchors [begin, end).
EdgeSums score_edges(const EdgeScores& scores, std::int64_t begin, std::int64_t end);

/// Rows [begin, end) of h against one vector: the sum of the losses, and per row the coefficient
/// d loss / d(h_i·u) times `share`.
double score_direction(const float* h, const float* u, std::int64_t width, float target,
                       float share, bool naive, float* coefficients, std::int64_t begin,
                       std::int64_t end);

/// d_h[i] = coefficient_i · u.
void spread_direction(const float* u, std::int64_t width, const float* coefficients, float* d_h,
                      std::int64_t begin, std::int64_t end);

/// sums += coefficient_i · h_i over the range.
void sum_direction(const float* h, std::int64_t width, const float* coefficients, float* sums,
                   std::int64_t begin, std::int64_t end);

/// lengths[i] = |rows_i|.
void row_lengths(const float* rows, std::int64_t width, float* lengths, std::int64_t begin,
                 std::int64_t end);

}  // namespace creg::cpu
