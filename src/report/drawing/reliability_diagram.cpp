#include "report/reliability_diagram.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "creg/core/error.h"
#include "report/drawing/scale.h"
#include "report/drawing/svg.h"

namespace creg {
namespace {

constexpr double width = 480;
constexpr double left = 66;
constexpr double top = 72;
constexpr double side = 380;  // of the square
constexpr double weights_top = top + side + 18;
constexpr double weights_height = 64;
constexpr double height = weights_top + weights_height + 84;
constexpr double narrowest_bar = 4;
constexpr double axis_label_size = 13;
constexpr std::string_view bar_colour = "#56b4e9";
constexpr std::string_view gap_colour = "#d55e00";
constexpr std::string_view weight_colour = "#7f7f7f";

double x_of(double chance) {
  return left + side * chance;
}

double y_of(double frequency) {
  return top + side * (1 - frequency);
}

struct Bar {
  double x = 0;
  double width = 0;
};

/// Bins of equal mass can be as narrow as a point.
Bar bar_of(const ReliabilityBin& bin) {
  const double wide = std::max(side * (bin.high - bin.low), narrowest_bar);
  const double x = x_of((bin.low + bin.high) / 2) - wide / 2;
  return {std::clamp(x, left, left + side - wide), wide};
}

void draw_frames(SvgDrawing& svg, const ReliabilityDiagram& diagram) {
  const Stroke grid{.colour = grid_colour};
  const Stroke frame{.colour = ink};
  const double bottom = weights_top + weights_height;
  for (const Tick& tick : make_scale(0, 1, 5, ScaleEnds::exact).ticks) {
    const double x = x_of(tick.value);
    const double y = y_of(tick.value);
    svg.line(left, y, left + side, y, grid);
    svg.line(x, top, x, top + side, grid);
    svg.line(x, weights_top, x, bottom, grid);
    svg.text(left - 8, y + 4, tick.label, {.anchor = Anchor::end});
    svg.line(x, bottom, x, bottom + 5, frame);
    svg.text(x, bottom + 19, tick.label, {.anchor = Anchor::middle});
  }
  svg.text(left + side / 2, bottom + 40, fitted(diagram.chance_label, axis_label_size, side),
           {.size = axis_label_size, .anchor = Anchor::middle});
  svg.text(20, top + side / 2, fitted(diagram.frequency_label, axis_label_size, side),
           {.size = axis_label_size, .anchor = Anchor::middle, .rotate = -90});
}

void draw_bins(SvgDrawing& svg, const std::vector<ReliabilityBin>& bins) {
  for (const ReliabilityBin& bin : bins) {
    const Bar bar = bar_of(bin);
    svg.begin_group(fmt::format("chance {:.3f}, observed {:.3f}", bin.mean_chance, bin.frequency));
    svg.rectangle(bar.x, y_of(bin.frequency), bar.width, side * bin.frequency, bar_colour,
                  {.colour = "#ffffff"});
    const double upper = std::max(bin.mean_chance, bin.frequency);
    svg.rectangle(bar.x, y_of(upper), bar.width, side * std::abs(bin.gap()), gap_colour,
                  {.colour = gap_colour}, 0.3);
    svg.end_group();
  }
  svg.line(x_of(0), y_of(0), x_of(1), y_of(1), {.colour = ink, .dashes = "5 4"});
  for (const ReliabilityBin& bin : bins) {
    svg.circle(x_of(bin.mean_chance), y_of(bin.frequency), 3, ink);
  }
}

void draw_weights(SvgDrawing& svg, const std::vector<ReliabilityBin>& bins, double total) {
  double largest = 0;
  for (const ReliabilityBin& bin : bins) largest = std::max(largest, bin.weight);
  const double bottom = weights_top + weights_height;
  for (const ReliabilityBin& bin : bins) {
    if (largest <= 0) break;
    const Bar bar = bar_of(bin);
    const double tall = weights_height * bin.weight / largest;
    svg.rectangle(bar.x, bottom - tall, bar.width, tall, weight_colour, {.colour = "#ffffff"});
  }
  if (total > 0) {
    svg.text(left - 8, weights_top + 9, fmt::format("{:.0f} %", 100 * largest / total),
             {.anchor = Anchor::end});
  }
  svg.text(left - 8, bottom + 4, "0", {.anchor = Anchor::end});
  svg.text(20, weights_top + weights_height / 2, "weight",
           {.anchor = Anchor::middle, .rotate = -90});
}

void draw_legend(SvgDrawing& svg) {
  constexpr double y = height - 18;
  const auto entry = [&](double x, std::string_view colour, double opacity, std::string_view text) {
    svg.rectangle(x, y - 10, 16, 11, colour, {.colour = colour}, opacity);
    svg.text(x + 22, y, text);
  };
  entry(left, bar_colour, 1, "observed");
  entry(left + 105, gap_colour, 0.3, "gap to the chance");
  svg.line(left + 252, y - 5, left + 276, y - 5, {.colour = ink, .dashes = "5 4"});
  svg.text(left + 282, y, "no gap");
}

}  // namespace

std::string to_svg(const ReliabilityDiagram& diagram) {
  double total = 0;
  for (const ReliabilityBin& bin : diagram.bins) {
    invariant(bin.low >= 0 && bin.high <= 1 && bin.low <= bin.high && bin.weight >= 0 &&
                  bin.mean_chance >= 0 && bin.mean_chance <= 1 && bin.frequency >= 0 &&
                  bin.frequency <= 1,
              "bins of chances");
    total += bin.weight;
  }
  const std::string scores =
      diagram.bins.empty() ? std::string("no predictions")
                           : fmt::format("ECE {:.4f}, largest gap {:.4f}, {} bin{}",
                                         expected_gap(diagram.bins), largest_gap(diagram.bins),
                                         diagram.bins.size(), diagram.bins.size() == 1 ? "" : "s");
  SvgDrawing svg(width, height, diagram.title, "Reliability diagram: " + scores + ".");
  constexpr double title_size = 16;
  svg.text(width / 2, 27, fitted(diagram.title, title_size, width - 24),
           {.size = title_size, .anchor = Anchor::middle, .bold = true});
  svg.text(width / 2, 50, scores, {.size = axis_label_size, .anchor = Anchor::middle});
  draw_frames(svg, diagram);
  draw_bins(svg, diagram.bins);
  draw_weights(svg, diagram.bins, total);
  svg.rectangle(left, top, side, side, "none", {.colour = ink});
  svg.rectangle(left, weights_top, side, weights_height, "none", {.colour = ink});
  draw_legend(svg);
  return std::move(svg).finish();
}

}  // namespace creg
