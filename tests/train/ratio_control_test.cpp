#include "train/loop/ratio_control.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <limits>

namespace creg::ratio_control_test {
namespace {

at::Tensor number(double value) {
  return at::full({}, value, at::kDouble);
}

double after(RatioControl& control, double sigma, int steps, double loss = 1) {
  for (int i = 0; i < steps; ++i) control.follow(number(sigma), number(loss));
  return control.value().item<double>();
}

RatioControl automatic() {
  return {Context(), {.contrast = true, .ratio = 1, .auto_ratio = true, .target_sigma = 0.9}};
}

TEST(RatioControl, GrowsByTheExponentialOfTheDistance) {
  RatioControl control = automatic();
  EXPECT_TRUE(control.follows());
  EXPECT_NEAR(after(control, 0.5, 3), std::exp(3 * 0.05 * (0.5 - 0.9)), 1e-12);
  EXPECT_NEAR(control.weighted(at::full({}, 2.0F)).item<double>(),
              2 * std::exp(3 * 0.05 * (0.5 - 0.9)), 1e-6);
}

TEST(RatioControl, StaysBetweenATenthAndAHundred) {
  RatioControl control = automatic();
  EXPECT_EQ(after(control, 0, 100), 0.1);
  EXPECT_EQ(after(control, 0, 1), 0.1);
  EXPECT_EQ(after(control, 1, 3000), 100);
}

TEST(RatioControl, ALossThatIsNotFiniteTeachesNothing) {
  RatioControl control = automatic();
  control.set(7);
  EXPECT_EQ(after(control, 0.1, 1, std::numeric_limits<double>::infinity()), 7);
  EXPECT_EQ(after(control, 0.1, 1, std::nan("")), 7);
}

TEST(RatioControl, IsFixedOtherwise) {
  const RatioControl fixed(Context(), {.contrast = true, .ratio = 3, .auto_ratio = false});
  EXPECT_FALSE(fixed.follows());
  EXPECT_EQ(fixed.value().item<double>(), 3);
  EXPECT_EQ(fixed.weighted(at::full({}, 2.0F)).item<double>(), 6);
  const RatioControl none(Context(), {.contrast = false, .ratio = 3, .auto_ratio = true});
  EXPECT_FALSE(none.follows());
  EXPECT_EQ(none.value().item<double>(), 0);
  EXPECT_EQ(none.weighted(at::full({}, 2.0F)).item<double>(), 0);
}

}  // namespace
}  // namespace creg::ratio_control_test
