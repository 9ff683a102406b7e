#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "creg/learn/metrics.h"
#include "report/writers.h"

namespace creg {
namespace {

std::string csv_words(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

template <class Number>
std::string shortest(Number number) {
  std::array<char, 32> text{};
  const auto result = std::to_chars(text.data(), text.data() + text.size(), number);
  return {text.data(), result.ptr};
}

std::string csv_field(const Value& value) {
  if (value.is_missing()) return {};
  if (const auto* truth = value.as<bool>()) return *truth ? "true" : "false";
  if (const auto* whole = value.as<std::int64_t>()) return shortest(*whole);
  if (const auto* whole = value.as<std::uint64_t>()) return shortest(*whole);
  if (const auto* real = value.as<double>()) return shortest(*real);
  if (const auto* text = value.as<std::string>()) return csv_words(*text);
  return csv_words(
      to_json(value).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

bool has_samples(const Table& table, std::size_t column) {
  return std::ranges::any_of(table.rows, [&](const std::vector<Value>& row) {
    return row.at(column).as<Sample>() != nullptr;
  });
}

/// Samples and figures that a report has outside its lists, by key.
void collect(const Record& record, const std::string& above, Table& samples, Table& figures) {
  for (const Field& field : record) {
    if (field.key.empty() || field.value.is_missing()) continue;
    if (const auto* nested = field.value.as<Record>()) {
      collect(*nested, above + field.key + ".", samples, figures);
    } else if (const auto* sample = field.value.as<Sample>()) {
      const auto [mean, std, values] = summarise(sample->values);
      const auto [least, most] = std::ranges::minmax(values);
      samples.rows.push_back({field.key, mean, std, least, most, values.size()});
    } else if (field.value.as<List>() == nullptr && field.value.as<Table>() == nullptr) {
      figures.rows.push_back({above + field.key, field.value});
    }
  }
}

}  // namespace

std::string to_csv(const Table& table) {
  std::vector<std::string> lines(table.rows.size() + 1);
  bool first = true;
  const auto add = [&](std::size_t line, const std::string& field) {
    lines[line] += (first ? "" : ",") + field;
  };
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const std::string& key = table.columns[i].key;
    if (key.empty()) continue;
    const bool samples = has_samples(table, i);
    add(0, csv_words(key) + (samples ? "," + csv_words(key + "_std") : ""));
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      const Value& value = table.rows[row].at(i);
      if (!samples) {
        add(row + 1, csv_field(value));
      } else if (value.is_missing()) {
        add(row + 1, ",");
      } else {
        const Summary summary = summarise(value.as<Sample>()->values);
        add(row + 1, csv_field(summary.mean) + "," + csv_field(summary.std));
      }
    }
    first = false;
  }
  if (first) return {};
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string to_csv(const Report& report) {
  if (!report.table.columns.empty()) return to_csv(report.table);
  Table samples{.columns = {{"metric"}, {"mean"}, {"std"}, {"least"}, {"most"}, {"runs"}}};
  Table figures{.columns = {{"key"}, {"value"}}};
  collect(report.body, "", samples, figures);
  return to_csv(samples.rows.empty() ? figures : samples);
}

}  // namespace creg
