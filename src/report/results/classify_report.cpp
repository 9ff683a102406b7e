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

}  // namespace creg
