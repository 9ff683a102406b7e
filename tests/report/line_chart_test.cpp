#include "report/line_chart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <span>

#include "creg/core/error.h"
#include "io/containers/inflate.h"
#include "report/svg_elements.h"
#include "support/expect_error.h"

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
  // No two lines are alike, nor two axes.
  std::set<std::string> strokes;
  for (const SvgElement& line : lines) strokes.insert(line.attributes.at("stroke"));
  EXPECT_EQ(strokes.size(), 4U);
  std::map<std::string, std::string> fills;
  for (const SvgElement& text : named(elements, "text")) {
    if (text.attributes.contains("transform")) fills[text.text] = text.attributes.at("fill");
  }
  EXPECT_EQ(fills["loss"], lines[0].attributes.at("stroke"));
  EXPECT_EQ(fills["E[σ]"], lines[1].attributes.at("stroke"));
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
  for (const std::string& text : texts_of(elements)) EXPECT_LT(text.size(), 160U) << text;
  EXPECT_NE(svg.find("a&lt;b&gt;&amp;&quot;c&quot;&#39;d&#39; \xef\xbf\xbd \xef\xbf\xbd"),
            std::string::npos);
  EXPECT_NE(svg.find("nnn-end</text>"), std::string::npos) << "the end of a name is kept";
  EXPECT_EQ(svg.find("<script"), std::string::npos);
}

