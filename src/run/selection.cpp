#include "run/selection.h"

#include <string>
#include <utility>

#include "calibration/embedding_calibration.h"
#include "creg/graph/splits.h"
#include "creg/tasks/cluster.h"
#include "run/scheduler.h"

namespace creg {

ClassifyResult judge_output(const Context& context, const Graph& graph, const ModelOutput& output,
                            const ClassifyOptions& options) {
  return output.class_scores.rows > 0
             ? classify_scores(context, graph, output.class_scores, options)
             : classify(context, graph, output.embedding, options);
}

Selection::Selection(const Context& context, const Graph& graph, ClassifyOptions options)
    : context_(context), silent_(in_silence(context)), graph_(graph), options_(std::move(options)) {
  if (!options_.split) options_.split = 0;
  options_.splits = 0;
}

std::optional<double> Selection::score(Select by, const ModelOutput& output) {
  if (by == Select::calibration) return unlabelled_score(context_, output.embedding);
  if (!graph_.has_labels()) return std::nullopt;
  if (by == Select::val_ece) return without_error(output.embedding);
  if (by == Select::clustering_peek) {
    return cluster(silent_, graph_, output.embedding, {.seeds = 1, .restarts = 3}).accuracy.front();
  }
  const ClassifyResult result = judge_output(context_, graph_, output, options_);
  if (result.val_accuracy.empty()) return std::nullopt;
  return result.val_accuracy.front();
}

std::optional<double> Selection::without_error(const DenseMatrix& embedding) {
  if (!split_) {
    const std::string protocol =
        options_.protocol.empty() ? default_protocol(graph_) : options_.protocol;
    split_ = make_split(context_, graph_, protocol, options_.seed, *options_.split);
  }
  const std::optional<double> error = ece_among(silent_, graph_, embedding, split_->val.span());
  if (!error) return std::nullopt;
  return -*error;
}

}  // namespace creg
