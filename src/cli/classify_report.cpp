#include "cli/classify_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "creg/core/text.h"
#include "creg/learn/metrics.h"

namespace creg::cli {
namespace {

nlohmann::ordered_json summary_json(const std::vector<double>& values) {
  if (values.empty()) return nullptr;
  const Summary summary = summarise(values);
  return {{"mean", summary.mean}, {"std", summary.std}, {"values", summary.values}};
}

std::string counted(std::int64_t count, std::string_view one) {
  return fmt::format("{} {}{}", with_commas(count), one, count == 1 ? "" : "s");
}

}  // namespace

nlohmann::ordered_json classify_json(const ClassifyResult& result, const std::string& dataset) {
  return {{"task", "classify"},
          {"protocol", result.protocol},
          {"dataset", dataset},
          {"normalize", std::string(normalize_name(result.normalize))},
          {"classifier", result.classifier},
          {"split_seed", result.split_seed},
          {"splits", result.splits},
          {"runs", result.runs},
          {"train", result.train},
          {"val", result.val},
          {"test", result.test},
          {"metrics",
           {{"accuracy", summary_json(result.accuracy)},
            {"val_accuracy", summary_json(result.val_accuracy)}}}};
}

std::string classify_table(const ClassifyResult& result, const std::string& dataset) {
  std::string text = fmt::format(
      "{}: protocol {}, {}{}\n{}, {} and {} nodes of a split\n\n", dataset, result.protocol,
      result.classifier, result.normalize == Normalize::l2 ? " on rows of length 1" : "",
      with_commas(result.train) + " train", with_commas(result.val) + " val",
      with_commas(result.test) + " test");
  text += fmt::format("{:<16}{:>8}{:>8}{:>8}{:>8}\n", "percent", "mean", "std", "least", "most");
  const auto row = [&](std::string_view label, const std::vector<double>& values) {
    if (values.empty()) return;
    const Summary summary = summarise(values);
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    text += fmt::format("{:<16}{:>8.2f}{:>8.2f}{:>8.2f}{:>8.2f}\n", label, 100 * summary.mean,
                        100 * summary.std, 100 * *least, 100 * *most);
  };
  row("test accuracy", result.accuracy);
  row("val accuracy", result.val_accuracy);
  text += fmt::format("\nover {} of {}\n", counted(result.splits, "split"),
                      counted(result.runs, "run"));
  return text;
}

}  // namespace creg::cli
