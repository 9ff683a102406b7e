#include "report/line_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "creg/core/error.h"
#include "report/drawing/scale.h"
#include "report/drawing/svg.h"

namespace creg {
namespace {

// By Okabe and Ito, without the yellow that white swallows.
constexpr std::array<std::string_view, 7> colours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                     "#e69f00", "#56b4e9", "#000000"};
enum class Marker { none, circle, square, diamond };
constexpr int marker_count = 4;

constexpr std::string_view right_dashes = "7 4";
constexpr double line_width = 1.8;
constexpr double chart_width = 760;
constexpr double plot_top = 46;
constexpr double plot_height = 300;
constexpr double tick_size = 12;
constexpr double label_size = 13;
constexpr double title_size = 16;
constexpr double legend_row = 20;
constexpr double sample_width = 28;  // of a line in the legend

std::string_view colour_of(int style) {
  return colours[static_cast<std::size_t>(style) % colours.size()];
}

Marker marker_of(int style) {
  return static_cast<Marker>(style / static_cast<int>(colours.size()) % marker_count);
}

void draw_marker(SvgDrawing& svg, Marker marker, double x, double y, std::string_view colour) {
  constexpr double size = 3.5;
  if (marker == Marker::circle) svg.circle(x, y, size, colour);
  if (marker == Marker::square) {
    svg.rectangle(x - size, y - size, 2 * size, 2 * size, colour);
  }
  if (marker == Marker::diamond) {
    constexpr double reach = 1.4 * size;
    svg.polygon(SvgDrawing::point(x, y - reach) + " " + SvgDrawing::point(x + reach, y) + " " +
                    SvgDrawing::point(x, y + reach) + " " + SvgDrawing::point(x - reach, y),
                colour);
  }
}

bool is_drawn(std::optional<double> value) {
  return value && std::isfinite(*value) && std::abs(*value) <= largest_drawn;
}

/// The least and most of values seen.
struct Range {
  double least = 0;
  double most = 0;
  bool empty = true;

  void add(double value) {
    least = empty ? value : std::min(least, value);
    most = empty ? value : std::max(most, value);
    empty = false;
  }
  Scale scale(int intervals, ScaleEnds ends, bool whole) const {
    return empty ? Scale{} : make_scale(least, most, intervals, ends, whole);
  }
};

struct LegendEntry {
  std::string name;
  int style = 0;
};

double widest_label(const Scale& scale) {
  double width = 0;
  for (const Tick& tick : scale.ticks) width = std::max(width, text_width(tick.label, tick_size));
  return width;
}

class Drawing {
 public:
  explicit Drawing(const LineChart& chart) : chart_(chart) {
    measure();
    lay_out();
  }

  std::string draw() {
    SvgDrawing svg(chart_width, height_, chart_.title, description());
    svg.text(chart_width / 2, 27, fitted(chart_.title, title_size, chart_width - 24),
             {.size = title_size, .anchor = Anchor::middle, .bold = true});
    draw_axes(svg);
    for (const ChartSeries& series : chart_.series) draw_series(svg, series);
    if (x_range_.empty) {
      svg.text(left_ + plot_width_ / 2, plot_top + plot_height / 2, "no values",
               {.size = label_size, .anchor = Anchor::middle});
    }
    draw_legend(svg);
    return std::move(svg).finish();
  }

 private:
  void measure() {
    bool whole = true;
    for (const ChartSeries& series : chart_.series) {
      invariant(series.x.size() == series.y.size() && series.style >= 0,
                "a series has a y, or a gap, at each x");
      if (series.axis == ChartAxis::right) has_right_ = true;
      for (std::size_t i = 0; i < series.x.size(); ++i) {
        if (!is_drawn(series.x[i]) || !is_drawn(series.y[i])) continue;
        x_range_.add(series.x[i]);
        whole = whole && series.x[i] == std::floor(series.x[i]);
        (series.axis == ChartAxis::right ? right_range_ : left_range_).add(*series.y[i]);
      }
      const bool known = std::ranges::any_of(legend_, [&](const LegendEntry& entry) {
        return entry.name == series.name && entry.style == series.style;
      });
      if (!known && !series.name.empty()) legend_.push_back({series.name, series.style});
    }
    has_right_ = has_right_ || chart_.right_label.has_value();
    x_ = x_range_.scale(8, ScaleEnds::exact, whole);
    left_scale_ = left_range_.scale(5, ScaleEnds::round, false);
    right_scale_ = right_range_.scale(5, ScaleEnds::round, false);
  }

