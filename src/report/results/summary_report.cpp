#include "report/summary_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "creg/learn/metrics.h"

namespace creg {

nlohmann::ordered_json summary_json(const std::vector<double>& values) {
  if (values.empty()) return nullptr;
  const Summary summary = summarise(values);
  return {{"mean", summary.mean}, {"std", summary.std}, {"values", summary.values}};
}

std::string percent_header() {
  return fmt::format("{:<16}{:>8}{:>8}{:>8}{:>8}\n", "percent", "mean", "std", "least", "most");
}

std::string percent_row(std::string_view label, const std::vector<double>& values) {
  if (values.empty()) return {};
  const Summary summary = summarise(values);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return fmt::format("{:<16}{:>8.2f}{:>8.2f}{:>8.2f}{:>8.2f}\n", label, 100 * summary.mean,
                     100 * summary.std, 100 * *least, 100 * *most);
}

std::string rows_words(std::string_view lead, int smooth, Normalize normalize) {
  const bool unit = normalize == Normalize::l2;
  if (smooth == 0) return unit ? fmt::format("{}on rows of length 1", lead) : "";
  return fmt::format("{}on smoothed rows, H + Â^{} H{}", lead, smooth, unit ? ", of length 1" : "");
}

}  // namespace creg
