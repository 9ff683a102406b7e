#include "report/line_chart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "creg/core/error.h"
#include "report/svg_elements.h"

namespace creg::line_chart_test {
namespace {

using test::expect_readable;
using test::named;
using test::svg_elements;
using test::SvgElement;

std::vector<SvgElement> drawn(const LineChart& chart) {
  std::vector<SvgElement> elements = svg_elements(to_svg(chart));
  EXPECT_FALSE(elements.empty());
  EXPECT_EQ(elements.front().name, "svg");
  expect_readable(elements);
  return elements;
}

std::size_t points_of(const SvgElement& polyline) {
  const std::string& points = polyline.attributes.at("points");
  return static_cast<std::size_t>(std::count(points.begin(), points.end(), ','));
}

std::set<std::string> texts_of(const std::vector<SvgElement>& elements) {
  std::set<std::string> texts;
  for (const SvgElement& element : named(elements, "text")) texts.insert(element.text);
  return texts;
}

LineChart two_axes() {
  LineChart chart{.title = "Loss and confidence",
                  .x_label = "epoch",
                  .left_label = "loss",
                  .right_label = "E[σ]"};
  for (int style = 0; style < 2; ++style) {
    ChartSeries left{.name = style == 0 ? "plain" : "contrast", .style = style};
    for (int epoch = 0; epoch <= 300; epoch += 5) {
      left.x.push_back(epoch);
      left.y.emplace_back(std::exp(-epoch / 100.0) + 0.1 * style);
    }
    ChartSeries right = left;
    right.axis = ChartAxis::right;
    for (std::optional<double>& y : right.y) y = 1 - *y / 3;
    chart.series.push_back(left);
    chart.series.push_back(right);
  }
  return chart;
}

TEST(LineChart, DrawsALinePerSeriesAndDashesThoseOfTheRightAxis) {
  const LineChart chart = two_axes();
  const std::vector<SvgElement> elements = drawn(chart);
  const std::vector<SvgElement> lines = named(elements, "polyline");
  ASSERT_EQ(lines.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(points_of(lines[i]), 61U);
    EXPECT_EQ(lines[i].attributes.contains("stroke-dasharray"), i % 2 == 1) << i;
  }
  EXPECT_EQ(lines[0].attributes.at("stroke"), lines[1].attributes.at("stroke"));
  EXPECT_NE(lines[0].attributes.at("stroke"), lines[2].attributes.at("stroke"));
  const std::set<std::string> texts = texts_of(elements);
  for (const char* text : {"Loss and confidence", "epoch", "loss", "E[σ]", "plain", "contrast",
                           "loss (left)", "E[σ] (right)", "0", "300"}) {
    EXPECT_TRUE(texts.contains(text)) << text;
  }
  EXPECT_EQ(elements[1].name, "title");
  EXPECT_EQ(elements[1].text, "Loss and confidence");
  EXPECT_EQ(elements[2].name, "desc");
  EXPECT_NE(elements[2].text.find("plain: loss, 1 at 0 and 0.04979 at 300."), std::string::npos)
      << elements[2].text;
  EXPECT_EQ(to_svg(chart), to_svg(chart));
}

TEST(LineChart, PointsLieWhereTheAxesSay) {
  LineChart chart{.title = "t", .x_label = "x", .left_label = "y"};
  chart.series.push_back({.name = "s", .x = {0, 5, 10}, .y = {0.0, 0.25, 1.0}});
  const std::vector<SvgElement> elements = drawn(chart);
  const std::string points = named(elements, "polyline").at(0).attributes.at("points");
  double x[3];
  double y[3];
  ASSERT_EQ(std::sscanf(points.c_str(), "%lf,%lf %lf,%lf %lf,%lf", &x[0], &y[0], &x[1], &y[1],
                        &x[2], &y[2]),
            6);
  EXPECT_NEAR(x[1] - x[0], x[2] - x[1], 0.02);
  EXPECT_NEAR(y[0] - y[1], (y[0] - y[2]) / 4, 0.02);
  // The labels of the axis stand beside their values.
  for (const SvgElement& text : named(elements, "text")) {
    if (text.text == "0.0") {
      EXPECT_NEAR(text.number("y"), y[0] + 4, 0.02);
    }
    if (text.text == "1.0") {
      EXPECT_NEAR(text.number("y"), y[2] + 4, 0.02);
    }
    if (text.text == "10") {
      EXPECT_NEAR(text.number("x"), x[2], 0.02);
    }
  }
}

TEST(LineChart, LeavesGapsAndDrawsLonelyValuesAsDots) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  LineChart chart{.title = "gaps", .x_label = "x", .left_label = "y"};
  chart.series.push_back({.name = "s",
                          .x = {0, 1, 2, 3, 4, 5, 6, 7, 8},
                          .y = {std::nullopt, 1, 2, nan, 3, inf, 4, 5, 6}});
  const std::vector<SvgElement> elements = drawn(chart);
  const std::vector<SvgElement> lines = named(elements, "polyline");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(points_of(lines[0]), 2U);
  EXPECT_EQ(points_of(lines[1]), 3U);
  EXPECT_EQ(named(elements, "circle").size(), 1U);
}

TEST(LineChart, IsValidWithHardlyAnything) {
  const std::vector<SvgElement> nothing = drawn({});
  EXPECT_TRUE(texts_of(nothing).contains("no values"));
  LineChart chart{.title = "one", .x_label = "epoch", .left_label = "ECE", .right_label = "q"};
  chart.series.push_back({.name = "none", .x = {1, 2}, .y = {std::nullopt, std::nullopt}});
  EXPECT_TRUE(texts_of(drawn(chart)).contains("no values"));
  chart.series.push_back({.name = "point", .x = {40}, .y = {0.5}, .style = 1});
  const std::vector<SvgElement> point = drawn(chart);
  EXPECT_EQ(named(point, "circle").size(), 1U);
  EXPECT_TRUE(texts_of(point).contains("40"));
  chart.series.push_back({.name = "flat", .x = {0, 40}, .y = {0.5, 0.5}, .style = 2});
  EXPECT_EQ(named(drawn(chart), "polyline").size(), 1U);
  chart.series.push_back({.name = "wild", .x = {0, 40}, .y = {-1e300, 1e300}, .style = 3});
  chart.series.push_back({.name = "beyond", .x = {0, 1e308}, .y = {-1e308, 1}, .style = 4});
  EXPECT_EQ(named(drawn(chart), "polyline").size(), 2U);
  chart.series.push_back({.name = "uneven", .x = {0, 40}, .y = {1}});
  EXPECT_THROW(to_svg(chart), Bug);
}

TEST(LineChart, EscapesNamesAndShortensLongOnes) {
  const std::string wild = "a<b>&\"c\"'d' \x01 \xff";
  LineChart chart{.title = wild, .x_label = wild, .left_label = wild, .right_label = wild};
  chart.series.push_back({.name = wild, .x = {0, 1}, .y = {1, 2}});
  chart.series.push_back({.name = std::string(500, 'n') + "-end", .x = {0, 1}, .y = {2, 1}});
  chart.title += std::string(500, 't');
  chart.left_label += std::string(500, 'l');
  chart.right_label = std::string(500, 'r');
  const std::string svg = to_svg(chart);
  const std::vector<SvgElement> elements = svg_elements(svg);
  for (const std::string& text : texts_of(elements)) EXPECT_LT(text.size(), 140U) << text;
  EXPECT_NE(svg.find("a&lt;b&gt;&amp;&quot;c&quot;&#39;d&#39; \xef\xbf\xbd \xef\xbf\xbd"),
            std::string::npos);
  EXPECT_NE(svg.find("nnn-end</text>"), std::string::npos) << "the end of a name is kept";
  EXPECT_EQ(svg.find("<script"), std::string::npos);
}

TEST(LineChart, ManyRunsHaveALegendBelowThatTellsThemApart) {
  LineChart chart{.title = "many", .x_label = "epoch", .left_label = "ECE", .right_label = "q⁺"};
  for (int run = 0; run < 24; ++run) {
    ChartSeries series{.name = "cora-ml/seed-" + std::to_string(run), .style = run};
    for (int epoch = 0; epoch < 40; ++epoch) {
      series.x.push_back(epoch);
      series.y.emplace_back(run + epoch);
    }
    chart.series.push_back(series);
  }
  const std::vector<SvgElement> elements = drawn(chart);
  double lowest_line = 0;
  for (const SvgElement& line : named(elements, "polyline")) {
    const std::string& points = line.attributes.at("points");
    for (std::size_t i = points.find(','); i != std::string::npos; i = points.find(',', i + 1)) {
      lowest_line = std::max(lowest_line, std::stod(points.substr(i + 1)));
    }
  }
  for (const SvgElement& text : named(elements, "text")) {
    if (text.text.starts_with("cora")) {
      EXPECT_GT(text.number("y") - 12, lowest_line);
    }
  }
  // Colours repeat after seven runs; then markers differ.
  EXPECT_EQ(named(elements, "polyline")[0].attributes.at("stroke"),
            named(elements, "polyline")[7].attributes.at("stroke"));
  EXPECT_GE(named(elements, "circle").size(), 7U * 9U);
  EXPECT_GE(named(elements, "polygon").size(), 3U * 9U);
  EXPECT_EQ(named(elements, "circle").size() % 7, 0U);
}

}  // namespace
}  // namespace creg::line_chart_test
