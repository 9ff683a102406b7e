// Reports in the formats that users ask for.
#pragma once

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "creg/core/named_enum.h"
#include "report/document.h"

namespace creg {

enum class ReportFormat { text, json, md, csv, latex };

template <>
struct EnumNames<ReportFormat> {
  static constexpr std::array<std::string_view, 5> names = {"text", "json", "md", "csv", "latex"};
};

std::string write_report(const Report& report, ReportFormat format);

/// Paragraphs, aligned tables, and rows of label, value and note, with empty lines between them.
std::string to_text(const Report& report);

/// The same as headings, paragraphs and tables of Markdown.
std::string to_markdown(const Report& report);

/// The same as paragraphs and tables of LaTeX, which need no package.
std::string to_latex(const Report& report);

/// Rates are fractions, what is missing is null. A sample is {"mean", "std", "values"}, a table a
/// list of objects.
nlohmann::ordered_json to_json(const Value& value);
/// One object, indented, and a newline; of a record that has a list without key and label that
/// list. Here and below: what is no UTF-8 in a text is replaced by U+FFFD, so that it is JSON
/// whatever a file is called.
std::string to_json_text(const Record& record);
/// One object on a line of its own, for files that grow.
std::string to_json_line(const Record& record);

/// A line of keys and one per row, each ended by a newline. Texts are quoted as RFC 4180 says where
/// they need it. Numbers are the shortest that read back the same, what is missing is an empty
/// field. A sample has two columns: its mean, and its std under KEY_std.
std::string to_csv(const Table& table);
/// The report's table; without one a row per sample (metric, mean, std, least, most, runs), without
/// those a row per figure (key, value).
std::string to_csv(const Report& report);

/// How charts are written: each in all of these formats.
struct ChartFiles {
  FigureStyle style{};
  std::vector<FigureFormat> formats = {FigureFormat::svg};
};

/// The charts in `directory`, which is made; a reliability diagram's bins as CSV beside it. Returns
/// what was written.
std::vector<std::filesystem::path> write_charts(const std::filesystem::path& directory,
                                                const Report& report, const ChartFiles& how = {});

}  // namespace creg
