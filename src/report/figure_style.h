// How figures are drawn, whatever they show: their format, their size, their letters.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "creg/core/named_enum.h"

namespace creg {

enum class FigureFormat { svg, pdf, png };
template <>
struct EnumNames<FigureFormat> {
  static constexpr std::array<std::string_view, 3> names = {"svg", "pdf", "png"};
};

/// Lengths are pixels of a screen, 96 to the inch. A PDF has the same size in inches, a PNG twice
/// as many pixels each way.
struct FigureStyle {
  std::optional<double> width;       ///< nothing: the figure's own
  double font = 13;                  ///< size of the axes' labels; ticks and titles go with it
  std::optional<std::string> title;  ///< instead of the figure's own; empty: none
  bool note = true;                  ///< what means, bands and whiskers are, below the legend
};

/// "85mm", "8.5cm", "3.3in", "240pt", "320" or "320px" in pixels; an input error that names `flag`
/// for anything else and for what is too narrow or wide to draw.
double parse_figure_width(const std::string& text, const std::string& flag);

/// The same of a size of letters, in points where no unit is named.
double parse_font_size(const std::string& text, const std::string& flag);

/// Whether this build draws PDF and PNG, which takes cairo.
bool draws_pdf();

}  // namespace creg
