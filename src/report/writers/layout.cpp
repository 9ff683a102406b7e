#include "report/writers/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/text.h"
#include "creg/core/error.h"
#include "creg/learn/metrics.h"

namespace creg {
namespace {

constexpr std::string_view missing = "-";

std::string real_words(double number, Unit unit) {
  if (!std::isfinite(number)) return std::string(missing);
  switch (unit) {
    case Unit::rate:
      return fmt::format("{:.2f}", 100 * number);
    case Unit::decimal:
      return fmt::format("{:.4f}", number);
    case Unit::bytes:
      return human_bytes(static_cast<std::int64_t>(number));
    case Unit::seconds:
      return human_seconds(number);
    case Unit::milliseconds:
      return human_seconds(number / 1e3);
    case Unit::count:
      return with_commas(std::llround(number));
    case Unit::plain:
      break;
  }
  const double size = std::abs(number);
  return size != 0 && (size >= 1e5 || size < 1e-3) ? fmt::format("{:.3e}", number)
                                                   : fmt::format("{:.4g}", number);
}

/// The number alone: the percent sign stands in the header or behind it.
std::string value_words(const Value& value, Unit unit);

std::string list_words(const List& list, Unit unit) {
  std::string text;
  for (const Value& value : list) {
    text += (text.empty() ? "" : ", ") + value_words(value, unit);
  }
  return text;
}

template <class Whole>
std::string whole_words(Whole number, Unit unit) {
  if (unit == Unit::plain) return std::to_string(number);
  if (unit == Unit::count) return with_commas(static_cast<std::int64_t>(number));
  return real_words(static_cast<double>(number), unit);
}

std::string value_words(const Value& value, Unit unit) {
  if (value.is_missing()) return std::string(missing);
  if (const auto* truth = value.as<bool>()) return *truth ? "yes" : "no";
  if (const auto* whole = value.as<std::int64_t>()) return whole_words(*whole, unit);
  if (const auto* whole = value.as<std::uint64_t>()) return whole_words(*whole, unit);
  if (const auto* real = value.as<double>()) return real_words(*real, unit);
  if (const auto* text = value.as<std::string>()) {
    std::string line = *text;
    std::ranges::replace(line, '\n', ' ');
    return line;
  }
  if (const auto* list = value.as<List>()) return list_words(*list, unit);
  const auto* sample = value.as<Sample>();
  invariant(sample != nullptr, "a cell is no record and no table");
  const Summary summary = summarise(sample->values);
  return real_words(summary.mean, unit) + " +- " + real_words(summary.std, unit);
}

std::string cell_words(const Value& value, const Column& column) {
  const auto* sample = value.as<Sample>();
  if (column.brief && sample != nullptr && !sample->values.empty()) {
    return real_words(summarise(sample->values).mean, column.unit);
  }
  return value_words(value, column.unit);
}

class Layout {
 public:
  std::vector<Block> take() { return std::move(blocks_); }

  void add(const Record& record, const std::string& title) {
    if (!title.empty()) title_ = title;
    std::vector<const Field*> rows;
    for (const Field& field : record) {
      const auto* nested = field.value.as<Record>();
      const auto* table = field.value.as<Table>();
      if (nested == nullptr && table == nullptr && !field.label.empty()) {
        if (!field.value.is_missing()) rows.push_back(&field);
        continue;
      }
      if (!people_read(field)) continue;
      add_rows(rows);
      rows.clear();
      if (nested != nullptr) {
        add(*nested, field.label);
      } else if (table != nullptr) {
        add_table(*table, field.label);
      } else {
        push({.paragraph = *field.value.as<std::string>()});
      }
    }
    add_rows(rows);
    title_.clear();
  }

 private:
  static bool people_read(const Field& field) {
    if (const auto* nested = field.value.as<Record>()) {
      return std::ranges::any_of(*nested, people_read);
    }
    if (const auto* table = field.value.as<Table>()) {
      return std::ranges::any_of(table->columns,
                                 [](const Column& column) { return !column.label.empty(); });
    }
    const auto* text = field.value.as<std::string>();
    return !field.label.empty() || (field.key.empty() && text != nullptr && !text->empty());
  }

  static bool any_notes(const std::vector<const Field*>& fields) {
    return std::ranges::any_of(fields, [](const Field* field) { return !field->note.empty(); });
  }

  void push(Block block) {
    block.title = std::exchange(title_, "");
    blocks_.push_back(std::move(block));
  }

  void add_table(const Table& table, const std::string& title) {
    Block block;
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const Column& column = table.columns[i];
      if (column.label.empty()) continue;
      shown.push_back(i);
      block.header.push_back(column.label + (column.unit == Unit::rate ? " %" : ""));
      const auto there = std::ranges::find_if(
          table.rows, [&](const std::vector<Value>& row) { return !row.at(i).is_missing(); });
      block.right.push_back(there != table.rows.end() && (*there)[i].is_number());
    }
    for (const std::vector<Value>& row : table.rows) {
      block.rows.emplace_back();
      for (const std::size_t i : shown) {
        block.rows.back().push_back(cell_words(row[i], table.columns[i]));
      }
    }
    if (!title.empty()) title_ = title;
    push(std::move(block));
  }

  void add_rows(const std::vector<const Field*>& fields) {
    if (fields.empty()) return;
    const auto is_sample = [](const Field* field) { return field->value.as<Sample>() != nullptr; };
    const auto is_number = [](const Field* field) { return field->value.is_number(); };
    if (std::ranges::all_of(fields, is_sample)) return add_samples(fields);
    const bool notes = any_notes(fields);
    Block block{.right = {false, std::ranges::all_of(fields, is_number)}};
    if (notes) block.right.push_back(false);
    for (const Field* field : fields) {
      std::string value = value_words(field->value, field->unit);
      if (field->unit == Unit::rate) value += " %";
      block.rows.push_back({field->label, std::move(value)});
      if (notes) block.rows.back().push_back(field->note);
    }
    push(std::move(block));
  }

  void add_samples(const std::vector<const Field*>& fields) {
    const bool percent =
        std::ranges::all_of(fields, [](const Field* field) { return field->unit == Unit::rate; });
    const bool notes = any_notes(fields);
    Block block{.header = {percent ? "percent" : "", "mean", "std", "least", "most"},
                .right = {false, true, true, true, true}};
    if (notes) {
      block.header.emplace_back();
      block.right.push_back(false);
    }
    for (const Field* field : fields) {
      const Summary summary = summarise(field->value.as<Sample>()->values);
      const auto [least, most] = std::ranges::minmax(summary.values);
      block.rows.push_back({field->label});
      for (const double number : {summary.mean, summary.std, least, most}) {
        block.rows.back().push_back(real_words(number, field->unit));
      }
      if (notes) block.rows.back().push_back(field->note);
    }
    push(std::move(block));
  }

  std::vector<Block> blocks_;
  std::string title_;  ///< of the next block
};

}  // namespace

std::vector<Block> lay_out(const Report& report) {
  Layout layout;
  layout.add(report.body, "");
  return layout.take();
}

}  // namespace creg
