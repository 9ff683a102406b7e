#include "learn/ranking_metrics.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "creg/core/error.h"

namespace creg {
namespace {

std::vector<float> descending(std::span<const float> scores, const char* kind) {
  if (scores.empty()) {
    fail_input({.what = "scores of one class only have no AUC",
                .found = std::string("no ") + kind + " pairs",
                .expected = "at least one positive and one negative"});
  }
  if (std::any_of(scores.begin(), scores.end(), [](float x) { return std::isnan(x); })) {
    fail_input({.what = "a score that is not a number cannot be ranked", .found = "NaN"});
  }
  std::vector<float> sorted(scores.begin(), scores.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  return sorted;
}

}  // namespace

Ranking rank_scores(std::span<const float> positives, std::span<const float> negatives) {
  const std::vector<float> above = descending(positives, "positive");
  const std::vector<float> below = descending(negatives, "negative");
  const auto p_count = static_cast<double>(above.size());
  const auto n_count = static_cast<double>(below.size());
  Ranking ranking;
  // Twice the pairs in order, ties once: whole numbers, so that nothing is rounded.
  std::uint64_t twice_in_order = 0;
  std::size_t p = 0;
  std::size_t n = 0;
  while (p < above.size()) {
    const float score = above[p];
    while (n < below.size() && below[n] > score) ++n;
    std::size_t equal_p = p;
    while (equal_p < above.size() && above[equal_p] == score) ++equal_p;
    std::size_t equal_n = n;
    while (equal_n < below.size() && below[equal_n] == score) ++equal_n;
    const std::uint64_t group = equal_p - p;
    twice_in_order += group * (2 * (below.size() - equal_n) + (equal_n - n));
    // Scores of negatives alone change no recall, so that only those of positives count.
    ranking.average_precision += static_cast<double>(group) / p_count *
                                 static_cast<double>(equal_p) /
                                 static_cast<double>(equal_p + equal_n);
    p = equal_p;
    n = equal_n;
  }
  ranking.auc = static_cast<double>(twice_in_order) / (2 * p_count * n_count);
  return ranking;
}

}  // namespace creg
