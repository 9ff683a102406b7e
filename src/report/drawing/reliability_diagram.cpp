#include "report/reliability_diagram.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "creg/core/error.h"
#include "report/drawing/canvas.h"
#include "report/drawing/scale.h"

namespace creg {
namespace {

constexpr double whole_width = 480;
constexpr double whole_font = 13;
constexpr double narrowest_bar = 4;
// By Okabe and Ito but for the violet, which stands out of the bars that it lies on.
constexpr std::string_view bar_colour = "#56b4e9";
constexpr std::string_view over_colour = "#d55e00";
constexpr std::string_view under_colour = "#5d4a9c";
constexpr double gap_opacity = 0.35;
constexpr double gap_outline = 1.3;
constexpr std::string_view weight_colour = "#7f7f7f";
constexpr std::string_view diagonal_dashes = "5 4";

enum class Sign { bar, gap, line, dot };

struct LegendLine {
  std::string_view words;
  std::string_view colour;
  Sign sign = Sign::bar;
};
constexpr std::array<LegendLine, 5> entries = {{
    {.words = "observed frequency", .colour = bar_colour},
    {.words = "gap: over-confident", .colour = over_colour, .sign = Sign::gap},
    {.words = "perfect calibration", .colour = ink, .sign = Sign::line},
    {.words = "gap: under-confident", .colour = under_colour, .sign = Sign::gap},
    {.words = "mean of a bin", .colour = ink, .sign = Sign::dot},
}};

struct Bar {
  double x = 0;
  double width = 0;
};

class DrawnReliability final : public Figure {
 public:
  DrawnReliability(const ReliabilityDiagram& diagram, const FigureStyle& style)
      : diagram_(diagram),
        title_(style.title.value_or(diagram.title)),
        note_(style.note ? diagram.note : ""),
        unit_(style.font / whole_font),
        width_(style.width.value_or(whole_width)),
        left_(66 * unit_),
        top_((title_.empty() ? 46 : 72) * unit_),
        side_(std::max(width_ - left_ - 34 * unit_, 1.0)),
        weights_top_(top_ + side_ + 18 * unit_),
        weights_height_(64 * unit_) {
    for (const ReliabilityBin& bin : diagram.bins) total_ += bin.weight;
  }

  double width() const override { return width_; }
  double height() const override {
    return legend_top() + legend_row() * static_cast<double>(legend_rows() - 1) + 18 * unit_;
  }
  std::string title() const override { return title_; }
  std::string description() const override { return "Reliability diagram: " + scores() + "."; }

  void draw(Canvas& canvas) const override {
    if (!title_.empty()) {
      draw_words(canvas, {width_ / 2, 27 * unit_}, title_, width_ - 24 * unit_,
                 {.size = 16 * unit_, .bold = true});
    }
    draw_words(canvas, {width_ / 2, top_ - 22 * unit_}, scores(), width_ - 24 * unit_,
               {.size = label_size()});
    draw_frames(canvas);
    draw_bins(canvas);
    draw_weights(canvas);
    canvas.rectangle(left_, top_, side_, side_, "none", {.colour = ink});
    canvas.rectangle(left_, weights_top_, side_, weights_height_, "none", {.colour = ink});
    draw_legend(canvas);
  }

 private:
  double tick_size() const { return 12 * unit_; }
  double label_size() const { return 13 * unit_; }
  double legend_row() const { return 20 * unit_; }
  double legend_top() const { return weights_top_ + weights_height_ + 66 * unit_; }
  double x_of(double chance) const { return left_ + side_ * chance; }
  double y_of(double frequency) const { return top_ + side_ * (1 - frequency); }

  std::string scores() const {
    if (!diagram_.scores.empty()) return diagram_.scores;
    if (diagram_.bins.empty()) return "no predictions";
    return fmt::format("{} {:.4f}, largest gap {:.4f}, {} bin{}", diagram_.error_name,
                       expected_gap(diagram_.bins), largest_gap(diagram_.bins),
                       diagram_.bins.size(), diagram_.bins.size() == 1 ? "" : "s");
  }

