#include "report/drawing/canvas.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "core/text.h"
#include "core/utf8.h"
#include "creg/core/error.h"
#include "report/drawing/cairo.h"
#include "report/drawing/svg.h"

namespace creg {
namespace {

constexpr char32_t no_character = 0xfffd;

struct LengthUnit {
  std::string_view name;
  double pixels;
};

constexpr std::array length_units = {LengthUnit{"px", 1}, LengthUnit{"pt", 96.0 / 72},
                                     LengthUnit{"in", 96}, LengthUnit{"cm", 96 / 2.54},
                                     LengthUnit{"mm", 9.6 / 2.54}};

/// A number and a unit of these, in pixels; nothing for anything else.
std::optional<double> length_in_pixels(std::string_view text, std::string_view unit) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  const std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  if (!rest.empty()) unit = rest;
  const auto* const found = std::ranges::find(length_units, unit, &LengthUnit::name);
  if (found == length_units.end() || !std::isfinite(number)) return std::nullopt;
  return number * found->pixels;
}

double parse_length(const std::string& text, const std::string& flag, std::string_view unit,
                    double least, double most, const std::string& expected) {
  const std::optional<double> length = length_in_pixels(text, unit);
  if (length && *length >= least && *length <= most) return *length;
  fail_input({.what = "this is no size that can be drawn",
              .file = flag,
              .found = in_quotes(text),
              .expected = expected});
}

}  // namespace

/// Code points; bytes that are not UTF-8 become one no_character each.
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
    out += one ? *one : std::u32string(1, no_character);
    text.remove_prefix(one ? length : 1);
  }
  return out;
}

std::string drawable_text(std::string_view text) {
  std::string out;
  for (const char32_t c : code_points(text)) append_utf8(out, c < 0x20 ? no_character : c);
  return out;
}

double text_width(std::string_view text, double size) {
  return 0.62 * size * static_cast<double>(code_points(text).size());
}

double fitting_size(std::string_view text, double size, double width) {
  constexpr double least = 0.5;
  const double wide = text_width(text, size);
  return wide <= width ? size : size * std::max(least, width / wide);
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

double parse_figure_width(const std::string& text, const std::string& flag) {
  return parse_length(text, flag, "px", 150, 10000, "150px to 10000px, or so in pt, mm, cm or in");
}

double parse_font_size(const std::string& text, const std::string& flag) {
  return parse_length(text, flag, "pt", 4, 100, "3pt to 75pt, or so in px, mm, cm or in");
}

std::string render(const Figure& figure, FigureFormat format) {
  if (format == FigureFormat::pdf) return cairo_pdf(figure);
  if (format == FigureFormat::png) return cairo_png(figure);
  SvgCanvas canvas(figure.width(), figure.height(), figure.title(), figure.description());
  figure.draw(canvas);
  return std::move(canvas).finish();
}

}  // namespace creg
