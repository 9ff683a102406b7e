// Drawing in SVG: elements in order, coordinates in fixed short form so that files are
// reproducible.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/drawing/canvas.h"

namespace creg {

/// Text as XML holds it. What XML cannot hold (control characters, bytes that are not UTF-8)
/// becomes U+FFFD.
std::string xml_text(std::string_view text);

class SvgCanvas final : public Canvas {
 public:
  /// On white. Title and description are for readers that do not see the drawing.
  SvgCanvas(double width, double height, std::string_view title, std::string_view description);

  void line(double x1, double y1, double x2, double y2, const Stroke& stroke) override;
  void polyline(const std::vector<Point>& points, const Stroke& stroke) override;
  void polygon(const std::vector<Point>& points, std::string_view fill, double opacity) override;
  void rectangle(double x, double y, double width, double height, std::string_view fill,
                 const Stroke& stroke, double opacity) override;
  void circle(double x, double y, double radius, std::string_view fill) override;
  void text(double x, double y, std::string_view text, const TextStyle& style) override;
  void begin_group(std::string_view name) override;
  void end_group() override;

  /// The whole file. Nothing can be added after.
  std::string finish() &&;

 private:
  std::string text_;
};

}  // namespace creg
