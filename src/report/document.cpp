#include "report/document.h"

#include <cmath>
#include <iterator>
#include <utility>

namespace creg {

Value::Value(std::nullptr_t /*nothing*/) {}
Value::Value(double number) : variant_(number) {}
Value::Value(std::string text) : variant_(std::move(text)) {}
Value::Value(std::string_view text) : variant_(std::string(text)) {}
Value::Value(const char* text) : variant_(std::string(text)) {}
Value::Value(Sample sample) : variant_(std::move(sample)) {}
Value::Value(List list) : variant_(std::move(list)) {}
Value::Value(Record record) : variant_(std::move(record)) {}
Value::Value(Table table) : variant_(std::move(table)) {}

Value::Value(const Value& other) = default;
Value::Value(Value&& other) noexcept = default;
Value& Value::operator=(const Value& other) = default;
Value& Value::operator=(Value&& other) noexcept = default;
Value::~Value() = default;

bool Value::is_number() const {
  return as<double>() != nullptr || as<std::int64_t>() != nullptr ||
         as<std::uint64_t>() != nullptr || as<Sample>() != nullptr;
}

bool Value::is_missing() const {
  if (const auto* number = as<double>()) return !std::isfinite(*number);
  if (const auto* sample = as<Sample>()) return sample->values.empty();
  return as<std::nullptr_t>() != nullptr;
}

Field words(std::string text) {
  return {.value = std::move(text)};
}

void append(Record& to, Record more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

Table bins_table(std::span<const ReliabilityBin> bins) {
  Table table{.columns = {{"low"}, {"high"}, {"weight"}, {"mean_chance"}, {"frequency"}}};
  for (const ReliabilityBin& bin : bins) {
    table.rows.push_back({bin.low, bin.high, bin.weight, bin.mean_chance, bin.frequency});
  }
  return table;
}

}  // namespace creg
