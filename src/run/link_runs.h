// Link prediction from the beginning: models trained on the training edges of several splits, and a
// predictor on each.
#pragma once

#include <filesystem>

#include "creg/core/context.h"
#include "creg/run/run.h"
#include "creg/tasks/link.h"

namespace creg {

struct LinkPlan {
  int splits = 5;  ///< edge splits of seeds 0 … splits-1
  int seeds = 5;   ///< models of seeds 0 … seeds-1 on each
  /// Where runs are kept, as DIR/split-<k>/seed-<s>/; finished ones found there are not trained
  /// again. The caller has claimed it (run/claimed_folder.h). Empty: nothing is written.
  std::filesystem::path directory;
  LinkOptions link;
};

struct LinkRuns {
  LinkResult result;   ///< pooled: the seeds of the first split, then those of the next
  double seconds = 0;  ///< of training, all runs together; those found finished not counted
};

/// `run` is of the whole graph.
LinkRuns run_links(const Context& context, const RunPlan& run, const LinkPlan& plan);

}  // namespace creg