  /// Bins of equal mass can be as narrow as a point.
  Bar bar_of(const ReliabilityBin& bin) const {
    const double wide = std::max(side_ * (bin.high - bin.low), narrowest_bar);
    const double x = x_of((bin.low + bin.high) / 2) - wide / 2;
    return {std::clamp(x, left_, std::max(left_, left_ + side_ - wide)), wide};
  }

  void draw_frames(Canvas& canvas) const {
    const Stroke grid{.colour = grid_colour};
    const Stroke frame{.colour = ink};
    const double bottom = weights_top_ + weights_height_;
    for (const Tick& tick : make_scale(0, 1, 5, ScaleEnds::exact).ticks) {
      const double x = x_of(tick.value);
      const double y = y_of(tick.value);
      canvas.line(left_, y, left_ + side_, y, grid);
      canvas.line(x, top_, x, top_ + side_, grid);
      canvas.line(x, weights_top_, x, bottom, grid);
      canvas.text(left_ - 8 * unit_, y + 4 * unit_, tick.label,
                  {.size = tick_size(), .anchor = Anchor::end});
      canvas.line(x, bottom, x, bottom + 5, frame);
      canvas.text(x, bottom + 19 * unit_, tick.label,
                  {.size = tick_size(), .anchor = Anchor::middle});
    }
    draw_words(canvas, {left_ + side_ / 2, bottom + 40 * unit_}, diagram_.chance_label, side_,
               {.size = label_size()});
    draw_words(canvas, {20 * unit_, top_ + side_ / 2}, diagram_.frequency_label, side_,
               {.size = label_size(), .rotate = -90});
  }

  /// Around the place; in smaller letters where they would not fit otherwise.
  static void draw_words(Canvas& canvas, Point place, const std::string& words, double room,
                         TextStyle style) {
    style.size = fitting_size(words, style.size, room);
    style.anchor = Anchor::middle;
    canvas.text(place.x, place.y, fitted(words, style.size, room), style);
  }

  void draw_bins(Canvas& canvas) const {
    for (const ReliabilityBin& bin : diagram_.bins) {
      const Bar bar = bar_of(bin);
      canvas.begin_group(
          fmt::format("predicted {:.3f}, observed {:.3f}", bin.mean_chance, bin.frequency));
      canvas.rectangle(bar.x, y_of(bin.frequency), bar.width, side_ * bin.frequency, bar_colour,
                       {.colour = "#ffffff"});
      const std::string_view colour = bin.gap() > 0 ? over_colour : under_colour;
      const double upper = std::max(bin.mean_chance, bin.frequency);
      if (bin.gap() != 0) {
        canvas.rectangle(bar.x, y_of(upper), bar.width, side_ * std::abs(bin.gap()), colour,
                         {.colour = colour, .width = gap_outline}, gap_opacity);
      }
      canvas.end_group();
    }
    canvas.line(x_of(0), y_of(0), x_of(1), y_of(1), {.colour = ink, .dashes = diagonal_dashes});
    for (std::size_t i = 0; i < diagram_.bins.size(); ++i) {
      const ReliabilityBin& bin = diagram_.bins[i];
      const double x = x_of(bin.mean_chance);
      canvas.circle(x, y_of(bin.frequency), 3, ink);
      if (diagram_.spreads.empty()) continue;
      const double low = std::max(bin.frequency - diagram_.spreads[i], 0.0);
      const double high = std::min(bin.frequency + diagram_.spreads[i], 1.0);
      canvas.line(x, y_of(low), x, y_of(high), {.colour = ink, .width = 1.5});
    }
  }

