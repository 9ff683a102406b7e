// Line charts with one or two vertical axes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/figure_style.h"

namespace creg {

enum class ChartAxis { left, right };

struct ChartSeries {
  std::string name;  ///< series of one name and style share an entry of the legend
  std::vector<double> x;
  std::vector<std::optional<double>> y;  ///< one per x; missing or not finite: a gap in the line
  ChartAxis axis = ChartAxis::left;
  int style = 0;  ///< 0, 1, …: a colour, and when these are used up also the shape of markers
  /// Of a band around the line, as far as both are there; empty: none.
  std::vector<std::optional<double>> low{};
  std::vector<std::optional<double>> high{};
};

struct LineChart {
  std::string title;
  std::string x_label;
  std::string left_label;
  std::optional<std::string> right_label;
  std::vector<ChartSeries> series;
  std::string note{};  ///< below the legend
  /// What an axis shows, where its label is a sign: told in the legend of two axes.
  std::string left_about{};
  std::string right_about{};
};

/// A file of its own: no scripts, no fonts to load, the same bytes for the same chart. Where there
/// are two axes each has colours of its own, and lines of the right one are dashed. A value without
/// neighbours is a dot.
std::string to_svg(const LineChart& chart);

/// The same in any format and size.
std::string draw_chart(const LineChart& chart, const FigureStyle& style, FigureFormat format);

}  // namespace creg
