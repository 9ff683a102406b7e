#include <algorithm>

#include "report/writers.h"
#include "report/writers/layout.h"

namespace creg {
namespace {

/// Columns on a screen: UTF-8 has further bytes for one character.
std::size_t shown_width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string grid_line(const std::vector<std::string>& cells, const Block& block,
                      const std::vector<std::size_t>& widths) {
  std::string line = block.title.empty() ? "" : "  ";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string gap(widths[i] - shown_width(cells[i]), ' ');
    line += (i > 0 ? "  " : "") + (block.right[i] ? gap + cells[i] : cells[i] + gap);
  }
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

std::string grid_text(const Block& block) {
  std::vector<std::size_t> widths(block.right.size(), 0);
  const auto widen = [&](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      widths[i] = std::max(widths[i], shown_width(cells[i]));
    }
  };
  widen(block.header);
  std::ranges::for_each(block.rows, widen);
  std::string text;
  if (!block.header.empty()) text += grid_line(block.header, block, widths);
  for (const auto& row : block.rows) text += grid_line(row, block, widths);
  return text;
}

}  // namespace

std::string to_text(const Report& report) {
  std::string text;
  for (const Block& block : lay_out(report)) {
    if (!text.empty()) text += "\n";
    if (!block.title.empty()) text += block.title + "\n";
    text += block.paragraph.empty() ? grid_text(block) : block.paragraph + "\n";
  }
  return text;
}

std::string write_report(const Report& report, ReportFormat format) {
  switch (format) {
    case ReportFormat::json:
      return to_json_text(report.body);
    case ReportFormat::md:
      return to_markdown(report);
    case ReportFormat::csv:
      return to_csv(report);
    case ReportFormat::latex:
      return to_latex(report);
    case ReportFormat::text:
      break;
  }
  return to_text(report);
}

}  // namespace creg
