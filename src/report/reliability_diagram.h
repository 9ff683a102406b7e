// Reliability diagrams as SVG: how often what was predicted with some chance comes true.
#pragma once

#include <string>
#include <vector>

#include "calibration/reliability.h"

namespace creg {

struct ReliabilityDiagram {
  std::string title;
  std::string chance_label = "predicted chance";
  std::string frequency_label = "observed frequency";
  std::vector<ReliabilityBin> bins;
};

/// Bars as high as the frequency of each bin, a dot at its mean chance, the gap between the two
/// shaded, the diagonal on which there is none; below, the share of the weight that each bin has.
/// The expected and the largest gap are printed. A file of its own, as that of a LineChart.
std::string to_svg(const ReliabilityDiagram& diagram);

}  // namespace creg
