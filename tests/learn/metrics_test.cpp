#include "creg/learn/metrics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "creg/core/error.h"

namespace creg::metrics_test {
namespace {

using Labels = std::vector<std::int32_t>;

TEST(Metrics, AccuracyIsAFraction) {
  EXPECT_EQ(accuracy(Labels{1, 2, 3, 4}, Labels{1, 2, 0, 4}), 0.75);
  EXPECT_EQ(accuracy(Labels{}, Labels{}), 0);
  EXPECT_THROW(accuracy(Labels{1}, Labels{}), Bug);
}

TEST(Metrics, TheStandardDeviationIsThePopulations) {
  const Summary summary = summarise({0.5, 0.7, 0.9});
  EXPECT_NEAR(summary.mean, 0.7, 1e-15);
  EXPECT_NEAR(summary.std, std::sqrt(0.08 / 3), 1e-15);
  EXPECT_EQ(summary.values.size(), 3U);
  EXPECT_EQ(summarise({0.4}).std, 0);
  EXPECT_THROW(summarise({}), Bug);
}

}  // namespace
}  // namespace creg::metrics_test
