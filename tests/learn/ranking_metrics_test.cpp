#include "learn/ranking_metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "support/expect_error.h"
#include "support/temp_dir.h"
#include "support/test_data.h"

namespace creg::ranking_metrics_test {
namespace {

using Scores = std::vector<float>;

TEST(RankingMetrics, AgreeWithScikitLearn) {
  const auto cases = nlohmann::json::parse(
      test::read_text(test::source_dir() / "tests/learn/ranking_golden.json"));
  ASSERT_EQ(cases.size(), 11U);
  for (const auto& one : cases) {
    const Ranking found =
        rank_scores(one["positives"].get<Scores>(), one["negatives"].get<Scores>());
    EXPECT_NEAR(found.auc, one["auc"].get<double>(), 1e-14) << one["name"];
    EXPECT_NEAR(found.average_precision, one["ap"].get<double>(), 1e-14) << one["name"];
  }
}

TEST(RankingMetrics, ExtremesAreExact) {
  EXPECT_EQ(rank_scores(Scores{2, 1}, Scores{0}).auc, 1);
  EXPECT_EQ(rank_scores(Scores{0}, Scores{2, 1}).auc, 0);
  EXPECT_EQ(rank_scores(Scores{1, 1, 1}, Scores{1, 1}).auc, 0.5);
  EXPECT_EQ(rank_scores(Scores{2, 1}, Scores{0}).average_precision, 1);
  constexpr float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(rank_scores(Scores{infinity}, Scores{-infinity, 0}).auc, 1);
}

TEST(RankingMetrics, OneClassHasNone) {
  test::expect_error([] { rank_scores(Scores{1}, Scores{}); },
                     {"one class only", "no negative pairs"});
  test::expect_error([] { rank_scores(Scores{}, Scores{1}); }, {"no positive pairs"});
  test::expect_error([] { rank_scores(Scores{1, std::nanf("")}, Scores{1}); }, {"NaN"});
  test::expect_error([] { rank_scores(Scores{1}, Scores{std::nanf("")}); }, {"NaN"});
}

}  // namespace
}  // namespace creg::ranking_metrics_test
