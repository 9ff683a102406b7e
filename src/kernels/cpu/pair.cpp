#include "kernels/cpu/pair.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "kernels/cpu/row_ranges.h"
#include "kernels/logistic.h"
#include "kernels/row_combine.h"
#include "kernels/target_clones.h"

namespace creg::cpu {

using kernels::anchors_per_sum;
using kernels::DirectionGradient;
using kernels::DirectionScores;
using kernels::EdgeScores;
using kernels::LengthStatistics;
using kernels::log_complement_loss;
using kernels::log_sigmoid_loss;
using kernels::Logistic;
using kernels::PairScores;
using kernels::TurnedPairs;

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
double score_direction(const DirectionScores& scores, std::int64_t begin, std::int64_t end) {
  double loss = 0;
  const std::int64_t width = scores.width;
  for (std::int64_t i = begin; i < end; ++i) {
    const float dot = dot_rows(scores.h + i * width, scores.u, width);
    const Logistic value = scores.target > 0 ? log_sigmoid_loss(dot, scores.naive)
                                             : log_complement_loss(dot, scores.naive);
    loss += value.loss;
    scores.coefficients[i] = value.derivative * scores.share;
  }
  return loss;
}

CREG_TARGET_CLONES
void spread_direction(const DirectionGradient& gradient, std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i) {
    combine_rows(gradient.d_h + i * gradient.width, &gradient.u, gradient.coefficients + i, 1,
                 gradient.width, false);
  }
}

CREG_TARGET_CLONES
void sum_direction(const DirectionGradient& gradient, float* sums, std::int64_t begin,
                   std::int64_t end) {
  for (std::int64_t i = begin; i < end; i += 4) {
    const int count = end - i < 4 ? static_cast<int>(end - i) : 4;
    const float* rows[4] = {};
    for (int l = 0; l < count; ++l) rows[l] = gradient.h + (i + l) * gradient.width;
    combine_rows(sums, rows, gradient.coefficients + i, count, gradient.width, true);
  }
}

CREG_TARGET_CLONES
void row_lengths(const LengthStatistics& statistics, std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i) {
    const float* const row = statistics.rows + i * statistics.width;
    statistics.lengths[i] = std::sqrt(dot_rows(row, row, statistics.width));
  }
}

namespace {

/// Sums of fixed pieces of the anchors, for adding up in order.
template <class Sums, class Body>
std::vector<Sums> sums_of_pieces(const Workers& workers, std::int64_t count, const Body& body) {
  const std::int64_t pieces = (count + anchors_per_sum - 1) / anchors_per_sum;
  std::vector<Sums> sums(static_cast<std::size_t>(pieces));
  workers.for_ranges(pieces, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t piece = first; piece < last; ++piece) {
      sums[static_cast<std::size_t>(piece)] =
          body(piece * anchors_per_sum, std::min((piece + 1) * anchors_per_sum, count));
    }
  });
  return sums;
}

/// Fills TurnedPairs in two rounds over the pairs: count them all, then put them in the same order.
class Turning {
 public:
  explicit Turning(const TurnedPairs& turned) : turned_(turned) {
    std::fill(turned.offsets, turned.offsets + turned.rows + 1, 0);
  }

  void count(std::int32_t row) { ++turned_.offsets[row + 1]; }
  void start_putting() {
    std::inclusive_scan(turned_.offsets, turned_.offsets + turned_.rows + 1, turned_.offsets);
    next_.assign(turned_.offsets, turned_.offsets + turned_.rows);
  }
  void put(std::int32_t row, std::int32_t anchor, float coefficient) {
    const std::int64_t slot = next_[static_cast<std::size_t>(row)]++;
    turned_.anchors[slot] = anchor;
    turned_.coefficients[slot] = coefficient;
  }

 private:
  TurnedPairs turned_;
  std::vector<std::int64_t> next_;
};

}  // namespace

void score_pairs(const Launch& launch, const PairScores& scores) {
  PairSums total;
  for (const PairSums& sum : sums_of_pieces<PairSums>(
           *launch.workers, scores.count,
           [&](std::int64_t begin, std::int64_t end) { return score_pairs(scores, begin, end); })) {
    total.loss += sum.loss;
    total.positive_sigma += sum.positive_sigma;
    total.negative_sigma += sum.negative_sigma;
  }
  const auto seen = static_cast<double>(std::max<std::int64_t>(scores.count, 1));
  *scores.loss = static_cast<float>(total.loss / seen);
  *scores.positive_sigma = total.positive_sigma / seen;
  *scores.negative_sigma = total.negative_sigma / (seen * scores.negative_count);
}

