// Losses over sampled pairs: scores, losses and gradients together, and the pairs turned round.
#pragma once

#include <cstdint>

#include "kernels/launch.h"

namespace creg::kernels {

/// Anchors whose losses are summed in one piece, whatever the number of threads.
inline constexpr std::int64_t anchors_per_sum = 256;

struct PairScores {
  std::int64_t count = 0;                   ///< M anchors
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
  /// One value each: the mean over anchors, and mean sigmas of the pairs' scores.
  float* loss = nullptr;
  double* positive_sigma = nullptr;
  double* negative_sigma = nullptr;
};

/// Pairs in compressed rows: anchor a meets rows columns[offsets[a] .. offsets[a+1]).
struct EdgeScores {
  std::int64_t count = 0;          ///< of anchors
  std::int64_t pairs = 0;          ///< of all of them
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
  /// The anchors' gradient, all rows written; null: not wanted.
  float* d_anchors = nullptr;
  /// One value each: the means over pairs.
  float* loss = nullptr;
  double* sigma = nullptr;
};

/// Rows of h against one vector: the mean loss, and per row d loss / d(h_i·u).
struct DirectionScores {
  std::int64_t count = 0;
  std::int64_t width = 0;
  const float* h = nullptr;
  const float* u = nullptr;
  float target = 1;  ///< +1 or -1
  float share = 1;   ///< 1 / count
  bool naive = false;
  float* coefficients = nullptr;
  float* loss = nullptr;
};

/// The gradients of both sides of these scores; null where not wanted.
struct DirectionGradient {
  std::int64_t count = 0;
  std::int64_t width = 0;
  const float* h = nullptr;
  const float* u = nullptr;
  const float* coefficients = nullptr;
  float* d_h = nullptr;   ///< d_h[i] = coefficient_i · u
  float* sums = nullptr;  ///< [sum_pieces(count), width]: coefficient_i · h_i, piece by piece
};

/// Who met each row, and with which coefficient: pairs turned round. Anchors of a row come in
/// their order, and the pairs of one anchor in theirs.
struct TurnedPairs {
  std::int64_t rows = 0;
  std::int64_t* offsets = nullptr;  ///< [rows + 1]
  std::int32_t* anchors = nullptr;
  float* coefficients = nullptr;
};

/// values *= factor.
struct ScaledInPlace {
  float* values = nullptr;
  std::int64_t count = 0;
  const float* factor = nullptr;
};

/// Lengths of rows: their mean and their unbiased variance, 0 for a single row.
struct LengthStatistics {
  const float* rows = nullptr;
  std::int64_t count = 0;
  std::int64_t width = 0;
  float* lengths = nullptr;  ///< [count], for the kernel's own use
  double* mean = nullptr;
  double* variance = nullptr;
};

}  // namespace creg::kernels

namespace creg::cpu {

void score_pairs(const Launch& launch, const kernels::PairScores& scores);
void score_edges(const Launch& launch, const kernels::EdgeScores& scores);
/// Of pairs whose coefficients are there.
void turn_pairs(const Launch& launch, const kernels::PairScores& scores,
                const kernels::TurnedPairs& turned);
void turn_edges(const Launch& launch, const kernels::EdgeScores& scores,
                const kernels::TurnedPairs& turned);

void score_direction(const Launch& launch, const kernels::DirectionScores& scores);
void direction_gradient(const Launch& launch, const kernels::DirectionGradient& gradient);

void length_statistics(const Launch& launch, const kernels::LengthStatistics& statistics);

}  // namespace creg::cpu

namespace creg::cuda {

void score_pairs(const Launch& launch, const kernels::PairScores& scores);
void score_edges(const Launch& launch, const kernels::EdgeScores& scores);
void turn_pairs(const Launch& launch, const kernels::PairScores& scores,
                const kernels::TurnedPairs& turned);
void turn_edges(const Launch& launch, const kernels::EdgeScores& scores,
                const kernels::TurnedPairs& turned);
void score_direction(const Launch& launch, const kernels::DirectionScores& scores);
void direction_gradient(const Launch& launch, const kernels::DirectionGradient& gradient);
/// Nothing is touched where the factor is 1, as it is where a loss is what is minimised.
void scale_in_place(const Launch& launch, const kernels::ScaledInPlace& scaled);
void length_statistics(const Launch& launch, const kernels::LengthStatistics& statistics);

}  // namespace creg::cuda
