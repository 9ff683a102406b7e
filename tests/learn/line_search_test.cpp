#include "learn/linear/line_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "creg/core/random.h"

namespace creg::line_search_test {
namespace {

using learn::LineSearch;
using learn::WolfeConditions;

/// MINPACK-2's dcsrch and dcstep as published, variable by variable; but for roots of what is below
/// zero, which are 0, and without a least step.
class Published {
 public:
  Published(double f, double g, double step, const WolfeConditions& how)
      : ftol(how.decrease),
        gtol(how.curvature),
        xtol(how.width),
        stpmax(how.longest),
        finit(f),
        ginit(g),
        fx(f),
        dx(g),
        fy(f),
        dy(g),
        stp(step),
        stmax(step + 4 * step),
        width(how.longest),
        width1(2 * how.longest) {}

  bool advance(double f, double g) {
    const double gtest = ftol * ginit;
    const double ftest = finit + stp * gtest;
    if (stage == 1 && f <= ftest && g >= 0) stage = 2;
    bool over = false;
    if (brackt && (stp <= stmin || stp >= stmax)) over = true;
    if (brackt && stmax - stmin <= xtol * stmax) over = true;
    if (stp == stpmax && f <= ftest && g <= gtest) over = true;
    if (f <= ftest && std::abs(g) <= gtol * (-ginit)) over = true;
    if (over) return true;
    if (stage == 1 && f <= fx && f > ftest) {
      fx -= stx * gtest;
      fy -= sty * gtest;
      dx -= gtest;
      dy -= gtest;
      dcstep(f - stp * gtest, g - gtest);
      fx += stx * gtest;
      fy += sty * gtest;
      dx += gtest;
      dy += gtest;
    } else {
      dcstep(f, g);
    }
    if (brackt) {
      if (std::abs(sty - stx) >= 0.66 * width1) stp = stx + 0.5 * (sty - stx);
      width1 = width;
      width = std::abs(sty - stx);
      stmin = std::min(stx, sty);
      stmax = std::max(stx, sty);
    } else {
      stmin = stp + 1.1 * (stp - stx);
      stmax = stp + 4 * (stp - stx);
    }
    stp = std::max(0.0, std::min(stp, stpmax));
    if (brackt && (stp <= stmin || stp >= stmax || stmax - stmin <= xtol * stmax)) stp = stx;
    return false;
  }

  double step() const { return stp; }
  /// What is decided at a value `f` hangs on the rounding of steps.
  bool doubtful(double f) const {
    const auto close = [](double a, double b) {
      return a != b && std::abs(a - b) <= 1e-9 * (1 + std::abs(a));
    };
    const double gtest = ftol * ginit;
    const double line = finit + stp * gtest;
    const bool value = std::abs(f - line) < 1e-9 || std::abs(f - fx - (stp - stx) * gtest) < 1e-9;
    const bool ends = close(stp, stmin) || close(stp, stmax) || close(stp, stx) || close(stp, sty);
    return value || (brackt && (ends || stmax - stmin < 1e-6 * stmax));
  }

 private:
  static double root(double theta, double a, double b) {
    const double s = std::max({std::abs(theta), std::abs(a), std::abs(b)});
    return s * std::sqrt(std::max(0.0, (theta / s) * (theta / s) - (a / s) * (b / s)));
  }

