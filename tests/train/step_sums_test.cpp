#include "train/loop/step_sums.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <limits>

#include "support/expect_error.h"

namespace creg::step_sums_test {
namespace {

StepStatistics step_of(double first, std::int64_t anchors, double seconds) {
  const at::Tensor values = at::arange(8, at::kDouble) + first;
  return {.values = values, .anchors = anchors, .epoch = 6, .lr = 0.5, .seconds = seconds};
}

TEST(StepSums, MeansAreOverTheNodesOfAllSteps) {
  StepSums sums;
  sums.add(step_of(1, 30, 0.5));
  sums.add(step_of(5, 10, 0.25));
  const EpochStatistics mean = sums.mean();
  EXPECT_EQ(sums.steps(), 2);
  EXPECT_EQ(mean.epoch, 6);
  EXPECT_EQ(mean.anchors, 40);
  EXPECT_EQ(mean.seconds, 0.75);
  EXPECT_EQ(mean.lr, 0.5);
  EXPECT_NEAR(mean.loss, (30 * 1 + 10 * 5) / 40.0, 1e-12);
  EXPECT_NEAR(mean.contrast, mean.loss + 1, 1e-12);
  EXPECT_NEAR(mean.ratio, mean.loss + 7, 1e-12);
}

TEST(StepSums, WithoutAnyNodeTheyAreZero) {
  StepSums sums;
  sums.add(step_of(1, 0, 0.5));
  sums.add(step_of(5, 0, 0.25));
  EXPECT_EQ(sums.mean().loss, 0);
  EXPECT_EQ(sums.mean().anchors, 0);
}

TEST(StepSums, ComeBackFromTheirNumbers) {
  StepSums sums;
  sums.add(step_of(1, 30, 0.5));
  StepSums again;
  again.put_back(sums.tensor(), 1);
  for (StepSums* one : {&sums, &again}) one->add(step_of(5, 10, 0.25));
  EXPECT_EQ(again.steps(), 2);
  EXPECT_EQ(again.mean().loss, sums.mean().loss);
  EXPECT_EQ(again.mean().ratio, sums.mean().ratio);
  EXPECT_EQ(again.mean().anchors, 40);
  EXPECT_EQ(again.mean().seconds, 0.75);
}

TEST(StepSums, NumbersThatNoRunHasAreRefused) {
  const double infinity = std::numeric_limits<double>::infinity();
  const at::Tensor good = StepSums().tensor();
  ASSERT_EQ(good.numel(), 10);
  StepSums sums;
  EXPECT_NO_THROW(sums.put_back(good, 0));
  const auto refused = [&](const at::Tensor& tensor) {
    test::expect_error([&] { sums.put_back(tensor, 1); }, {"sums over the batches"});
  };
  for (const double nodes : {-1.0, 9.1e15, infinity, -infinity}) {
    at::Tensor wrong = good.clone();
    wrong[8] = nodes;
    refused(wrong);
  }
  for (const double seconds : {-0.5, infinity, std::numeric_limits<double>::quiet_NaN()}) {
    at::Tensor wrong = good.clone();
    wrong[9] = seconds;
    refused(wrong);
  }
  refused(good.to(at::kFloat));
  refused(good.narrow(0, 0, 9));
}

}  // namespace
}  // namespace creg::step_sums_test
