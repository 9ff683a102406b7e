#include "report/csv.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include "creg/core/error.h"

namespace creg {
namespace {

void append_text(std::string& to, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    to += text;
    return;
  }
  to += '"';
  for (const char c : text) {
    if (c == '"') to += '"';
    to += c;
  }
  to += '"';
}

void append_number(std::string& to, std::optional<double> value) {
  if (!value || !std::isfinite(*value)) return;
  std::array<char, 32> text{};
  const auto result = std::to_chars(text.data(), text.data() + text.size(), *value);
  to.append(text.data(), result.ptr);
}

void append_field(std::string& to, const CsvColumn& column, std::size_t row) {
  if (const auto* texts = std::get_if<std::vector<std::string>>(&column.values)) {
    append_text(to, (*texts)[row]);
  } else {
    append_number(to, std::get<std::vector<std::optional<double>>>(column.values)[row]);
  }
}

std::size_t rows_of(const CsvColumn& column) {
  return std::visit([](const auto& values) { return values.size(); }, column.values);
}

}  // namespace

std::string csv_text(std::span<const CsvColumn> columns) {
  std::string text;
  if (columns.empty()) return text;
  const std::size_t rows = rows_of(columns.front());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    invariant(rows_of(columns[i]) == rows, "columns of one length");
    if (i > 0) text += ',';
    append_text(text, columns[i].name);
  }
  text += '\n';
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) text += ',';
      append_field(text, columns[i], row);
    }
    text += '\n';
  }
  return text;
}

}  // namespace creg