void score_edges(const Launch& launch, const EdgeScores& scores) {
  EdgeSums total;
  for (const EdgeSums& sum : sums_of_pieces<EdgeSums>(
           *launch.workers, scores.count,
           [&](std::int64_t begin, std::int64_t end) { return score_edges(scores, begin, end); })) {
    total.loss += sum.loss;
    total.sigma += sum.sigma;
  }
  const auto seen = static_cast<double>(scores.pairs);
  *scores.loss = static_cast<float>(total.loss / seen);
  *scores.sigma = total.sigma / seen;
}

void turn_pairs(const Launch& /*launch*/, const PairScores& scores, const TurnedPairs& turned) {
  const int positives = scores.positive_count;
  const int negatives = scores.negative_count;
  Turning turning(turned);
  for (std::int64_t i = 0; i < scores.count * positives; ++i) turning.count(scores.positives[i]);
  for (std::int64_t i = 0; i < scores.count * negatives; ++i) turning.count(scores.negatives[i]);
  turning.start_putting();
  for (std::int64_t m = 0; m < scores.count; ++m) {
    const std::int32_t id = scores.ids == nullptr ? static_cast<std::int32_t>(m) : scores.ids[m];
    const float* const coefficients = scores.coefficients + m * (positives + negatives);
    for (int p = 0; p < positives; ++p) {
      turning.put(scores.positives[m * positives + p], id, coefficients[p]);
    }
    for (int k = 0; k < negatives; ++k) {
      turning.put(scores.negatives[m * negatives + k], id, coefficients[positives + k]);
    }
  }
}

void turn_edges(const Launch& /*launch*/, const EdgeScores& scores, const TurnedPairs& turned) {
  Turning turning(turned);
  for (std::int64_t e = 0; e < scores.pairs; ++e) turning.count(scores.columns[e]);
  turning.start_putting();
  for (std::int64_t a = 0; a < scores.count; ++a) {
    for (std::int64_t e = scores.offsets[a]; e < scores.offsets[a + 1]; ++e) {
      turning.put(scores.columns[e], static_cast<std::int32_t>(a), scores.coefficients[e]);
    }
  }
}

void score_direction(const Launch& launch, const DirectionScores& scores) {
  double total = 0;
  for (const double sum : sums_of_pieces<double>(*launch.workers, scores.count,
                                                 [&](std::int64_t begin, std::int64_t end) {
                                                   return score_direction(scores, begin, end);
                                                 })) {
    total += sum;
  }
  *scores.loss =
      static_cast<float>(total / static_cast<double>(std::max<std::int64_t>(scores.count, 1)));
}

void direction_gradient(const Launch& launch, const DirectionGradient& gradient) {
  if (gradient.d_h != nullptr) {
    launch.workers->for_ranges(
        gradient.count, kernels::rows_per_sum,
        [&](std::int64_t begin, std::int64_t end) { spread_direction(gradient, begin, end); });
  }
  if (gradient.sums == nullptr) return;
  for_sum_pieces(*launch.workers, gradient.count, gradient.width, gradient.sums,
                 [&](std::int64_t begin, std::int64_t end, float* sums) {
                   sum_direction(gradient, sums, begin, end);
                 });
}

void length_statistics(const Launch& launch, const LengthStatistics& statistics) {
  const std::int64_t count = statistics.count;
  launch.workers->for_ranges(
      count, kernels::rows_per_sum,
      [&](std::int64_t begin, std::int64_t end) { row_lengths(statistics, begin, end); });
  const float* const lengths = statistics.lengths;
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += lengths[i];
  const double mean = count == 0 ? 0 : sum / static_cast<double>(count);
  double squares = 0;
  for (std::int64_t i = 0; i < count; ++i) squares += (lengths[i] - mean) * (lengths[i] - mean);
  *statistics.mean = mean;
  *statistics.variance = count < 2 ? 0 : squares / static_cast<double>(count - 1);
}

}  // namespace creg::cpu
