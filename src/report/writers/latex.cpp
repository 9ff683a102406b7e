#include <string_view>

#include "report/writers.h"
#include "report/writers/layout.h"

namespace creg {
namespace {

std::string_view escaped(char c) {
  switch (c) {
    case '\\':
      return "\\textbackslash{}";
    case '~':
      return "\\textasciitilde{}";
    case '^':
      return "\\textasciicircum{}";
    case '<':
      return "\\textless{}";
    case '>':
      return "\\textgreater{}";
    case '|':
      return "\\textbar{}";
    case '&':
      return "\\&";
    case '%':
      return "\\%";
    case '$':
      return "\\$";
    case '#':
      return "\\#";
    case '_':
      return "\\_";
    case '{':
      return "\\{";
    case '}':
      return "\\}";
    default:
      return {};
  }
}

/// Words that stand in LaTeX as they are: nothing in them is a command.
std::string latex_words(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("+-")) {
      out += "$\\pm$";
      ++i;
      continue;
    }
    const std::string_view instead = escaped(text[i]);
    const bool control = static_cast<unsigned char>(text[i]) < ' ' && text[i] != '\n';
    if (!instead.empty()) {
      out += instead;
    } else {
      out += control ? ' ' : text[i];
    }
  }
  return out;
}

void append_row(std::string& to, const std::vector<std::string>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    to += (i == 0 ? "  " : " & ") + latex_words(cells[i]);
  }
  to += " \\\\\n";
}

void append_tabular(std::string& to, const Block& block) {
  to += "\\begin{table}\n\\centering\n";
  if (!block.title.empty()) to += "\\caption{" + latex_words(block.title) + "}\n";
  to += "\\begin{tabular}{";
  for (const bool right : block.right) to += right ? 'r' : 'l';
  to += "}\n\\hline\n";
  if (!block.header.empty()) {
    append_row(to, block.header);
    to += "\\hline\n";
  }
  for (const auto& row : block.rows) append_row(to, row);
  to += "\\hline\n\\end{tabular}\n\\end{table}\n";
}

}  // namespace

std::string to_latex(const Report& report) {
  std::string text;
  for (const Block& block : lay_out(report)) {
    if (!text.empty()) text += "\n";
    if (block.paragraph.empty()) {
      append_tabular(text, block);
      continue;
    }
    if (!block.title.empty()) text += "\\paragraph{" + latex_words(block.title) + "}\n";
    for (const char c : latex_words(block.paragraph)) {
      if (c == '\n') text += "\\\\";
      text += c;
    }
    text += "\n";
  }
  return text;
}

}  // namespace creg
