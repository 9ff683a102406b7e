#include "kernels/kept_best.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace creg::kept_best_test {
namespace {

using kernels::JudgedStep;
using kernels::KeptBest;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Two parameters that are 10 · step and 10 · step + 1 after each step.
struct Judged {
  std::vector<float> a = std::vector<float>(70000, -1);
  std::vector<float> b = {-1};
  std::vector<std::vector<float>> kept_a = {a, a};
  std::vector<std::vector<float>> kept_b = {b, b};
  std::vector<JudgedStep> steps = {{.lowest = infinity}};
  float halt = 0;

  const JudgedStep& step(double loss, bool always) {
    const auto number = static_cast<float>(10 * steps.size());
    std::fill(a.begin(), a.end(), number);
    b = {number + 1};
    const std::vector<double> statistics = {loss, 5.5 + number};
    JudgedStep after;
    KeptBest values{.count = 2,
                    .statistics = statistics.data(),
                    .numbers = 2,
                    .before = &steps.back(),
                    .after = &after,
                    .halt = &halt,
                    .always = always};
    values.parameters[0] = {70000, a.data(), {kept_a[0].data(), kept_a[1].data()}};
    values.parameters[1] = {1, b.data(), {kept_b[0].data(), kept_b[1].data()}};
    const OneWorker worker;
    cpu::keep_best({.workers = &worker}, values);
    EXPECT_EQ(after.statistics[1], 5.5 + number);
    steps.push_back(after);
    return steps.back();
  }

  void expect_best(float number) const {
    const auto slot = static_cast<std::size_t>(steps.back().slot);
    EXPECT_EQ(kept_a[slot].front(), number);
    EXPECT_EQ(kept_a[slot].back(), number);
    EXPECT_EQ(kept_b[slot].front(), number < 0 ? number : number + 1);
  }
};

TEST(KeepBest, TheLatestOfTheLowestLossesIsKeptAndWhatWasBefore) {
  Judged run;
  run.step(3, false);
  run.expect_best(10);
  EXPECT_EQ(run.step(4, false).lowest, 3);
  run.expect_best(10);
  run.step(3, false);  // as low
  run.expect_best(30);
  EXPECT_EQ(run.kept_a[static_cast<std::size_t>(1 - run.steps.back().slot)].front(), 10);
  EXPECT_EQ(run.step(-1, false).lowest, -1);
  run.expect_best(40);
  EXPECT_EQ(run.halt, 0);
}

TEST(KeepBest, EveryStepIsKeptWhereTheLastCounts) {
  Judged run;
  run.step(3, true);
  EXPECT_EQ(run.step(4, true).lowest, 3);
  run.expect_best(20);
}

TEST(KeepBest, NothingCountsAfterALossThatIsNotFinite) {
  for (const double bad : {not_a_number, infinity, -infinity}) {
    for (const bool always : {false, true}) {
      Judged run;
      run.step(3, always);
      EXPECT_EQ(run.step(bad, always).halted, 1);
      EXPECT_TRUE(std::isnan(run.halt));
      EXPECT_EQ(run.steps.back().lowest, 3);
      run.step(1, always);
      EXPECT_EQ(run.steps.back().lowest, 3);
      EXPECT_EQ(run.steps.back().halted, 1);
      EXPECT_EQ(run.steps.back().statistics[0], 1);
      run.expect_best(10);
    }
  }
}

}  // namespace
}  // namespace creg::kept_best_test
