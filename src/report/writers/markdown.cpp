#include "report/writers.h"
#include "report/writers/layout.h"

namespace creg {
namespace {

void append_line(std::string& to, const std::vector<std::string>& cells) {
  to += "|";
  for (const std::string& cell : cells) {
    to += ' ';
    for (const char c : cell) {
      if (c == '|') to += '\\';  // it would end the cell
      to += c;
    }
    to += " |";
  }
  to += "\n";
}

void append_grid(std::string& to, const Block& block) {
  // A table of Markdown has a header, if an empty one.
  append_line(to,
              block.header.empty() ? std::vector<std::string>(block.right.size()) : block.header);
  to += "|";
  for (const bool right : block.right) to += right ? "---:|" : "---|";
  to += "\n";
  for (const auto& row : block.rows) append_line(to, row);
}

/// A paragraph keeps its lines by two spaces at their ends.
void append_paragraph(std::string& to, const std::string& text) {
  for (const char c : text) {
    if (c == '\n') to += "  ";
    to += c;
  }
  to += "\n";
}

}  // namespace

std::string to_markdown(const Report& report) {
  std::string text;
  for (const Block& block : lay_out(report)) {
    if (!text.empty()) text += "\n";
    if (!block.title.empty()) text += "### " + block.title + "\n\n";
    if (block.paragraph.empty()) {
      append_grid(text, block);
    } else {
      append_paragraph(text, block.paragraph);
    }
  }
  return text;
}

}  // namespace creg
