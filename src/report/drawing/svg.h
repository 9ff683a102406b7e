// Drawing in SVG: elements in order, coordinates in fixed short form so that files are
// reproducible.
#pragma once

#include <string>
#include <string_view>

namespace creg {

/// Text as XML holds it. What XML cannot hold (control characters, bytes that are not UTF-8)
/// becomes U+FFFD.
std::string xml_text(std::string_view text);

/// A guess from above at the width that a sans-serif font gives the text.
double text_width(std::string_view text, double size);

/// The text, or its end behind an ellipsis where it would be wider: of a path, the end tells more.
std::string fitted(std::string_view text, double size, double width);

enum class Anchor { start, middle, end };

struct TextStyle {
  double size = 12;
  Anchor anchor = Anchor::start;
  bool bold = false;
  double rotate = 0;  ///< degrees, around its place
};

/// Of lines and outlines.
struct Stroke {
  std::string_view colour = "none";
  double width = 1;
  std::string_view dashes = {};
};

/// Every call adds an element above those before.
class SvgDrawing {
 public:
  /// On white. Title and description are for readers that do not see the drawing.
  SvgDrawing(double width, double height, std::string_view title, std::string_view description);

  void line(double x1, double y1, double x2, double y2, const Stroke& stroke);
  /// `points` as "x,y x,y …", by `point`.
  void polyline(std::string_view points, const Stroke& stroke);
  void polygon(std::string_view points, std::string_view fill);
  void rectangle(double x, double y, double width, double height, std::string_view fill,
                 const Stroke& stroke = {}, double opacity = 1);
  void circle(double x, double y, double radius, std::string_view fill);
  void text(double x, double y, std::string_view text, const TextStyle& style = {});
  /// Elements until `end_group` belong together under this name.
  void begin_group(std::string_view name);
  void end_group();

  /// The whole file. Nothing can be added after.
  std::string finish() &&;

  static std::string point(double x, double y);

 private:
  std::string text_;
};

constexpr std::string_view ink = "#222222";  ///< of texts and frames
constexpr std::string_view grid_colour = "#e3e3e3";

}  // namespace creg
