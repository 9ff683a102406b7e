#include "learn/linear/lbfgs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace creg::lbfgs_test {
namespace {

using Point = std::span<const double>;
using Slot = std::span<double>;

// The banana valley, n coordinates; its minimum is 0 at (1, …, 1).
double rosenbrock(Point x, Slot g) {
  double f = 0;
  for (double& value : g) value = 0;
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    const double a = x[i + 1] - x[i] * x[i];
    const double b = 1 - x[i];
    f += 100 * a * a + b * b;
    g[i] += -400 * a * x[i] - 2 * b;
    g[i + 1] += 200 * a;
  }
  return f;
}

TEST(Lbfgs, FindsTheEndOfAValley) {
  std::vector<double> x(10, -1.2);
  const LbfgsResult result = minimise_lbfgs(
      rosenbrock, x, {.max_iterations = 500, .gradient_tolerance = 1e-8, .decrease_tolerance = 0});
  EXPECT_EQ(result.end, LbfgsEnd::gradient);
  EXPECT_LE(result.largest_gradient, 1e-8);
  EXPECT_NEAR(result.iterations, 75, 2);  // SciPy 1.10's L-BFGS-B: 75, with 90 evaluations
  EXPECT_NEAR(result.evaluations, 90, 3);
  for (const double value : x) EXPECT_NEAR(value, 1, 1e-6);
}

TEST(Lbfgs, AQuadraticTakesAsManyIterationsAsElsewhere) {
  const auto quadratic = [](Point x, Slot g) {
    double f = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double scale = std::pow(10.0, static_cast<double>(i) / 3);
      g[i] = scale * (x[i] - 3);
      f += 0.5 * scale * (x[i] - 3) * (x[i] - 3);
    }
    return f;
  };
  std::vector<double> x(9, 0.0);
  const LbfgsResult result =
      minimise_lbfgs(quadratic, x, {.gradient_tolerance = 1e-6, .decrease_tolerance = 0});
  EXPECT_NEAR(result.iterations, 56, 2);  // SciPy: 56, with 62 evaluations
  EXPECT_NEAR(result.evaluations, 62, 3);
  for (const double value : x) EXPECT_NEAR(value, 3, 1e-5);
}

TEST(Lbfgs, StopsAsAsked) {
  std::vector<double> x(4, -1.2);
  EXPECT_EQ(minimise_lbfgs(rosenbrock, x, {.max_iterations = 3}).iterations, 3);
  x.assign(4, -1.2);
  EXPECT_EQ(minimise_lbfgs(rosenbrock, x, {.max_iterations = 3}).end, LbfgsEnd::iterations);
  x.assign(4, -1.2);
  EXPECT_EQ(minimise_lbfgs(rosenbrock, x, {.decrease_tolerance = 0.5}).end, LbfgsEnd::decrease);
  x.assign(4, 1.0);
  const LbfgsResult at_once = minimise_lbfgs(rosenbrock, x);
  EXPECT_EQ(at_once.end, LbfgsEnd::gradient);
  EXPECT_EQ(at_once.evaluations, 1);
  x.assign(4, -1.2);
  const LbfgsResult none = minimise_lbfgs(rosenbrock, x, {.max_iterations = 0});
  EXPECT_EQ(none.iterations, 0);
  EXPECT_EQ(x, std::vector<double>(4, -1.2));
}

TEST(Lbfgs, AWrongGradientEndsTheSearchWhereItWas) {
  const auto lying = [](Point x, Slot g) {
    g[0] = -1;  // says that f falls, but it rises
    return x[0];
  };
  std::vector<double> x = {0};
  const LbfgsResult result = minimise_lbfgs(lying, x);
  EXPECT_EQ(result.end, LbfgsEnd::line_search);
  EXPECT_EQ(x[0], 0);
  EXPECT_EQ(result.value, 0);
}

TEST(Lbfgs, AFunctionWithoutBottomOrWithHolesEnds) {
  const auto falling = [](Point x, Slot g) {
    g[0] = -1;
    return -x[0];
  };
  std::vector<double> x = {0};
  EXPECT_LE(minimise_lbfgs(falling, x).iterations, 150);

  const auto hole = [](Point at, Slot g) {
    g[0] = -1;
    return at[0] > 0.5 ? std::numeric_limits<double>::quiet_NaN() : -at[0];
  };
  x = {0};
  const LbfgsResult result = minimise_lbfgs(hole, x);
  EXPECT_EQ(result.end, LbfgsEnd::line_search);
  EXPECT_TRUE(std::isfinite(x[0]) && std::isfinite(result.value));
}

}  // namespace
}  // namespace creg::lbfgs_test
