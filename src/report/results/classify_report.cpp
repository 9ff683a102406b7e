#include "report/classify_report.h"

#include <fmt/format.h>

#include "core/text.h"
#include "report/results/rows_words.h"

namespace creg {

Report classify_report(const ClassifyResult& result, const std::string& dataset) {
  Record body = {
      words(fmt::format("{}: protocol {}, {}{}\n{} train, {} val and {} test nodes of a "
                        "split",
                        dataset, result.protocol, result.classifier,
                        rows_words(" ", result.smooth, result.normalize), with_commas(result.train),
                        with_commas(result.val), with_commas(result.test))),
      {"task", "classify"},
      {"protocol", result.protocol},
      {"dataset", dataset},
      {"normalize", normalize_name(result.normalize)},
      {"smooth", result.smooth},
      {"classifier", result.classifier},
      {"split_seed", result.split_seed},
      {"splits", result.splits},
      {"runs", result.runs},
      {"train", result.train},
      {"val", result.val},
      {"test", result.test}};
  if (result.weight_decay) body.push_back({"weight_decay", *result.weight_decay});
  body.push_back(
      {"metrics",
       Record{{"accuracy", Sample{result.accuracy}, "test accuracy", Unit::rate},
              {"val_accuracy", Sample{result.val_accuracy}, "val accuracy", Unit::rate}}});
  body.push_back(words(
      fmt::format("over {} of {}", counted(result.splits, "split"), counted(result.runs, "run"))));
  return {.body = std::move(body)};
}

Record baselines_record(const ClassifyResult& result, std::span<const Baseline> baselines) {
  if (baselines.empty()) return {{"baselines", nullptr}};
  Table read{.columns = {{"rows"}, {"accuracy"}, {"val_accuracy"}}};
  Table shown{.columns = {{.label = "rows"},
                          {.label = "test accuracy", .unit = Unit::rate},
                          {.label = "val accuracy", .unit = Unit::rate}},
              .rows = {{"the embedding", Sample{result.accuracy}, Sample{result.val_accuracy}}}};
  for (const Baseline& one : baselines) {
    read.rows.push_back({one.rows, Sample{one.result.accuracy}, Sample{one.result.val_accuracy}});
    shown.rows.push_back(read.rows.back());
  }
  return {{"baselines", std::move(read)},
          {.value = std::move(shown),
           .label = "beside what learns nothing: the same classifier on features"}};
}

}  // namespace creg
