// Reliability diagrams: how often what was predicted with some probability comes true.
#pragma once

#include <string>
#include <vector>

#include "calibration/reliability.h"
#include "report/figure_style.h"

namespace creg {

struct ReliabilityDiagram {
  std::string title;
  std::string chance_label = "predicted probability";
  std::string frequency_label = "observed frequency";
  std::vector<ReliabilityBin> bins;
  /// Of the frequency of each bin over seeds, drawn as whiskers both ways; empty: of one run.
  std::vector<double> spreads{};
  std::string error_name = "ECE";  ///< what people call the expected gap
  std::string scores{};            ///< in place of those of the bins
  std::string note{};              ///< below the legend
};

/// Bars as high as the frequency of each bin, a dot at its mean prediction, the gap between the two
/// outlined and tinted by its sign, so that the bar shows through it; the diagonal of perfect
/// calibration; below, the share of the weight that each bin has. The expected and the largest gap
/// are printed. A file of its own, as that of a LineChart.
std::string to_svg(const ReliabilityDiagram& diagram);

/// The same in any format and size.
std::string draw_chart(const ReliabilityDiagram& diagram, const FigureStyle& style,
                       FigureFormat format);

}  // namespace creg
