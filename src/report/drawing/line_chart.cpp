#include "report/line_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "creg/core/error.h"
#include "report/drawing/canvas.h"
#include "report/drawing/scale.h"

namespace creg {
namespace {

// By Okabe and Ito, without the yellow that white swallows.
constexpr std::array<std::string_view, 7> colours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                     "#e69f00", "#56b4e9", "#000000"};
// Of these the cool ones for the left axis of two, the warm ones for the right.
constexpr std::array<std::string_view, 3> left_colours = {"#0072b2", "#56b4e9", "#009e73"};
constexpr std::array<std::string_view, 3> right_colours = {"#d55e00", "#e69f00", "#cc79a7"};
enum class Marker { none, circle, square, diamond };
constexpr int marker_count = 4;

constexpr std::string_view right_dashes = "7 4";
constexpr double line_width = 1.8;
constexpr double band_opacity = 0.2;
constexpr double usual_width = 760;
constexpr double usual_height = 300;  // of the plot
constexpr double usual_font = 13;

void draw_marker(Canvas& canvas, Marker marker, double x, double y, std::string_view colour) {
  constexpr double size = 3.5;
  if (marker == Marker::circle) canvas.circle(x, y, size, colour);
  if (marker == Marker::square) {
    canvas.rectangle(x - size, y - size, 2 * size, 2 * size, colour);
  }
  if (marker == Marker::diamond) {
    constexpr double reach = 1.4 * size;
    canvas.polygon({{x, y - reach}, {x + reach, y}, {x, y + reach}, {x - reach, y}}, colour);
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

class DrawnChart final : public Figure {
 public:
  DrawnChart(const LineChart& chart, const FigureStyle& style)
      : chart_(chart),
        title_(style.title.value_or(chart.title)),
        note_(style.note ? chart.note : ""),
        unit_(style.font / usual_font),
        width_(style.width.value_or(usual_width)),
        plot_height_(usual_height * width_ / usual_width),
        tick_size_(12 * unit_),
        label_size_(13 * unit_),
        title_size_(16 * unit_),
        legend_row_(20 * unit_),
        sample_(28 * unit_) {
    measure();
    lay_out();
  }

  double width() const override { return width_; }
  double height() const override { return height_; }
  std::string title() const override { return title_; }

  std::string description() const override {
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

  void draw(Canvas& canvas) const override {
    if (!title_.empty()) {
      const double room = width_ - 24 * unit_;
      const double size = fitting_size(title_, title_size_, room);
      canvas.text(width_ / 2, 27 * unit_, fitted(title_, size, room),
                  {.size = size, .anchor = Anchor::middle, .bold = true});
    }
    draw_axes(canvas);
    for (const ChartSeries& series : chart_.series) draw_band(canvas, series);
    for (const ChartSeries& series : chart_.series) draw_series(canvas, series);
    if (x_range_.empty) {
      canvas.text(left_ + plot_width_ / 2, top_ + plot_height_ / 2, "no values",
                  {.size = label_size_, .anchor = Anchor::middle});
    }
    draw_legend(canvas);
  }

 private:
  void measure() {
    bool whole = true;
    for (const ChartSeries& series : chart_.series) {
      invariant(series.x.size() == series.y.size() && series.style >= 0,
                "a series has a y, or a gap, at each x");
      invariant(series.low.size() == series.high.size() &&
                    (series.low.empty() || series.low.size() == series.x.size()),
                "a band has both ends at each x");
      if (series.axis == ChartAxis::right) has_right_ = true;
      for (std::size_t i = 0; i < series.x.size(); ++i) {
        if (!is_drawn(series.x[i]) || !is_drawn(series.y[i])) continue;
        x_range_.add(series.x[i]);
        whole = whole && series.x[i] == std::floor(series.x[i]);
        Range& range = series.axis == ChartAxis::right ? right_range_ : left_range_;
        range.add(*series.y[i]);
        if (!in_band(series, i)) continue;
        range.add(*series.low[i]);
        range.add(*series.high[i]);
      }
      const bool known = std::ranges::any_of(legend_, [&](const LegendEntry& entry) {
        return entry.name == series.name && entry.style == series.style;
      });
      if (!known && !series.name.empty()) legend_.push_back({series.name, series.style});
    }
    has_right_ = has_right_ || chart_.right_label.has_value();
    // Small figures with large letters have room for few marks.
    const double room = width_ / usual_width / unit_;
    const auto intervals = [&](int usual) {
      return std::clamp(static_cast<int>(std::lround(usual * room)), 2, usual);
    };
    x_ = x_range_.scale(intervals(8), ScaleEnds::exact, whole);
    left_scale_ = left_range_.scale(intervals(5), ScaleEnds::round, false);
    right_scale_ = right_range_.scale(intervals(5), ScaleEnds::round, false);
  }

  double widest_label(const Scale& scale) const {
    double widest = 0;
    for (const Tick& tick : scale.ticks)
      widest = std::max(widest, text_width(tick.label, tick_size_));
    return widest;
  }

  void lay_out() {
    top_ = (title_.empty() ? 14 : 46) * unit_;
    left_ = 48 * unit_ + widest_label(left_scale_);
    const double right = has_right_ ? 48 * unit_ + widest_label(right_scale_) : 28 * unit_;
    plot_width_ = std::max(width_ - left_ - right, 1.0);
    double widest = 0;
    for (LegendEntry& entry : legend_) {
      entry.name = fitted(entry.name, tick_size_, width_ - (90 + (has_right_ ? 36 : 0)) * unit_);
      widest = std::max(widest, text_width(entry.name, tick_size_));
    }
    legend_column_ = samples_width() + 28 * unit_ + widest;
    const auto fit =
        static_cast<std::size_t>(std::max(1.0, (width_ - 48 * unit_) / legend_column_));
    legend_columns_ = std::max<std::size_t>(1, std::min(fit, legend_.size()));
    legend_top_ = top_ + plot_height_ + 66 * unit_;
    const std::size_t rows = (legend_.size() + legend_columns_ - 1) / legend_columns_ +
                             (has_right_ ? axis_rows() : 0) + (note_.empty() ? 0 : 1);
    height_ = legend_top_ + legend_row_ * static_cast<double>(rows);
  }

  /// Of an entry of the legend: one for each axis.
  double samples_width() const { return has_right_ ? 2 * sample_ + 8 * unit_ : sample_; }

  /// "q⁺ (right): share of …".
  static std::string axis_words(const std::string& label, std::string_view side,
                                const std::string& about) {
    return fmt::format("{} ({}){}{}", label, side, about.empty() ? "" : ": ", about);
  }
  std::string left_words() const {
    return axis_words(chart_.left_label, "left", chart_.left_about);
  }
  std::string right_words() const {
    return axis_words(chart_.right_label.value_or(""), "right", chart_.right_about);
  }

  /// The names of the axes stand side by side where they fit.
  std::size_t axis_rows() const {
    const double wide =
        text_width(left_words(), tick_size_) + text_width(right_words(), tick_size_);
    return wide + 2 * sample_ + 72 * unit_ <= width_ ? 1 : 2;
  }

  /// How wide the names of the axes are with their samples.
  double axis_names_width() const {
    const double gap = 8 * unit_;
    const double left = sample_ + gap + text_width(fitted_words(left_words()), tick_size_);
    const double right = sample_ + gap + text_width(fitted_words(right_words()), tick_size_);
    return axis_rows() == 1 ? left + 24 * unit_ + right : std::max(left, right);
  }
  std::string fitted_words(const std::string& words) const {
    return fitted(words, tick_size_, width_ - sample_ - 40 * unit_);
  }

  /// All of the legend begins here.
  double legend_left() const {
    const double entries = legend_column_ * static_cast<double>(legend_columns_) - 20 * unit_;
    const double wide = has_right_ ? std::max(entries, axis_names_width()) : entries;
    return std::max(10 * unit_, (width_ - wide) / 2);
  }

  std::string_view colour_of(int style, ChartAxis axis) const {
    const auto number = static_cast<std::size_t>(style);
    if (!has_right_) return colours[number % colours.size()];
    return axis == ChartAxis::left ? left_colours[number % left_colours.size()]
                                   : right_colours[number % right_colours.size()];
  }

  Marker marker_of(int style) const {
    const std::size_t turn = has_right_ ? left_colours.size() : colours.size();
    return static_cast<Marker>(style / static_cast<int>(turn) % marker_count);
  }

  double x_of(double x) const { return left_ + plot_width_ * x_.share(x); }
  double y_of(const ChartSeries& series, double y) const {
    const Scale& scale = series.axis == ChartAxis::right ? right_scale_ : left_scale_;
    return top_ + plot_height_ * (1 - scale.share(y));
  }

  void draw_axes(Canvas& canvas) const {
    const double right = left_ + plot_width_;
    const double bottom = top_ + plot_height_;
    const double lowered = 4 * unit_;  // from the middle of a letter to its foot
    const Stroke grid{.colour = grid_colour};
    const Stroke frame{.colour = ink};
    for (const Tick& tick : left_scale_.ticks) {
      const double y = top_ + plot_height_ * (1 - left_scale_.share(tick.value));
      canvas.line(left_, y, right, y, grid);
      canvas.text(left_ - 8 * unit_, y + lowered, tick.label,
                  {.size = tick_size_, .anchor = Anchor::end});
    }
    for (const Tick& tick : right_scale_.ticks) {
      const double y = top_ + plot_height_ * (1 - right_scale_.share(tick.value));
      canvas.line(right, y, right + 5, y, frame);
      canvas.text(right + 5 + 4 * unit_, y + lowered, tick.label, {.size = tick_size_});
    }
    for (const Tick& tick : x_.ticks) {
      const double x = x_of(tick.value);
      canvas.line(x, top_, x, bottom, grid);
      canvas.line(x, bottom, x, bottom + 5, frame);
      canvas.text(x, bottom + 19 * unit_, tick.label,
                  {.size = tick_size_, .anchor = Anchor::middle});
    }
    canvas.line(left_, top_, left_, bottom, axis_stroke(ChartAxis::left));
    canvas.line(left_, bottom, right, bottom, frame);
    if (has_right_) canvas.line(right, top_, right, bottom, axis_stroke(ChartAxis::right));
    const double x_size = fitting_size(chart_.x_label, label_size_, plot_width_);
    canvas.text(left_ + plot_width_ / 2, bottom + 40 * unit_,
                fitted(chart_.x_label, x_size, plot_width_),
                {.size = x_size, .anchor = Anchor::middle});
    draw_axis_label(canvas, 20 * unit_, -90, chart_.left_label, ChartAxis::left);
    if (chart_.right_label) {
      draw_axis_label(canvas, width_ - 20 * unit_, 90, *chart_.right_label, ChartAxis::right);
    }
  }

  /// In smaller letters where it would not fit otherwise.
  void draw_axis_label(Canvas& canvas, double x, double rotate, const std::string& label,
                       ChartAxis axis) const {
    const double size = fitting_size(label, label_size_, plot_height_);
    canvas.text(x, top_ + plot_height_ / 2, fitted(label, size, plot_height_),
                {.size = size,
                 .anchor = Anchor::middle,
                 .rotate = rotate,
                 .colour = axis_stroke(axis).colour});
  }

  /// Of two axes each has the colour of its first line.
  Stroke axis_stroke(ChartAxis axis) const {
    return {.colour = has_right_ ? colour_of(0, axis) : ink, .width = has_right_ ? 1.5 : 1};
  }

  void draw_band(Canvas& canvas, const ChartSeries& series) const {
    for (std::size_t i = 0; i < series.low.size();) {
      std::vector<Point> outline;
      std::vector<Point> back;
      for (; i < series.x.size() && in_band(series, i); ++i) {
        outline.push_back({x_of(series.x[i]), y_of(series, *series.high[i])});
        back.push_back({x_of(series.x[i]), y_of(series, *series.low[i])});
      }
      if (outline.size() > 1) {
        outline.insert(outline.end(), back.rbegin(), back.rend());
        canvas.polygon(outline, colour_of(series.style, series.axis), band_opacity);
      }
      if (outline.empty()) ++i;
    }
  }

  void draw_series(Canvas& canvas, const ChartSeries& series) const {
    const std::string_view colour = colour_of(series.style, series.axis);
    const Stroke stroke = stroke_of(series.axis, colour);
    canvas.begin_group(full_name(series));
    for (std::size_t i = 0; i < series.x.size();) {
      std::vector<Point> points;
      for (; i < series.x.size() && is_drawn(series.x[i]) && is_drawn(series.y[i]); ++i) {
        points.push_back({x_of(series.x[i]), y_of(series, *series.y[i])});
      }
      if (points.size() == 1) canvas.circle(points[0].x, points[0].y, 3, colour);
      if (points.size() > 1) canvas.polyline(points, stroke);
      if (points.empty()) ++i;
    }
    draw_markers(canvas, series, colour);
    canvas.end_group();
  }

  void draw_markers(Canvas& canvas, const ChartSeries& series, std::string_view colour) const {
    const Marker marker = marker_of(series.style);
    if (marker == Marker::none) return;
    constexpr std::size_t about = 8;
    const std::size_t every = std::max<std::size_t>(1, series.x.size() / about);
    // Each style starts elsewhere: markers of lines that coincide do not cover each other.
    for (std::size_t i = static_cast<std::size_t>(series.style) % every; i < series.x.size();
         i += every) {
      if (!is_drawn(series.x[i]) || !is_drawn(series.y[i])) continue;
      draw_marker(canvas, marker, x_of(series.x[i]), y_of(series, *series.y[i]), colour);
    }
  }

  void draw_legend(Canvas& canvas) const {
    const double middle = width_ / 2;
    const TextStyle letters{.size = tick_size_};
    double y = legend_top_;
    if (has_right_) y = draw_axis_names(canvas, y);
    const double begin = legend_left();
    for (std::size_t i = 0; i < legend_.size(); ++i) {
      double x = begin + legend_column_ * static_cast<double>(i % legend_columns_);
      const std::size_t line = i / legend_columns_;
      const double row = y + legend_row_ * static_cast<double>(line);
      const int style = legend_[i].style;
      draw_entry(canvas, x, row, style, ChartAxis::left);
      if (has_right_) draw_entry(canvas, x + sample_ + 8 * unit_, row, style, ChartAxis::right);
      canvas.text(x + samples_width() + 8 * unit_, row, legend_[i].name, letters);
    }
    if (note_.empty()) return;
    const std::size_t rows = (legend_.size() + legend_columns_ - 1) / legend_columns_;
    const double room = width_ - 24 * unit_;
    const double size = fitting_size(note_, tick_size_, room);
    canvas.text(middle, y + legend_row_ * static_cast<double>(rows), fitted(note_, size, room),
                {.size = size, .anchor = Anchor::middle});
  }

  /// Which line belongs to which axis. Returns where the next row is.
  double draw_axis_names(Canvas& canvas, double y) const {
    const TextStyle letters{.size = tick_size_};
    const double gap = 8 * unit_;
    const std::string left = fitted_words(left_words());
    const std::string right = fitted_words(right_words());
    const double begin = legend_left();
    draw_entry(canvas, begin, y, 0, ChartAxis::left);
    canvas.text(begin + sample_ + gap, y, left, letters);
    double x = begin + sample_ + gap + text_width(left, tick_size_) + 24 * unit_;
    if (axis_rows() > 1) {
      x = begin;
      y += legend_row_;
    }
    draw_entry(canvas, x, y, 0, ChartAxis::right);
    canvas.text(x + sample_ + gap, y, right, letters);
    return y + legend_row_;
  }

  void draw_entry(Canvas& canvas, double x, double baseline, int style, ChartAxis axis) const {
    const std::string_view colour = colour_of(style, axis);
    const double y = baseline - 4 * unit_;
    canvas.line(x, y, x + sample_, y, stroke_of(axis, colour));
    draw_marker(canvas, marker_of(style), x + sample_ / 2, y, colour);
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

  static bool in_band(const ChartSeries& series, std::size_t i) {
    return !series.low.empty() && is_drawn(series.x[i]) && is_drawn(series.low[i]) &&
           is_drawn(series.high[i]);
  }

  const LineChart& chart_;
  std::string title_;
  std::string note_;
  double unit_;  ///< letters of the usual size are 1
  double width_;
  double plot_height_;
  double tick_size_;
  double label_size_;
  double title_size_;
  double legend_row_;
  double sample_;  ///< width of a line in the legend
  Range x_range_;
  Range left_range_;
  Range right_range_;
  Scale x_;
  Scale left_scale_;
  Scale right_scale_;
  bool has_right_ = false;
  double top_ = 0;
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
  return draw_chart(chart, {}, FigureFormat::svg);
}

std::string draw_chart(const LineChart& chart, const FigureStyle& style, FigureFormat format) {
  return render(DrawnChart(chart, style), format);
}

}  // namespace creg