  void lay_out() {
    left_ = 40 + widest_label(left_scale_) + 8;
    const double right = has_right_ ? 40 + widest_label(right_scale_) + 8 : 28;
    plot_width_ = chart_width - left_ - right;
    double widest = 0;
    for (LegendEntry& entry : legend_) {
      entry.name = fitted(entry.name, tick_size, chart_width - 90);
      widest = std::max(widest, text_width(entry.name, tick_size));
    }
    legend_column_ = sample_width + 8 + widest + 20;
    const auto fit = static_cast<std::size_t>((chart_width - 48) / legend_column_);
    legend_columns_ = std::max<std::size_t>(1, std::min(fit, legend_.size()));
    legend_top_ = plot_top + plot_height + 66;
    const std::size_t rows = (legend_.size() + legend_columns_ - 1) / legend_columns_;
    height_ = legend_top_ + legend_row * static_cast<double>(rows + (has_right_ ? 1 : 0));
  }

  double x_of(double x) const { return left_ + plot_width_ * x_.share(x); }
  double y_of(const ChartSeries& series, double y) const {
    const Scale& scale = series.axis == ChartAxis::right ? right_scale_ : left_scale_;
    return plot_top + plot_height * (1 - scale.share(y));
  }

  void draw_axes(SvgDrawing& svg) const {
    const double right = left_ + plot_width_;
    const double bottom = plot_top + plot_height;
    const Stroke grid{.colour = grid_colour};
    const Stroke frame{.colour = ink};
    for (const Tick& tick : left_scale_.ticks) {
      const double y = plot_top + plot_height * (1 - left_scale_.share(tick.value));
      svg.line(left_, y, right, y, grid);
      svg.text(left_ - 8, y + 4, tick.label, {.size = tick_size, .anchor = Anchor::end});
    }
    for (const Tick& tick : right_scale_.ticks) {
      const double y = plot_top + plot_height * (1 - right_scale_.share(tick.value));
      svg.line(right, y, right + 5, y, frame);
      svg.text(right + 8, y + 4, tick.label, {.size = tick_size});
    }
    for (const Tick& tick : x_.ticks) {
      const double x = x_of(tick.value);
      svg.line(x, plot_top, x, bottom, grid);
      svg.line(x, bottom, x, bottom + 5, frame);
      svg.text(x, bottom + 19, tick.label, {.size = tick_size, .anchor = Anchor::middle});
    }
    svg.line(left_, plot_top, left_, bottom, frame);
    svg.line(left_, bottom, right, bottom, frame);
    if (has_right_) svg.line(right, plot_top, right, bottom, frame);
    const double middle = plot_top + plot_height / 2;
    svg.text(left_ + plot_width_ / 2, bottom + 40, fitted(chart_.x_label, label_size, plot_width_),
             {.size = label_size, .anchor = Anchor::middle});
    svg.text(20, middle, fitted(chart_.left_label, label_size, plot_height),
             {.size = label_size, .anchor = Anchor::middle, .rotate = -90});
    if (chart_.right_label) {
      svg.text(chart_width - 20, middle, fitted(*chart_.right_label, label_size, plot_height),
               {.size = label_size, .anchor = Anchor::middle, .rotate = 90});
    }
  }

  void draw_series(SvgDrawing& svg, const ChartSeries& series) const {
    const std::string_view colour = colour_of(series.style);
    const Stroke stroke = stroke_of(series.axis, colour);
    svg.begin_group(full_name(series));
    for (std::size_t i = 0; i < series.x.size();) {
      std::string points;
      std::size_t count = 0;
      const std::size_t begin = i;
      for (; i < series.x.size() && is_drawn(series.x[i]) && is_drawn(series.y[i]); ++i, ++count) {
        if (count > 0) points += ' ';
        points += SvgDrawing::point(x_of(series.x[i]), y_of(series, *series.y[i]));
      }
      if (count == 1) svg.circle(x_of(series.x[begin]), y_of(series, *series.y[begin]), 3, colour);
      if (count > 1) svg.polyline(points, stroke);
      if (count == 0) ++i;
    }
    draw_markers(svg, series, colour);
    svg.end_group();
  }

