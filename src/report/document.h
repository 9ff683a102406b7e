// What a command found, as values that know no format: figures with a key for machines and a label
// for people, samples, tables, charts. writers.h makes text, JSON, Markdown, CSV and figures of
// them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "report/line_chart.h"
#include "report/reliability_diagram.h"

namespace creg {

/// How people read a number; machines get it as it is.
enum class Unit {
  plain,         ///< 12, 0.1235, 1.235e-08: reals by four digits that count
  decimal,       ///< 0.1200: four decimals
  count,         ///< 12,345
  rate,          ///< the fraction 0.815 is 81.50 %
  bytes,         ///< 1536 is 1.5 KiB
  seconds,       ///< 75 is 1m 15s
  milliseconds,  ///< 75 is 75 ms
};

class Value;
struct Field;
using List = std::vector<Value>;
using Record = std::vector<Field>;

/// One figure over seeds, splits or runs; mean and std come of it. Empty: it does not exist.
struct Sample {
  std::vector<double> values;
};

/// A column without a key is for people alone, one without a label for machines alone.
struct Column {
  std::string key;
  std::string label;
  Unit unit = Unit::plain;
  bool brief = false;  ///< people see the mean of a sample alone
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Value>> rows;  ///< a value for each column
};

/// Null, a truth, a number, a text, or something made of values.
class Value {
 public:
  using Variant = std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double,
                               std::string, Sample, List, Record, Table>;

  // Values are written where they are needed: {"nodes", graph.nodes()}.
  // NOLINTBEGIN(google-explicit-constructor)
  Value(std::nullptr_t = nullptr);
  Value(double number);
  Value(std::string text);
  Value(std::string_view text);
  Value(const char* text);
  Value(Sample sample);
  Value(List list);
  Value(Record record);
  Value(Table table);
  template <std::integral T>
  Value(T whole);
  template <class T>
  Value(const std::optional<T>& value) : Value(value ? Value(*value) : Value()) {}
  template <class T>
  Value(const std::vector<T>& list) : Value(List(list.begin(), list.end())) {}
  // NOLINTEND(google-explicit-constructor)

  // Where a record is a complete type: in document.cpp.
  Value(const Value& other);
  Value(Value&& other) noexcept;
  Value& operator=(const Value& other);
  Value& operator=(Value&& other) noexcept;
  ~Value();

  const Variant& variant() const { return variant_; }
  /// The value if it is one of these, else nullptr.
  template <class T>
  const T* as() const {
    return std::get_if<T>(&variant_);
  }
  bool is_number() const;
  /// Null, a number that is not finite, a sample without values.
  bool is_missing() const;

 private:
  Variant variant_;
};

/// Machines read what has a key, people what has a label. The label of a record or table is a title
/// that it may lack: people see those of its parts that have labels. A text with neither is a
/// paragraph for people.
struct Field {
  std::string key{};
  Value value{};
  std::string label{};
  Unit unit = Unit::plain;
  std::string note{};  ///< for people, behind the value
};

template <std::integral T>
Value::Value(T whole) {
  if constexpr (std::same_as<T, bool>) {
    variant_ = whole;
  } else if constexpr (std::signed_integral<T>) {
    variant_ = static_cast<std::int64_t>(whole);
  } else {
    variant_ = static_cast<std::uint64_t>(whole);
  }
}

/// A drawing with the name of its file, less the ending.
struct Chart {
  std::string name;
  std::variant<LineChart, ReliabilityDiagram> drawing;
};

struct Report {
  Record body;
  /// The report as one table, where there is one: what CSV writes.
  Table table;
  std::vector<Chart> charts;
};

/// A paragraph for people.
Field words(std::string text);

/// `more` behind what is there.
void append(Record& to, Record more);

/// A row per bin.
Table bins_table(std::span<const ReliabilityBin> bins);

}  // namespace creg
