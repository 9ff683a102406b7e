#include "report/drawing/svg.h"

#include <fmt/format.h>

#include <utility>

#include "core/utf8.h"

namespace creg {
namespace {

constexpr char32_t replacement = 0xfffd;

bool fits_xml(char32_t c) {
  if (c < 0x20) return c == '\t' || c == '\n' || c == '\r';
  return c != 0xfffe && c != 0xffff;
}

/// Two decimals at most, without zeros at the end and never "-0".
std::string coordinate(double value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string point_list(const std::vector<Point>& points) {
  std::string text;
  for (const Point& point : points) {
    text += (text.empty() ? "" : " ") + coordinate(point.x) + "," + coordinate(point.y);
  }
  return text;
}

std::string stroke_attributes(const Stroke& stroke) {
  if (stroke.colour == "none") return "";
  std::string text =
      fmt::format(R"( stroke="{}" stroke-width="{}")", stroke.colour, coordinate(stroke.width));
  if (!stroke.dashes.empty()) text += fmt::format(R"( stroke-dasharray="{}")", stroke.dashes);
  return text;
}

std::string_view anchor_name(Anchor anchor) {
  switch (anchor) {
    case Anchor::middle:
      return "middle";
    case Anchor::end:
      return "end";
    case Anchor::start:
      break;
  }
  return "start";
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string out;
  for (const char32_t c : code_points(text)) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\'') {
      out += "&#39;";
    } else {
      append_utf8(out, fits_xml(c) ? c : replacement);
    }
  }
  return out;
}

SvgCanvas::SvgCanvas(double width, double height, std::string_view title,
                     std::string_view description) {
  text_ = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{0}" height="{1}" viewBox="0 0 {0} {1}" font-family="system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif">
<title>{2}</title>
<desc>{3}</desc>
)",
      coordinate(width), coordinate(height), xml_text(title), xml_text(description));
  text_ += fmt::format("<rect x=\"0\" y=\"0\" width=\"{}\" height=\"{}\" fill=\"#ffffff\"/>\n",
                       coordinate(width), coordinate(height));
}

void SvgCanvas::line(double x1, double y1, double x2, double y2, const Stroke& stroke) {
  text_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"{}/>\n", coordinate(x1),
                       coordinate(y1), coordinate(x2), coordinate(y2), stroke_attributes(stroke));
}

void SvgCanvas::polyline(const std::vector<Point>& points, const Stroke& stroke) {
  text_ += fmt::format(
      "<polyline points=\"{}\" fill=\"none\" stroke-linejoin=\"round\" "
      "stroke-linecap=\"round\"{}/>\n",
      point_list(points), stroke_attributes(stroke));
}

void SvgCanvas::polygon(const std::vector<Point>& points, std::string_view fill, double opacity) {
  text_ += fmt::format(R"(<polygon points="{}" fill="{}")", point_list(points), fill);
  if (opacity < 1) text_ += fmt::format(" fill-opacity=\"{}\"", coordinate(opacity));
  text_ += "/>\n";
}

void SvgCanvas::rectangle(double x, double y, double width, double height, std::string_view fill,
                          const Stroke& stroke, double opacity) {
  text_ += fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}" fill="{}")", coordinate(x),
                       coordinate(y), coordinate(width), coordinate(height), fill);
  if (opacity < 1) text_ += fmt::format(" fill-opacity=\"{}\"", coordinate(opacity));
  text_ += stroke_attributes(stroke) + "/>\n";
}

void SvgCanvas::circle(double x, double y, double radius, std::string_view fill) {
  text_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"/>\n", coordinate(x),
                       coordinate(y), coordinate(radius), fill);
}

void SvgCanvas::text(double x, double y, std::string_view text, const TextStyle& style) {
  text_ += fmt::format(R"(<text x="{}" y="{}" font-size="{}" fill="{}")", coordinate(x),
                       coordinate(y), coordinate(style.size), style.colour);
  if (style.anchor != Anchor::start) {
    text_ += fmt::format(" text-anchor=\"{}\"", anchor_name(style.anchor));
  }
  if (style.bold) text_ += " font-weight=\"600\"";
  if (style.rotate != 0) {
    text_ += fmt::format(" transform=\"rotate({} {} {})\"", coordinate(style.rotate), coordinate(x),
                         coordinate(y));
  }
  text_ += ">" + xml_text(text) + "</text>\n";
}

void SvgCanvas::begin_group(std::string_view name) {
  text_ += "<g>\n<title>" + xml_text(name) + "</title>\n";
}

void SvgCanvas::end_group() {
  text_ += "</g>\n";
}

std::string SvgCanvas::finish() && {
  text_ += "</svg>\n";
  return std::move(text_);
}

}  // namespace creg