  void draw_markers(SvgDrawing& svg, const ChartSeries& series, std::string_view colour) const {
    const Marker marker = marker_of(series.style);
    if (marker == Marker::none) return;
    constexpr std::size_t about = 8;
    const std::size_t every = std::max<std::size_t>(1, series.x.size() / about);
    // Each style starts elsewhere: markers of lines that coincide do not cover each other.
    for (std::size_t i = static_cast<std::size_t>(series.style) % every; i < series.x.size();
         i += every) {
      if (!is_drawn(series.x[i]) || !is_drawn(series.y[i])) continue;
      draw_marker(svg, marker, x_of(series.x[i]), y_of(series, *series.y[i]), colour);
    }
  }

  void draw_legend(SvgDrawing& svg) const {
    const double middle = chart_width / 2;
    double y = legend_top_;
    if (has_right_) {
      // Which line belongs to which axis, in no series' colour.
      const double half = middle - 32;
      const double text_room = half - sample_width - 24;
      const std::string left = fitted(chart_.left_label + " (left)", tick_size, text_room);
      const std::string right =
          fitted(chart_.right_label.value_or("") + " (right)", tick_size, text_room);
      const double left_x = middle - 16 - sample_width - 8 - text_width(left, tick_size);
      draw_sample(svg, left_x, y, stroke_of(ChartAxis::left, ink));
      svg.text(left_x + sample_width + 8, y, left);
      draw_sample(svg, middle + 16, y, stroke_of(ChartAxis::right, ink));
      svg.text(middle + 16 + sample_width + 8, y, right);
      y += legend_row;
    }
    const double begin = middle - legend_column_ * static_cast<double>(legend_columns_) / 2 + 10;
    for (std::size_t i = 0; i < legend_.size(); ++i) {
      const double x = begin + legend_column_ * static_cast<double>(i % legend_columns_);
      const std::size_t line = i / legend_columns_;
      const double row = y + legend_row * static_cast<double>(line);
      const std::string_view colour = colour_of(legend_[i].style);
      draw_sample(svg, x, row, {.colour = colour, .width = 3});
      draw_marker(svg, marker_of(legend_[i].style), x + sample_width / 2, row - 4, colour);
      svg.text(x + sample_width + 8, row, legend_[i].name);
    }
  }

  static void draw_sample(SvgDrawing& svg, double x, double baseline, const Stroke& stroke) {
    svg.line(x, baseline - 4, x + sample_width, baseline - 4, stroke);
  }

  static Stroke stroke_of(ChartAxis axis, std::string_view colour) {
    return {.colour = colour,
            .width = line_width,
            .dashes = axis == ChartAxis::right ? right_dashes : std::string_view()};
  }

  std::string full_name(const ChartSeries& series) const {
    std::string label =
        series.axis == ChartAxis::right ? chart_.right_label.value_or("") : chart_.left_label;
    if (series.name.empty()) return label;
    return label.empty() ? series.name : series.name + ": " + label;
  }

  std::string description() const {
    std::string text = "Line chart over " + chart_.x_label + ".";
    for (const ChartSeries& series : chart_.series) {
      std::size_t first = series.x.size();
      std::size_t last = 0;
      for (std::size_t i = 0; i < series.x.size(); ++i) {
        if (!is_drawn(series.x[i]) || !is_drawn(series.y[i])) continue;
        first = std::min(first, i);
        last = i;
      }
      text += " " + full_name(series);
      text += first == series.x.size()
                  ? std::string(": no values.")
                  : fmt::format(", {:.4g} at {:.6g} and {:.4g} at {:.6g}.", *series.y[first],
                                series.x[first], *series.y[last], series.x[last]);
    }
    return text;
  }

  const LineChart& chart_;
  Range x_range_;
  Range left_range_;
  Range right_range_;
  Scale x_;
  Scale left_scale_;
  Scale right_scale_;
  bool has_right_ = false;
  double left_ = 0;
  double plot_width_ = 0;
  double height_ = 0;
  double legend_top_ = 0;
  double legend_column_ = 0;
  std::size_t legend_columns_ = 1;
  std::vector<LegendEntry> legend_;
};

}  // namespace

std::string to_svg(const LineChart& chart) {
  return Drawing(chart).draw();
}

}  // namespace creg
