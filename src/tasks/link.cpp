#include "creg/tasks/link.h"

#include <fmt/format.h>

#include "creg/core/error.h"
#include "creg/core/progress.h"
#include "learn/link_predictor.h"
#include "learn/ranking_metrics.h"
#include "tasks/embedding_rows.h"
#include "tasks/handed_in.h"
#include "tasks/pooling.h"

namespace creg {

LinkResult tasks::predict_links_by(const learn::MlpMaker& make_mlp, const Context& context,
                                   const EdgeSplit& split, std::uint64_t split_seed,
                                   const DenseMatrix& embedding, const LinkOptions& options) {
  const std::string source = options.source.empty() ? tasks::subject(split.train) : options.source;
  LinkResult result{.protocol = std::string(edge_split_protocol),
                    .predictor = options.predictor.kind,
                    .normalize = options.normalize,
                    .smooth = options.smooth,
                    .learning_rate = options.predictor.learning_rate,
                    .epochs = options.predictor.epochs,
                    .patience = options.predictor.patience,
                    .predictor_seed = options.predictor.seed,
                    .val = static_cast<std::int64_t>(split.val.size()),
                    .test = static_cast<std::int64_t>(split.test.size()),
                    .leak_check = check_edge_split(context, split, source),
                    .split_seeds = {split_seed}};
  tasks::check_rows(split.train, embedding);
  const DenseMatrix rows =
      tasks::judged_rows(context, split.train, embedding, options.smooth, options.normalize);
  const NonEdgeSampler training(context, split.train.adjacency, source);

  ProgressTask progress(context, "fitting a link predictor", options.predictor.epochs, "epochs");
  PredictorOptions predictor = options.predictor;
  predictor.each_epoch = [&] {
    progress.advance();
    if (options.predictor.each_epoch) options.predictor.each_epoch();
  };
  const LinkPredictor fitted = fit_link_predictor(context, rows, training, split.val,
                                                  split.val_non_edges, predictor, make_mlp);
  progress.finish_early();
  const Ranking ranking =
      rank_scores(fitted.scores(context, split.test), fitted.scores(context, split.test_non_edges));
  result.auc = {ranking.auc};
  result.average_precision = {ranking.average_precision};
  result.val_auc = {fitted.val_auc()};
  result.best_epochs = {fitted.epoch()};
  return result;
}

LinkResult pool_links(std::span<const LinkResult> results) {
  invariant(!results.empty(), "there is a result to pool");
  LinkResult pooled = results.front();
  for (const LinkResult& result : results.subspan(1)) {
    tasks::require_same("protocols", pooled.protocol, result.protocol);
    tasks::require_same("predictors", name_of(pooled.predictor), name_of(result.predictor));
    tasks::require_same("normalisations", normalize_name(pooled.normalize),
                        normalize_name(result.normalize));
    tasks::require_same("smoothings", pooled.smooth, result.smooth);
    tasks::require_same("learning rates", pooled.learning_rate, result.learning_rate);
    tasks::require_same("numbers of epochs", pooled.epochs, result.epochs);
    tasks::require_same("patiences", pooled.patience, result.patience);
    tasks::require_same("predictor seeds", pooled.predictor_seed, result.predictor_seed);
    tasks::require_same("numbers of test edges", pooled.test, result.test);
    pooled.encoder_checked = pooled.encoder_checked && result.encoder_checked;
    const auto append = [](auto& to, const auto& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(pooled.split_seeds, result.split_seeds);
    append(pooled.auc, result.auc);
    append(pooled.average_precision, result.average_precision);
    append(pooled.val_auc, result.val_auc);
    append(pooled.best_epochs, result.best_epochs);
  }
  return pooled;
}

}  // namespace creg
