#include "report/drawing/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/utf8.h"

namespace creg {
namespace {

constexpr char32_t replacement = 0xfffd;

/// Code points; bytes that are not UTF-8 become one replacement each.
std::u32string code_points(std::string_view text) {
  if (std::optional<std::u32string> whole = decode_utf8(text)) return *std::move(whole);
  std::u32string out;
  while (!text.empty()) {
    std::size_t length = 1;
    std::optional<std::u32string> one;
    for (; length <= std::min<std::size_t>(4, text.size()); ++length) {
      one = decode_utf8(text.substr(0, length));
      if (one) break;
    }
    out += one ? *one : std::u32string(1, replacement);
    text.remove_prefix(one ? length : 1);
  }
  return out;
}

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

double text_width(std::string_view text, double size) {
  return 0.62 * size * static_cast<double>(code_points(text).size());
}

std::string fitted(std::string_view text, double size, double width) {
  const std::u32string all = code_points(text);
  const auto room = static_cast<std::size_t>(std::max(1.0, width / (0.62 * size)));
  std::string out;
  if (all.size() > room) append_utf8(out, 0x2026);
  const std::size_t kept = all.size() > room ? room - 1 : all.size();
  for (const char32_t c : all.substr(all.size() - kept)) append_utf8(out, c);
  return out;
}

SvgDrawing::SvgDrawing(double width, double height, std::string_view title,
                       std::string_view description) {
  text_ = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{0}" height="{1}" viewBox="0 0 {0} {1}" font-family="system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif">
<title>{2}</title>
<desc>{3}</desc>
)",
      coordinate(width), coordinate(height), xml_text(title), xml_text(description));
  rectangle(0, 0, width, height, "#ffffff");
}

void SvgDrawing::line(double x1, double y1, double x2, double y2, const Stroke& stroke) {
  text_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"{}/>\n", coordinate(x1),
                       coordinate(y1), coordinate(x2), coordinate(y2), stroke_attributes(stroke));
}

void SvgDrawing::polyline(std::string_view points, const Stroke& stroke) {
  text_ += fmt::format(
      "<polyline points=\"{}\" fill=\"none\" stroke-linejoin=\"round\" "
      "stroke-linecap=\"round\"{}/>\n",
      points, stroke_attributes(stroke));
}

void SvgDrawing::polygon(std::string_view points, std::string_view fill) {
  text_ += fmt::format("<polygon points=\"{}\" fill=\"{}\"/>\n", points, fill);
}

void SvgDrawing::rectangle(double x, double y, double width, double height, std::string_view fill,
                           const Stroke& stroke, double opacity) {
  text_ += fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}" fill="{}")", coordinate(x),
                       coordinate(y), coordinate(width), coordinate(height), fill);
  if (opacity < 1) text_ += fmt::format(" fill-opacity=\"{}\"", coordinate(opacity));
  text_ += stroke_attributes(stroke) + "/>\n";
}

void SvgDrawing::circle(double x, double y, double radius, std::string_view fill) {
  text_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"/>\n", coordinate(x),
                       coordinate(y), coordinate(radius), fill);
}

void SvgDrawing::text(double x, double y, std::string_view text, const TextStyle& style) {
  text_ += fmt::format(R"(<text x="{}" y="{}" font-size="{}" fill="{}")", coordinate(x),
                       coordinate(y), coordinate(style.size), ink);
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

void SvgDrawing::begin_group(std::string_view name) {
  text_ += "<g>\n<title>" + xml_text(name) + "</title>\n";
}

void SvgDrawing::end_group() {
  text_ += "</g>\n";
}

std::string SvgDrawing::finish() && {
  text_ += "</svg>\n";
  return std::move(text_);
}

std::string SvgDrawing::point(double x, double y) {
  return coordinate(x) + "," + coordinate(y);
}

}  // namespace creg
