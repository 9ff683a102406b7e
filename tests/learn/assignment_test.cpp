#include "learn/assignment.h"

#include <gtest/gtest.h>

#include <limits>

#include "creg/core/error.h"

namespace creg::assignment_test {
namespace {

using Columns = std::vector<std::int32_t>;

TEST(Assignment, GivesUpACheapPairForACheaperWhole) {
  EXPECT_EQ(least_cost_assignment(std::vector<double>{1, 2, 2, 9}, 2, 2), (Columns{1, 0}));
  EXPECT_EQ(least_cost_assignment(std::vector<double>{4, 1, 3, 2, 0, 5, 3, 2, 2}, 3, 3),
            (Columns{1, 0, 2}));
}

TEST(Assignment, LeavesOverWhatTheOtherSideHasTooMany) {
  EXPECT_EQ(least_cost_assignment(std::vector<double>{5, 1, 3, 4, 0, 9}, 2, 3), (Columns{2, 1}));
  EXPECT_EQ(least_cost_assignment(std::vector<double>{5, 4, 1, 0, 3, 9}, 3, 2),
            (Columns{-1, 1, 0}));
  EXPECT_EQ(least_cost_assignment({}, 2, 0), (Columns{-1, -1}));
  EXPECT_EQ(least_cost_assignment({}, 0, 3), Columns{});
}

TEST(Assignment, WantsACostForEveryPair) {
  EXPECT_THROW(least_cost_assignment(std::vector<double>{1, 2, 3}, 2, 2), Bug);
  EXPECT_THROW(
      least_cost_assignment(std::vector<double>{std::numeric_limits<double>::infinity()}, 1, 1),
      Bug);
}

}  // namespace
}  // namespace creg::assignment_test
