#include "report/drawing/scale.h"

#include <gtest/gtest.h>

namespace creg::scale_test {
namespace {

std::vector<std::string> labels(const Scale& scale) {
  std::vector<std::string> out;
  for (const Tick& tick : scale.ticks) out.push_back(tick.label);
  return out;
}

using Words = std::vector<std::string>;

TEST(Scale, MarksRoundNumbers) {
  const Scale scale = make_scale(0.31, 0.52, 5, ScaleEnds::round);
  EXPECT_EQ(labels(scale), (Words{"0.30", "0.35", "0.40", "0.45", "0.50", "0.55"}));
  EXPECT_DOUBLE_EQ(scale.low, 0.3);
  EXPECT_DOUBLE_EQ(scale.high, 0.55);
  EXPECT_EQ(labels(make_scale(-3, 7, 5, ScaleEnds::round)),
            (Words{"-4", "-2", "0", "2", "4", "6", "8"}));
  EXPECT_EQ(labels(make_scale(0, 1, 5, ScaleEnds::round)),
            (Words{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
}

TEST(Scale, KeepsExactEndsAndWholeNumbers) {
  const Scale epochs = make_scale(0, 287, 8, ScaleEnds::exact, true);
  EXPECT_EQ(labels(epochs), (Words{"0", "50", "100", "150", "200", "250"}));
  EXPECT_EQ(epochs.high, 287);
  EXPECT_EQ(labels(make_scale(0, 3, 8, ScaleEnds::exact, true)), (Words{"0", "1", "2", "3"}));
  EXPECT_EQ(labels(make_scale(40, 40, 8, ScaleEnds::exact, true)), (Words{"40"}));
}

TEST(Scale, WidensARangeOfNoWidth) {
  for (const double value : {0.0, 0.5, -3.0, 1e9, 1e-200, 5e-324, 1e300, -1e300}) {
    const Scale scale = make_scale(value, value, 5, ScaleEnds::round);
    EXPECT_LE(scale.low, value);
    EXPECT_LT(scale.low, scale.high);
    EXPECT_GE(scale.ticks.size(), 2U);
    EXPECT_LE(scale.ticks.size(), 8U);
    EXPECT_GT(scale.share(value), 0.1);
    EXPECT_LT(scale.share(value), 0.9);
  }
}

TEST(Scale, LabelsFarFromOneAreShort) {
  EXPECT_EQ(labels(make_scale(0, 3e7, 3, ScaleEnds::round)),
            (Words{"0", "1e+07", "2e+07", "3e+07"}));
  EXPECT_EQ(labels(make_scale(0, 3e-7, 3, ScaleEnds::round)),
            (Words{"0", "1e-07", "2e-07", "3e-07"}));
  EXPECT_EQ(labels(make_scale(9e6, 1.1e7, 4, ScaleEnds::round)),
            (Words{"9.0e+06", "9.5e+06", "1.00e+07", "1.05e+07", "1.10e+07"}));
}

TEST(Scale, RangesOfAnySizeHaveAFewTicks) {
  for (const double width : {1e-8, 0.3, 7.0, 1e6, 1e299}) {
    for (const double low : {-0.9, 0.0, 0.4}) {
      for (const ScaleEnds ends : {ScaleEnds::round, ScaleEnds::exact}) {
        const Scale scale = make_scale(low * width, (low + 1) * width, 5, ends);
        EXPECT_GE(scale.ticks.size(), 2U) << width;
        EXPECT_LE(scale.ticks.size(), 8U) << width;
        for (const Tick& tick : scale.ticks) {
          EXPECT_GE(scale.share(tick.value), -1e-6);
          EXPECT_LE(scale.share(tick.value), 1 + 1e-6);
        }
      }
    }
  }
}

}  // namespace
}  // namespace creg::scale_test