  void draw_weights(Canvas& canvas) const {
    double largest = 0;
    for (const ReliabilityBin& bin : diagram_.bins) largest = std::max(largest, bin.weight);
    const double bottom = weights_top_ + weights_height_;
    for (const ReliabilityBin& bin : diagram_.bins) {
      if (largest <= 0) break;
      const Bar bar = bar_of(bin);
      const double tall = weights_height_ * bin.weight / largest;
      canvas.rectangle(bar.x, bottom - tall, bar.width, tall, weight_colour, {.colour = "#ffffff"});
    }
    if (total_ > 0) {
      canvas.text(left_ - 8 * unit_, weights_top_ + 9 * unit_,
                  fmt::format("{:.0f} %", 100 * largest / total_),
                  {.size = tick_size(), .anchor = Anchor::end});
    }
    canvas.text(left_ - 8 * unit_, bottom + 4 * unit_, "0",
                {.size = tick_size(), .anchor = Anchor::end});
    canvas.text(20 * unit_, weights_top_ + weights_height_ / 2, "share",
                {.size = tick_size(), .anchor = Anchor::middle, .rotate = -90});
  }

  std::size_t legend_columns() const {
    const double column = 30 * unit_ + text_width(entries[3].words, tick_size()) + 12 * unit_;
    return 2 * column <= width_ - 16 * unit_ ? 2 : 1;
  }
  std::size_t legend_rows() const {
    return (entries.size() + legend_columns() - 1) / legend_columns() + (note_.empty() ? 0 : 1);
  }

  void draw_legend(Canvas& canvas) const {
    const std::size_t columns = legend_columns();
    const double begin = columns == 2 ? left_ : std::min(left_, width_ / 8);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const LegendLine& entry = entries[i];
      const std::size_t line = i / columns;
      const double x = begin + side_ / 2 * static_cast<double>(i % columns);
      const double y = legend_top() + legend_row() * static_cast<double>(line);
      draw_sign(canvas, entry, x, y);
      canvas.text(x + 26 * unit_, y, entry.words, {.size = tick_size()});
    }
    if (note_.empty()) return;
    const double y = legend_top() + legend_row() * static_cast<double>(legend_rows() - 1);
    draw_words(canvas, {width_ / 2, y}, note_, width_ - 16 * unit_, {.size = tick_size()});
  }

  void draw_sign(Canvas& canvas, const LegendLine& entry, double x, double y) const {
    const double middle = y - 5 * unit_;
    if (entry.sign == Sign::line) {
      canvas.line(x, middle, x + 20 * unit_, middle,
                  {.colour = entry.colour, .dashes = diagonal_dashes});
    } else if (entry.sign == Sign::dot) {
      canvas.circle(x + 10 * unit_, middle, 3, entry.colour);
    } else {
      const bool gap = entry.sign == Sign::gap;
      const auto box = [&](std::string_view colour, const Stroke& stroke, double opacity) {
        canvas.rectangle(x + 2 * unit_, y - 10 * unit_, 16 * unit_, 11 * unit_, colour, stroke,
                         opacity);
      };
      // Where it was under-confident the gap lies on the bar, else above it.
      if (entry.colour == under_colour) box(bar_colour, {}, 1);
      box(entry.colour, gap ? Stroke{.colour = entry.colour, .width = gap_outline} : Stroke{},
          gap ? gap_opacity : 1);
    }
  }

  const ReliabilityDiagram& diagram_;
  std::string title_;
  std::string note_;
  double unit_;  ///< letters of the usual size are 1
  double width_;
  double left_;
  double top_;
  double side_;  ///< of the square
  double weights_top_;
  double weights_height_;
  double total_ = 0;
};

}  // namespace

std::string to_svg(const ReliabilityDiagram& diagram) {
  return draw_chart(diagram, {}, FigureFormat::svg);
}

std::string draw_chart(const ReliabilityDiagram& diagram, const FigureStyle& style,
                       FigureFormat format) {
  for (const ReliabilityBin& bin : diagram.bins) {
    invariant(bin.low >= 0 && bin.high <= 1 && bin.low <= bin.high && bin.weight >= 0 &&
                  bin.mean_chance >= 0 && bin.mean_chance <= 1 && bin.frequency >= 0 &&
                  bin.frequency <= 1,
              "bins of chances");
  }
  invariant(diagram.spreads.empty() || diagram.spreads.size() == diagram.bins.size(),
            "a spread for each bin");
  return render(DrawnReliability(diagram, style), format);
}

}  // namespace creg
