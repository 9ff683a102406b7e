#include "report/document.h"

#include <cmath>

namespace creg {

bool Value::is_number() const {
  return as<double>() != nullptr || as<std::int64_t>() != nullptr ||
         as<std::uint64_t>() != nullptr || as<Sample>() != nullptr;
}

bool Value::is_missing() const {
  if (const auto* number = as<double>()) return !std::isfinite(*number);
  if (const auto* sample = as<Sample>()) return sample->values.empty();
  return as<std::nullptr_t>() != nullptr;
}

Table bins_table(std::span<const ReliabilityBin> bins) {
  Table table{.columns = {{"low"}, {"high"}, {"weight"}, {"mean_chance"}, {"frequency"}}};
  for (const ReliabilityBin& bin : bins) {
    table.rows.push_back({bin.low, bin.high, bin.weight, bin.mean_chance, bin.frequency});
  }
  return table;
}

}  // namespace creg
