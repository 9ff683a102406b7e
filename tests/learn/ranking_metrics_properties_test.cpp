#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "learn/ranking_metrics.h"

namespace creg::ranking_metrics_properties_test {
namespace {

using Scores = std::vector<float>;

// Few levels: ties inside and across the classes are the rule.
Scores some_scores() {
  const auto count = *rc::gen::inRange<std::size_t>(1, 30);
  Scores scores;
  for (std::size_t i = 0; i < count; ++i) {
    scores.push_back(static_cast<float>(*rc::gen::inRange(-6, 7)));
  }
  return scores;
}

RC_GTEST_PROP(RankingMetricsProperties, AucCountsPairs, ()) {
  const Scores positives = some_scores();
  const Scores negatives = some_scores();
  double right = 0;
  for (const float p : positives) {
    for (const float n : negatives) right += p > n ? 1 : p == n ? 0.5 : 0;
  }
  const double wanted =
      right / (static_cast<double>(positives.size()) * static_cast<double>(negatives.size()));
  RC_ASSERT(std::abs(rank_scores(positives, negatives).auc - wanted) < 1e-14);
  // Turned round, the classes change places.
  RC_ASSERT(std::abs(rank_scores(negatives, positives).auc - (1 - wanted)) < 1e-14);
}

RC_GTEST_PROP(RankingMetricsProperties, AveragePrecisionIsItsDefinition, ()) {
  const Scores positives = some_scores();
  const Scores negatives = some_scores();
  const auto at_least = [](const Scores& scores, float threshold) {
    return static_cast<double>(
        std::count_if(scores.begin(), scores.end(), [&](float s) { return s >= threshold; }));
  };
  double wanted = 0;
  double recall_before = 0;
  for (int level = 6; level >= -6; --level) {
    const double hits = at_least(positives, static_cast<float>(level));
    const double others = at_least(negatives, static_cast<float>(level));
    if (hits + others == 0) continue;
    const double recall = hits / static_cast<double>(positives.size());
    wanted += (recall - recall_before) * hits / (hits + others);
    recall_before = recall;
  }
  RC_ASSERT(std::abs(rank_scores(positives, negatives).average_precision - wanted) < 1e-12);
}

}  // namespace
}  // namespace creg::ranking_metrics_properties_test
