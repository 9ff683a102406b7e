#include "report/reliability_diagram.h"

#include <gtest/gtest.h>

#include <cmath>

#include "creg/core/error.h"
#include "report/svg_elements.h"
#include "report/writers.h"
#include "support/temp_dir.h"

namespace creg::reliability_diagram_test {
namespace {

using test::expect_readable;
using test::named;
using test::svg_elements;
using test::SvgElement;

std::vector<SvgElement> drawn(const ReliabilityDiagram& diagram) {
  std::vector<SvgElement> elements = svg_elements(to_svg(diagram));
  expect_readable(elements);
  return elements;
}

std::vector<SvgElement> filled(const std::vector<SvgElement>& elements, const std::string& fill) {
  std::vector<SvgElement> out;
  for (const SvgElement& element : named(elements, "rect")) {
    // The legend's own are lower than any bar that is asked for here.
    if (element.attributes.at("fill") == fill && element.number("height") != 11) {
      out.push_back(element);
    }
  }
  return out;
}

bool has_text(const std::vector<SvgElement>& elements, const std::string& text) {
  for (const SvgElement& element : named(elements, "text")) {
    if (element.text == text) return true;
  }
  return false;
}

TEST(ReliabilityDiagram, DrawsFrequenciesGapsAndWeights) {
  const ReliabilityDiagram diagram{.title = "pairs",
                                   .bins = {{0, 0.1, 1, 0.05, 0.15}, {0.9, 1, 3, 0.95, 0.5}}};
  const std::vector<SvgElement> elements = drawn(diagram);
  // By hand: (1·0.1 + 3·0.45) / 4.
  EXPECT_TRUE(has_text(elements, "ECE 0.3625, largest gap 0.4500, 2 bins"));
  const std::vector<SvgElement> bars = filled(elements, "#56b4e9");
  const std::vector<SvgElement> gaps = filled(elements, "#d55e00");
  const std::vector<SvgElement> weights = filled(elements, "#7f7f7f");
  const std::vector<SvgElement> dots = named(elements, "circle");
  ASSERT_EQ(bars.size(), 2U);
  ASSERT_EQ(gaps.size(), 2U);
  ASSERT_EQ(weights.size(), 2U);
  ASSERT_EQ(dots.size(), 2U);
  EXPECT_NEAR(bars[0].number("height") / bars[1].number("height"), 0.15 / 0.5, 1e-3);
  EXPECT_NEAR(gaps[0].number("height") / gaps[1].number("height"), 0.1 / 0.45, 1e-3);
  EXPECT_NEAR(weights[0].number("height") / weights[1].number("height"), 1.0 / 3, 1e-3);
  // Where chances are too high, the gap stands on the bar; else it hangs from its top.
  EXPECT_NEAR(gaps[1].number("y") + gaps[1].number("height"), bars[1].number("y"), 0.02);
  EXPECT_NEAR(gaps[0].number("y"), bars[0].number("y"), 0.02);
  EXPECT_NEAR(dots[1].number("cx"), bars[1].number("x") + bars[1].number("width") / 2, 0.02);
  EXPECT_NEAR(dots[1].number("cy"), bars[1].number("y"), 0.02);
  EXPECT_TRUE(has_text(elements, "75 %"));
}

TEST(ReliabilityDiagram, IsValidWithoutBinsAndWithBinsThatArePoints) {
  EXPECT_TRUE(has_text(drawn({.title = "empty"}), "no predictions"));
  const std::vector<SvgElement> sure =
      drawn({.title = "<sure> & certain", .bins = {{1, 1, 2, 1, 1}, {0, 0, 2, 0, 0}}});
  EXPECT_TRUE(has_text(sure, "ECE 0.0000, largest gap 0.0000, 2 bins"));
  const std::vector<SvgElement> bars = filled(sure, "#56b4e9");
  ASSERT_EQ(bars.size(), 2U);
  EXPECT_GT(bars[0].number("width"), 2);
  EXPECT_LE(bars[0].number("x") + bars[0].number("width"), 446.01) << "inside the frame";
  EXPECT_THROW(to_svg(ReliabilityDiagram{.bins = {{0, 1, 1, std::nan(""), 0}}}), Bug);
}

TEST(ReliabilityDiagram, LiesBesideItsBins) {
  const test::TempDir dir;
  const ReliabilityDiagram diagram{
      .bins = {{.low = 0, .high = 0.5, .weight = 1, .mean_chance = 0.25, .frequency = 0.125}}};
  const auto files = write_charts(dir / "new", {.charts = {{"pairs", diagram}}});
  ASSERT_EQ(files,
            (std::vector<std::filesystem::path>{dir / "new/pairs.svg", dir / "new/pairs.csv"}));
  EXPECT_EQ(test::read_text(files[0]), to_svg(diagram));
  EXPECT_EQ(test::read_text(files[1]),
            "low,high,weight,mean_chance,frequency\n0,0.5,1,0.25,0.125\n");
}

}  // namespace
}  // namespace creg::reliability_diagram_test
