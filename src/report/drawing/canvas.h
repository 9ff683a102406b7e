// What figures are drawn on: a sheet that takes shapes in order, each above those before.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/figure_style.h"

namespace creg {

enum class Anchor { start, middle, end };

constexpr std::string_view ink = "#222222";  ///< of texts and frames
constexpr std::string_view grid_colour = "#e3e3e3";

struct TextStyle {
  double size = 12;
  Anchor anchor = Anchor::start;
  bool bold = false;
  double rotate = 0;  ///< degrees, around its place
  std::string_view colour = ink;
};

/// Of lines and outlines.
struct Stroke {
  std::string_view colour = "none";
  double width = 1;
  std::string_view dashes = {};  ///< "7 4": drawn and left out, in turn
};

struct Point {
  double x = 0;
  double y = 0;
};

/// Colours are "#rrggbb" or "none".
class Canvas {
 public:
  Canvas() = default;
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;
  virtual ~Canvas() = default;

  virtual void line(double x1, double y1, double x2, double y2, const Stroke& stroke) = 0;
  virtual void polyline(const std::vector<Point>& points, const Stroke& stroke) = 0;
  virtual void polygon(const std::vector<Point>& points, std::string_view fill,
                       double opacity = 1) = 0;
  virtual void rectangle(double x, double y, double width, double height, std::string_view fill,
                         const Stroke& stroke = {}, double opacity = 1) = 0;
  virtual void circle(double x, double y, double radius, std::string_view fill) = 0;
  virtual void text(double x, double y, std::string_view text, const TextStyle& style = {}) = 0;
  /// Elements until `end_group` belong together under this name, where the format has such.
  virtual void begin_group(std::string_view /*name*/) {}
  virtual void end_group() {}
};

/// Something to draw that knows how large it is.
class Figure {
 public:
  Figure() = default;
  Figure(const Figure&) = delete;
  Figure& operator=(const Figure&) = delete;
  virtual ~Figure() = default;

  virtual double width() const = 0;
  virtual double height() const = 0;
  /// For readers that do not see it.
  virtual std::string title() const = 0;
  virtual std::string description() const = 0;
  virtual void draw(Canvas& canvas) const = 0;
};

/// The file. PDF and PNG are environment errors where this build has no cairo, or the machine none.
std::string render(const Figure& figure, FigureFormat format);

/// Code points; bytes that are not UTF-8 become U+FFFD each.
std::u32string code_points(std::string_view text);

/// The text in UTF-8 and without control characters: U+FFFD stands for what is not.
std::string drawable_text(std::string_view text);

/// A guess from above at the width that a sans-serif font gives the text.
double text_width(std::string_view text, double size);

/// `size`, or a smaller one down to half of it where the text would be wider.
double fitting_size(std::string_view text, double size, double width);

/// The text, or its end behind an ellipsis where it would be wider: of a path, the end tells more.
std::string fitted(std::string_view text, double size, double width);

}  // namespace creg
