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
  const std::vector<SvgElement> over = filled(elements, "#d55e00");
  const std::vector<SvgElement> under = filled(elements, "#5d4a9c");
  const std::vector<SvgElement> weights = filled(elements, "#7f7f7f");
  std::vector<SvgElement> dots = named(elements, "circle");
  ASSERT_EQ(dots.size(), 3U);
  const SvgElement legend_dot = dots.back();
  dots.pop_back();
  ASSERT_EQ(bars.size(), 2U);
  ASSERT_EQ(over.size(), 1U);
  ASSERT_EQ(under.size(), 1U);
  ASSERT_EQ(weights.size(), 2U);
  EXPECT_NEAR(bars[0].number("height") / bars[1].number("height"), 0.15 / 0.5, 1e-3);
  EXPECT_NEAR(under[0].number("height") / over[0].number("height"), 0.1 / 0.45, 1e-3);
  EXPECT_NEAR(weights[0].number("height") / weights[1].number("height"), 1.0 / 3, 1e-3);
  // Where chances are too high, the gap stands on the bar; else it hangs from its top.
  EXPECT_NEAR(over[0].number("y") + over[0].number("height"), bars[1].number("y"), 0.02);
  EXPECT_NEAR(under[0].number("y"), bars[0].number("y"), 0.02);
  EXPECT_NEAR(dots[1].number("cx"), bars[1].number("x") + bars[1].number("width") / 2, 0.02);
  EXPECT_NEAR(dots[1].number("cy"), bars[1].number("y"), 0.02);
  EXPECT_TRUE(has_text(elements, "75 %"));
  // The bar shows through a gap that lies on it, and the gap ends in a line.
  for (const SvgElement& gap : {over[0], under[0]}) {
    EXPECT_LT(gap.number("fill-opacity"), 0.5);
    EXPECT_EQ(gap.attributes.at("stroke"), gap.attributes.at("fill"));
  }
  // Each sign of a gap is explained by its colour, in the words of the field.
  const std::vector<SvgElement> all = named(elements, "rect");
  const auto beside = [&](const std::string& words) -> std::string {
    std::string fill = "nothing";
    for (const SvgElement& text : named(elements, "text")) {
      if (text.text != words) continue;
      for (const SvgElement& box : all) {
        if (box.number("height") == 11 && std::abs(box.number("y") + 10 - text.number("y")) < 0.1 &&
            std::abs(box.number("x") + 24 - text.number("x")) < 0.1) {
          fill = box.attributes.at("fill");  // the uppermost one
        }
      }
    }
    return fill;
  };
  EXPECT_EQ(beside("gap: over-confident"), "#d55e00");
  EXPECT_EQ(beside("gap: under-confident"), "#5d4a9c");
  EXPECT_EQ(beside("observed frequency"), "#56b4e9");
  EXPECT_TRUE(has_text(elements, "perfect calibration"));
  for (const SvgElement& text : named(elements, "text")) {
    if (text.text != "mean of a bin") continue;
    EXPECT_NEAR(legend_dot.number("cx"), text.number("x") - 16, 0.02);
    EXPECT_NEAR(legend_dot.number("cy"), text.number("y") - 5, 0.02);
  }
  EXPECT_TRUE(has_text(elements, "mean of a bin"));
  ReliabilityDiagram of_pairs = diagram;
  of_pairs.error_name = "binned ECE";
  EXPECT_TRUE(has_text(drawn(of_pairs), "binned ECE 0.3625, largest gap 0.4500, 2 bins"));
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

TEST(ReliabilityDiagram, SpreadsOverSeedsAreWhiskersWithinTheFrame) {
  const ReliabilityDiagram diagram{.title = "pairs",
                                   .bins = {{0, 0.5, 1, 0.25, 0.15}, {0.5, 1, 3, 0.95, 0.5}},
                                   .spreads = {0.25, 0.125},
                                   .scores = "ECE 0.1 ± 0.2",
                                   .note = "mean over 3 seeds"};
  const std::vector<SvgElement> elements = drawn(diagram);
  EXPECT_TRUE(has_text(elements, "ECE 0.1 ± 0.2"));
  EXPECT_TRUE(has_text(elements, "mean over 3 seeds"));
  std::vector<double> lengths;
  for (const SvgElement& line : named(elements, "line")) {
    if (line.attributes.at("stroke-width") != "1.5") continue;
    EXPECT_EQ(line.number("x1"), line.number("x2"));
    lengths.push_back(line.number("y1") - line.number("y2"));
  }
  ASSERT_EQ(lengths.size(), 2U);
  // The first one ends at 0, at the bottom: 0 to 0.4 against 0.375 to 0.625.
  EXPECT_NEAR(lengths[0] / lengths[1], 0.4 / 0.25, 1e-3);
  const std::vector<SvgElement> narrow =
      svg_elements(draw_chart(diagram, {.width = 200, .font = 12}, FigureFormat::svg));
  EXPECT_EQ(narrow[0].number("width"), 200);
  const std::vector<SvgElement> bare =
      svg_elements(draw_chart(diagram, {.note = false}, FigureFormat::svg));
  EXPECT_FALSE(has_text(bare, "mean over 3 seeds"));
  EXPECT_LT(bare[0].number("height"), elements[0].number("height"));
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
