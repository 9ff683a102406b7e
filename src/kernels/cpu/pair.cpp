#include "kernels/pair.h"

#include <cmath>

#include "kernels/row_combine.h"
#include "kernels/target_clones.h"

namespace creg::cpu {

CREG_TARGET_CLONES
PairSums score_pairs(const PairScores& scores, std::int64_t begin, std::int64_t end) {
  PairSums sums;
  const int positives = scores.positive_count;
  const int negatives = scores.negative_count;
  const float mean = 1.0F / static_cast<float>(positives);
  for (std::int64_t m = begin; m < end; ++m) {
    const std::int64_t id = scores.ids == nullptr ? m : scores.ids[m];
    const float* const anchor = scores.anchors + id * scores.width;
    float* const coefficients = scores.coefficients + m * (positives + negatives);

    float dot = 0;
    for (int p = 0; p < positives; ++p) {
      const float* row = scores.rows + scores.positives[m * positives + p] * scores.width;
      dot += dot_rows(anchor, row, scores.width);
    }
    const Logistic positive = log_sigmoid_loss(scores.scale * mean * dot, scores.naive);
    sums.loss += positive.loss;
    sums.positive_sigma += positive.sigma;
    const float pull = positive.derivative * scores.scale * scores.share * mean;
    for (int p = 0; p < positives; ++p) coefficients[p] = pull;

    for (int k = 0; k < negatives; ++k) {
      const float* row = scores.rows + scores.negatives[m * negatives + k] * scores.width;
      const Logistic negative =
          log_complement_loss(scores.scale * dot_rows(anchor, row, scores.width), scores.naive);
      sums.loss += negative.loss;
      sums.negative_sigma += negative.sigma;
      coefficients[positives + k] = negative.derivative * scores.scale * scores.share;
    }

    if (scores.d_anchors == nullptr) continue;
    // The pair's rows were just read: their weighted sum, the anchor's gradient, costs one write.
    float* const gradient = scores.d_anchors + id * scores.width;
    for (int e = 0; e < positives + negatives; e += 4) {
      const int count = positives + negatives - e < 4 ? positives + negatives - e : 4;
      const float* rows[4] = {};
      for (int i = 0; i < count; ++i) {
        const int pair = e + i;
        const std::int32_t row = pair < positives
                                     ? scores.positives[m * positives + pair]
                                     : scores.negatives[m * negatives + (pair - positives)];
        rows[i] = scores.rows + row * scores.width;
      }
      combine_rows(gradient, rows, coefficients + e, count, scores.width, e > 0);
    }
  }
  return sums;
}

CREG_TARGET_CLONES
EdgeSums score_edges(const EdgeScores& scores, std::int64_t begin, std::int64_t end) {
  EdgeSums sums;
  for (std::int64_t a = begin; a < end; ++a) {
    const std::int64_t first = scores.offsets[a];
    const std::int64_t last = scores.offsets[a + 1];
    const float* const anchor = scores.anchors + a * scores.width;
    for (std::int64_t e = first; e < last; ++e) {
      const float* const row = scores.rows + scores.columns[e] * scores.width;
      const float score = scores.scale * dot_rows(anchor, row, scores.width);
      const Logistic value = scores.positive ? log_sigmoid_loss(score, scores.naive)
                                             : log_complement_loss(score, scores.naive);
      sums.loss += value.loss;
      sums.sigma += value.sigma;
      scores.coefficients[e] = value.derivative * scores.scale * scores.share;
    }
    if (scores.d_anchors == nullptr) continue;
    float* const gradient = scores.d_anchors + a * scores.width;
    if (first == last) {
      for (std::int64_t j = 0; j < scores.width; ++j) gradient[j] = 0;
    }
    for (std::int64_t e = first; e < last; e += 4) {
      const int count = last - e < 4 ? static_cast<int>(last - e) : 4;
      const float* rows[4] = {};
      for (int i = 0; i < count; ++i) {
        rows[i] = scores.rows + scores.columns[e + i] * scores.width;
      }
      combine_rows(gradient, rows, scores.coefficients + e, count, scores.width, e > first);
    }
  }
  return sums;
}

CREG_TARGET_CLONES
double score_direction(const float* h, const float* u, std::int64_t width, float target,
                       float share, bool naive, float* coefficients, std::int64_t begin,
                       std::int64_t end) {
  double loss = 0;
  for (std::int64_t i = begin; i < end; ++i) {
    const float dot = dot_rows(h + i * width, u, width);
    const Logistic value =
        target > 0 ? log_sigmoid_loss(dot, naive) : log_complement_loss(dot, naive);
    loss += value.loss;
    coefficients[i] = value.derivative * share;
  }
  return loss;
}

CREG_TARGET_CLONES
void spread_direction(const float* u, std::int64_t width, const float* coefficients, float* d_h,
                      std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i) {
    combine_rows(d_h + i * width, &u, coefficients + i, 1, width, false);
  }
}

CREG_TARGET_CLONES
void sum_direction(const float* h, std::int64_t width, const float* coefficients, float* sums,
                   std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; i += 4) {
    const int count = end - i < 4 ? static_cast<int>(end - i) : 4;
    const float* rows[4] = {};
    for (int l = 0; l < count; ++l) rows[l] = h + (i + l) * width;
    combine_rows(sums, rows, coefficients + i, count, width, true);
  }
}

CREG_TARGET_CLONES
void row_lengths(const float* rows, std::int64_t width, float* lengths, std::int64_t begin,
                 std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i) {
    const float* const row = rows + i * width;
    lengths[i] = std::sqrt(dot_rows(row, row, width));
  }
}

}  // namespace creg::cpu
