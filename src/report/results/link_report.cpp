#include "report/link_report.h"

#include <fmt/format.h>

#include <set>

#include "core/text.h"
#include "report/results/rows_words.h"

namespace creg {

Report link_report(const LinkResult& result, const std::string& dataset,
                   const std::string& method) {
  const LeakCheck& leak = result.leak_check;
  const std::set<std::uint64_t> seeds(result.split_seeds.begin(), result.split_seeds.end());
  const auto splits = static_cast<std::int64_t>(seeds.size());
  const auto runs = static_cast<std::int64_t>(result.auc.size());
  const std::string about = fmt::format(
      "{}{}: protocol {}, {} predictor{}\n{} train, {} val and {} test edges of a split, as many "
      "non-edges\nleak check passed: no held-out pair is a training edge, no non-edge an edge; {}",
      method.empty() ? "" : method + " on ", dataset, result.protocol, name_of(result.predictor),
      rows_words(" ", result.smooth, result.normalize), with_commas(leak.training_edges),
      with_commas(result.val), with_commas(result.test),
      result.encoder_checked ? "the encoder saw the training edges alone"
                             : "which edges the encoder saw is not known");
  return {.body = {
              words(about),
              {"task", "link"},
              {"protocol", result.protocol},
              {"dataset", dataset},
              {"normalize", normalize_name(result.normalize)},
              {"smooth", result.smooth},
              {"predictor", name_of(result.predictor)},
              {"predictor_lr", result.learning_rate},
              {"predictor_epochs", result.epochs},
              {"predictor_patience", result.patience},
              {"predictor_seed", result.predictor_seed},
              {"splits", splits},
              {"runs", runs},
              {"train", leak.training_edges},
              {"val", result.val},
              {"test", result.test},
              {"leak_check", Record{{"passed", true},
                                    {"training_edges", leak.training_edges},
                                    {"held_out_edges", leak.held_out_edges},
                                    {"non_edges", leak.non_edges},
                                    {"shared", 0},
                                    {"encoder", result.encoder_checked ? "checked" : "unknown"}}},
              {"split_seeds", result.split_seeds},
              {"best_epochs", result.best_epochs},
              {"metrics", Record{{"auc", Sample{result.auc}, "test AUC", Unit::rate},
                                 {"ap", Sample{result.average_precision}, "test AP", Unit::rate},
                                 {"val_auc", Sample{result.val_auc}, "val AUC", Unit::rate}}},
              words(fmt::format("over {} on {}", counted(runs, "run"), counted(splits, "split"))),
          }};
}

}  // namespace creg
