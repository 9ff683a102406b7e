#include "report/link_report.h"

#include <fmt/format.h>

#include <set>

#include "core/text.h"
#include "report/summary_report.h"

namespace creg {
namespace {

std::int64_t split_count(const LinkResult& result) {
  const std::set<std::uint64_t> seeds(result.split_seeds.begin(), result.split_seeds.end());
  return static_cast<std::int64_t>(seeds.size());
}

}  // namespace

nlohmann::ordered_json link_json(const LinkResult& result, const std::string& dataset) {
  const LeakCheck& leak = result.leak_check;
  return {{"task", "link"},
          {"protocol", result.protocol},
          {"dataset", dataset},
          {"normalize", std::string(normalize_name(result.normalize))},
          {"smooth", result.smooth},
          {"predictor", name_of(result.predictor)},
          {"predictor_lr", result.learning_rate},
          {"predictor_epochs", result.epochs},
          {"predictor_patience", result.patience},
          {"predictor_seed", result.predictor_seed},
          {"splits", split_count(result)},
          {"runs", result.auc.size()},
          {"train", leak.training_edges},
          {"val", result.val},
          {"test", result.test},
          {"leak_check",
           {{"passed", true},
            {"training_edges", leak.training_edges},
            {"held_out_edges", leak.held_out_edges},
            {"non_edges", leak.non_edges},
            {"shared", 0},
            {"encoder", result.encoder_checked ? "checked" : "unknown"}}},
          {"split_seeds", result.split_seeds},
          {"best_epochs", result.best_epochs},
          {"metrics",
           {{"auc", summary_json(result.auc)},
            {"ap", summary_json(result.average_precision)},
            {"val_auc", summary_json(result.val_auc)}}}};
}

std::string link_table(const LinkResult& result, const std::string& dataset) {
  const LeakCheck& leak = result.leak_check;
  std::string text = fmt::format(
      "{}: protocol {}, {} predictor{}\n{} train, {} val and {} test edges of a split, as many "
      "non-edges\nleak check passed: no held-out pair is a training edge, no non-edge an edge; {}"
      "\n\n",
      dataset, result.protocol, name_of(result.predictor),
      rows_words(" ", result.smooth, result.normalize), with_commas(leak.training_edges),
      with_commas(result.val), with_commas(result.test),
      result.encoder_checked ? "the encoder saw the training edges alone"
                             : "which edges the encoder saw is not known");
  text += percent_header();
  text += percent_row("test AUC", result.auc);
  text += percent_row("test AP", result.average_precision);
  text += percent_row("val AUC", result.val_auc);
  text +=
      fmt::format("\nover {} on {}\n", counted(static_cast<std::int64_t>(result.auc.size()), "run"),
                  counted(split_count(result), "split"));
  return text;
}

}  // namespace creg
