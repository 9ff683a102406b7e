#include "report/classify_report.h"

#include <fmt/format.h>

#include "core/text.h"
#include "report/summary_report.h"

namespace creg {

nlohmann::ordered_json classify_json(const ClassifyResult& result, const std::string& dataset) {
  nlohmann::ordered_json out = {{"task", "classify"},
                                {"protocol", result.protocol},
                                {"dataset", dataset},
                                {"normalize", std::string(normalize_name(result.normalize))},
                                {"smooth", result.smooth},
                                {"classifier", result.classifier},
                                {"split_seed", result.split_seed},
                                {"splits", result.splits},
                                {"runs", result.runs},
                                {"train", result.train},
                                {"val", result.val},
                                {"test", result.test}};
  if (result.weight_decay) out["weight_decay"] = *result.weight_decay;
  out["metrics"] = {{"accuracy", summary_json(result.accuracy)},
                    {"val_accuracy", summary_json(result.val_accuracy)}};
  return out;
}

std::string classify_table(const ClassifyResult& result, const std::string& dataset) {
  std::string text = fmt::format(
      "{}: protocol {}, {}{}\n{}, {} and {} nodes of a split\n\n", dataset, result.protocol,
      result.classifier, rows_words(" ", result.smooth, result.normalize),
      with_commas(result.train) + " train", with_commas(result.val) + " val",
      with_commas(result.test) + " test");
  text += percent_header();
  text += percent_row("test accuracy", result.accuracy);
  text += percent_row("val accuracy", result.val_accuracy);
  text += fmt::format("\nover {} of {}\n", counted(result.splits, "split"),
                      counted(result.runs, "run"));
  return text;
}

}  // namespace creg