  void dcstep(double fp, double dp) {
    const double sgnd = dp * (dx / std::abs(dx));
    const double theta = 3 * (fx - fp) / (stp - stx) + dx + dp;
    const double stps = stp + dp / (dp - dx) * (stx - stp);
    double stpf = 0;
    if (fp > fx) {
      double gamma = root(theta, dx, dp);
      if (stp < stx) gamma = -gamma;
      const double r = ((gamma - dx) + theta) / (((gamma - dx) + gamma) + dp);
      const double stpc = stx + r * (stp - stx);
      const double stpq = stx + ((dx / ((fx - fp) / (stp - stx) + dx)) / 2) * (stp - stx);
      stpf = std::abs(stpc - stx) < std::abs(stpq - stx) ? stpc : stpc + (stpq - stpc) / 2;
      brackt = true;
    } else if (sgnd < 0) {
      double gamma = root(theta, dx, dp);
      if (stp > stx) gamma = -gamma;
      const double r = ((gamma - dp) + theta) / (((gamma - dp) + gamma) + dx);
      const double stpc = stp + r * (stx - stp);
      stpf = std::abs(stpc - stp) > std::abs(stps - stp) ? stpc : stps;
      brackt = true;
    } else if (std::abs(dp) < std::abs(dx)) {
      double gamma = root(theta, dx, dp);
      if (stp > stx) gamma = -gamma;
      const double r = ((gamma - dp) + theta) / ((gamma + (dx - dp)) + gamma);
      const double stpc = r < 0 ? stp + r * (stx - stp) : stp > stx ? stmax : stmin;
      if (brackt) {
        stpf = std::abs(stpc - stp) < std::abs(stps - stp) ? stpc : stps;
        const double farthest = stp + 0.66 * (sty - stp);
        stpf = stp > stx ? std::min(farthest, stpf) : std::max(farthest, stpf);
      } else {
        stpf = std::abs(stpc - stp) > std::abs(stps - stp) ? stpc : stps;
        stpf = std::max(stmin, std::min(stmax, stpf));
      }
    } else if (brackt) {
      const double far = 3 * (fp - fy) / (sty - stp) + dy + dp;
      double gamma = root(far, dy, dp);
      if (stp > sty) gamma = -gamma;
      const double r = ((gamma - dp) + far) / (((gamma - dp) + gamma) + dy);
      stpf = stp + r * (sty - stp);
    } else {
      stpf = stp > stx ? stmax : stmin;
    }
    if (fp > fx) {
      sty = stp;
      fy = fp;
      dy = dp;
    } else {
      if (sgnd < 0) {
        sty = stx;
        fy = fx;
        dy = dx;
      }
      stx = stp;
      fx = fp;
      dx = dp;
    }
    stp = stpf;
  }

  double ftol, gtol, xtol, stpmax, finit, ginit;
  double stx = 0, fx, dx;
  double sty = 0, fy, dy;
  double stp;
  double stmin = 0, stmax;
  double width, width1;
  bool brackt = false;
  int stage = 1;
};

/// Few different values and slopes, so that many are equal; no function need have them.
TEST(LineSearch, GoesWhereMinpackGoes) {
  RandomStream stream(3, Purpose::test);
  const auto some = [&](double unit, std::uint64_t count) {
    return unit * (static_cast<double>(stream.below(2 * count + 1)) - static_cast<double>(count));
  };
  int longest = 0;
  int ended = 0;
  for (int round = 0; round < 40'000; ++round) {
    WolfeConditions how;
    if (round % 3 == 1) how = {.decrease = 0.25, .curvature = 0.3, .width = 1e-3, .longest = 6};
    if (round % 3 == 2) how = {.decrease = 0.5, .curvature = 0.01, .width = 1e-9, .longest = 1e10};
    const double slope = -0.25 * static_cast<double>(1 + stream.below(8));
    const double value = some(0.5, 2);
    const double first = 0.5 * static_cast<double>(1 + stream.below(4));
    LineSearch search(value, slope, first, how);
    Published published(value, slope, first, how);
    for (int step = 0; step < 12; ++step) {
      double found = value + some(0.25, 6);
      // The first step is exact, and its value may be just low enough.
      if (step == 0 && stream.below(4) == 0) found = value + first * (how.decrease * slope);
      if (step > 0 && published.doubtful(found)) break;
      const double slope_there = some(0.25, 8);
      const bool over = published.advance(found, slope_there);
      ASSERT_EQ(search.advance(found, slope_there), over) << "round " << round << ", " << step;
      if (over) {
        ++ended;
        break;
      }
      // No number: a cubic without a minimum, as no function makes them.
      if (!std::isfinite(search.step())) break;
      ASSERT_NEAR(search.step(), published.step(), 1e-9 * std::abs(published.step()) + 1e-12)
          << "round " << round << ", " << step;
      longest = std::max(longest, step);
    }
  }
  EXPECT_EQ(longest, 11);
  EXPECT_GT(ended, 5000);
}

/// The parabola t² - t: the first step is too long, the second is its bottom.
TEST(LineSearch, AParabolasBottomIsFoundAtOnce) {
  LineSearch search(0, -1, 3);
  EXPECT_FALSE(search.advance(3 * 3 - 3, 2 * 3 - 1));
  EXPECT_NEAR(search.step(), 0.5, 1e-12);
  EXPECT_TRUE(search.advance(-0.25, 0));
  EXPECT_NEAR(search.step(), 0.5, 1e-12);
}

}  // namespace
}  // namespace creg::line_search_test
