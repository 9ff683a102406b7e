// How good an epoch's embedding is, by what the configuration selects by: the graph's own labels
// and splits, or its calibration.
#pragma once

#include <optional>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/tasks/classify.h"
#include "creg/train/trainer.h"

namespace creg {

/// By the model's own classifier where it has one.
ClassifyResult judge_output(const Context& context, const Graph& graph, const ModelOutput& output,
                            const ClassifyOptions& options);

class Selection {
 public:
  /// Validation goes by the split of the options, or by the first one.
  Selection(const Context& context, const Graph& graph, ClassifyOptions options);

  /// The higher the better; nothing where labels or a validation part are missing.
  std::optional<double> score(Select by, const ModelOutput& output);

 private:
  /// The calibration error over the validation nodes, negated.
  std::optional<double> without_error(const DenseMatrix& embedding);

  Context context_;
  Context silent_;  // the passes of a look between epochs show no progress of their own
  const Graph& graph_;
  ClassifyOptions options_;
  std::optional<Split> split_;  // once somebody has asked for it
};

}  // namespace creg