TEST(LineChart, ManyRunsHaveALegendBelowThatTellsThemApart) {
  LineChart chart{.title = "many", .x_label = "epoch", .left_label = "ECE"};
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

TEST(LineChart, ABandLiesAroundItsLineAndWithinTheAxes) {
  LineChart chart{.title = "band", .x_label = "epoch", .left_label = "ECE", .note = "over seeds"};
  chart.series.push_back({.name = "ML",
                          .x = {0, 1, 2, 3, 4},
                          .y = {1.0, 2.0, std::nullopt, 3.0, 4.0},
                          .low = {0.5, 1.0, std::nullopt, 2.0, 3.5},
                          .high = {1.5, 3.0, std::nullopt, 4.0, 9.0}});
  const std::vector<SvgElement> elements = drawn(chart);
  // A gap in the line is one in its band.
  const std::vector<SvgElement> bands = named(elements, "polygon");
  const std::vector<SvgElement> lines = named(elements, "polyline");
  ASSERT_EQ(bands.size(), 2U);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(points_of(bands[0]), 4U);
  EXPECT_EQ(bands[0].attributes.at("fill"), lines[0].attributes.at("stroke"));
  EXPECT_LT(bands[0].number("fill-opacity"), 0.5);
  EXPECT_TRUE(texts_of(elements).contains("over seeds"));
  // The axis reaches as far as the band.
  EXPECT_TRUE(texts_of(elements).contains("8"));
  chart.series[0].low.pop_back();
  EXPECT_THROW(to_svg(chart), Bug);
}

TEST(LineChart, IsAsWideAndItsLettersAsLargeAsAsked) {
  const LineChart chart = two_axes();
  for (const double width : {160.0, 321.0, 2000.0}) {
    for (const double font : {8.0, 13.0, 30.0}) {
      const std::vector<SvgElement> elements = svg_elements(
          draw_chart(chart, {.width = width, .font = font, .title = ""}, FigureFormat::svg));
      EXPECT_EQ(elements[0].number("width"), width);
      EXPECT_EQ(elements[1].text, "");
      for (const SvgElement& text : named(elements, "text")) {
        EXPECT_NE(text.text, "Loss and confidence");
        if (text.text == "epoch" && font < width / 20) {
          EXPECT_EQ(text.number("font-size"), font);
        }
      }
    }
  }
  const FigureStyle named_anew{.title = "Another"};
  EXPECT_EQ(svg_elements(draw_chart(chart, named_anew, FigureFormat::svg))[1].text, "Another");
}

TEST(LineChart, OfTwoAxesTheLegendTellsWhatTheirSignsMean) {
  LineChart chart = two_axes();
  chart.right_about = "over random pairs of nodes";
  chart.note = "mean over 3 seeds";
  for (const double width : {320.0, 760.0}) {
    const std::vector<SvgElement> elements =
        svg_elements(draw_chart(chart, {.width = width, .font = 32.0 / 3}, FigureFormat::svg));
    expect_readable(elements);
    const std::set<std::string> texts = texts_of(elements);
    EXPECT_TRUE(texts.contains("E[σ] (right): over random pairs of nodes"));
    EXPECT_TRUE(texts.contains("mean over 3 seeds"));
    // A sign fits beside its axis in letters of full size, and the legend has one left edge.
    double first_entry = 0;
    double axis_entry = -1;
    for (const SvgElement& text : named(elements, "text")) {
      if (text.text == "E[σ]") {
        EXPECT_NEAR(text.number("font-size"), 32.0 / 3, 0.01);
      }
      if (text.text == "plain") first_entry = text.number("x");
      if (text.text == "loss (left)") axis_entry = text.number("x");
    }
    // An entry has a sample of each axis before its name.
    EXPECT_NEAR(first_entry - axis_entry, (28 + 8) * 32.0 / 3 / 13, 0.02) << width;
  }
  const FigureStyle bare{.note = false};
  EXPECT_FALSE(texts_of(svg_elements(draw_chart(chart, bare, FigureFormat::svg)))
                   .contains("mean over 3 seeds"));
}

TEST(LineChart, SizesAreReadWithTheirUnits) {
  EXPECT_DOUBLE_EQ(parse_figure_width("320", "--width"), 320);
  EXPECT_DOUBLE_EQ(parse_figure_width("50.8mm", "--width"), 192);
  EXPECT_DOUBLE_EQ(parse_figure_width("10cm", "--width"), 96 / 2.54 * 10);
  EXPECT_DOUBLE_EQ(parse_figure_width("3in", "--width"), 288);
  EXPECT_DOUBLE_EQ(parse_font_size("9", "--font-size"), 12);
  EXPECT_DOUBLE_EQ(parse_font_size("12px", "--font-size"), 12);
  for (const char* wrong : {"", "wide", "-3in", "1e9", "nan", "3 feet", "0", "5mm", "12pxx"}) {
    test::expect_error([&] { parse_figure_width(wrong, "--width"); }, {"--width", "px"});
  }
}

TEST(LineChart, ABuildWithCairoDrawsPdfAndPng) {
  if (!draws_pdf()) {
    test::expect_error([] { draw_chart(two_axes(), {}, FigureFormat::pdf); }, {"libcairo2-dev"},
                       ErrorKind::environment);
    return;
  }
  const FigureStyle style{.width = 384};
  const std::string pdf = draw_chart(two_axes(), style, FigureFormat::pdf);
  EXPECT_TRUE(pdf.starts_with("%PDF-1.")) << pdf.substr(0, 20);
  EXPECT_TRUE(pdf.ends_with("%%EOF\n"));
  // 384 pixels are 4 inches, in points; letters come along with the file.
  EXPECT_NE(pdf.find("/MediaBox [ 0 0 288 "), std::string::npos);
  EXPECT_NE(pdf.find("/FontFile"), std::string::npos);
  EXPECT_EQ(draw_chart(two_axes(), style, FigureFormat::pdf), pdf);
  const std::string png = draw_chart(two_axes(), style, FigureFormat::png);
  EXPECT_TRUE(png.starts_with("\x89PNG\r\n\x1a\n"));
  // The width is the first number of the header, with the high byte first.
  EXPECT_EQ(png.substr(16, 4), std::string("\0\0\x03\0", 4));
  EXPECT_EQ(draw_chart(two_axes(), style, FigureFormat::png), png);
}

/// A PNG of three bytes a pixel, as rows of them.
std::vector<std::string> png_rows(const std::string& png) {
  const auto word = [&](std::size_t at) {
    std::size_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      value = value << 8U | static_cast<unsigned char>(png.at(at + i));
    }
    return value;
  };
  std::string packed;
  for (std::size_t at = 8; at < png.size(); at += 12 + word(at)) {
    if (png.substr(at + 4, 4) == "IDAT") packed += png.substr(at + 8, word(at));
  }
  const std::size_t width = word(16);
  const std::size_t height = word(20);
  // The bare stream lies behind two bytes of a head.
  Inflater inflater(Bytes::from_string(packed.substr(2), "figure.png"), Compression::raw_deflate);
  std::vector<std::string> rows;
  std::string above(3 * width, '\0');
  for (std::size_t y = 0; y < height; ++y) {
    std::string line(1 + 3 * width, '\0');
    EXPECT_EQ(inflater.read(std::as_writable_bytes(std::span(line))), line.size());
    const char filter = line[0];
    line.erase(0, 1);
    for (std::size_t i = 0; i < line.size(); ++i) {
      const int left = i < 3 ? 0 : static_cast<unsigned char>(line[i - 3]);
      const int up = static_cast<unsigned char>(above[i]);
      const int corner = i < 3 ? 0 : static_cast<unsigned char>(above[i - 3]);
      const int guess = left + up - corner;
      const int nearest = std::abs(guess - left) <= std::abs(guess - up) &&
                                  std::abs(guess - left) <= std::abs(guess - corner)
                              ? left
                          : std::abs(guess - up) <= std::abs(guess - corner) ? up
                                                                             : corner;
      const int added[] = {0, left, up, (left + up) / 2, nearest};
      line[i] = static_cast<char>(line[i] + added[static_cast<std::size_t>(filter)]);
    }
    above = line;
    rows.push_back(std::move(line));
  }
  return rows;
}

TEST(LineChart, APngIsWhiteToItsEdgesWhateverItsSize) {
  if (!draws_pdf()) GTEST_SKIP() << "built without cairo";
  // 85 mm, as wide as a column: not a whole number of pixels.
  const FigureStyle style{.width = parse_figure_width("85mm", "--width")};
  const auto rows = png_rows(draw_chart(two_axes(), style, FigureFormat::png));
  ASSERT_EQ(rows.size() * rows.front().size() % 3, 0U);
  for (const std::string& row : rows) {
    EXPECT_EQ(row.substr(0, 3), "\xff\xff\xff");
    EXPECT_EQ(row.substr(row.size() - 3), "\xff\xff\xff");
  }
  const std::string white(rows.front().size(), '\xff');
  EXPECT_EQ(rows.front(), white);
  EXPECT_EQ(rows.back(), white);
}

}  // namespace
}  // namespace creg::line_chart_test
