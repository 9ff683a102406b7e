// Line charts with one or two vertical axes, as SVG.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace creg {

enum class ChartAxis { left, right };

struct ChartSeries {
  std::string name;  ///< series of one name and style share an entry of the legend
  std::vector<double> x;
  std::vector<std::optional<double>> y;  ///< one per x; missing or not finite: a gap in the line
  ChartAxis axis = ChartAxis::left;
  int style = 0;  ///< 0, 1, …: a colour, and from the eighth on also the shape of markers
};

struct LineChart {
  std::string title;
  std::string x_label;
  std::string left_label;
  std::optional<std::string> right_label;
  std::vector<ChartSeries> series;
};

/// A file of its own: no scripts, no fonts to load, the same bytes for the same chart. Lines of the
/// right axis are dashed. A value without neighbours is a dot.
std::string to_svg(const LineChart& chart);

}  // namespace creg
