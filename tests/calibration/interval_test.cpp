#include "calibration/interval.h"

#include <gtest/gtest.h>

namespace creg::interval_test {
namespace {

TEST(MiddleInterval, LiesBetweenTheNearestValues) {
  std::vector<double> values;
  for (int i = 100; i >= 0; --i) values.push_back(i);
  const Interval found = middle_interval(values);
  EXPECT_NEAR(found.low, 2.5, 1e-12);
  EXPECT_NEAR(found.high, 97.5, 1e-12);
}

TEST(MiddleInterval, OfOneValueIsThatValue) {
  const Interval found = middle_interval({4});
  EXPECT_EQ(found.low, 4);
  EXPECT_EQ(found.high, 4);
}

}  // namespace
}  // namespace creg::interval_test
