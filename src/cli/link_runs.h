// All runs of link prediction: a model per edge split and seed, trained and evaluated.
#pragma once

#include <filesystem>

#include "cli/options/train_options.h"
#include "creg/tasks/link.h"

namespace creg::cli {

struct LinkPlan {
  int splits = 5;  ///< edge splits of seeds 0 … splits-1
  int seeds = 5;   ///< models of seeds 0 … seeds-1 on each
  /// Where runs are kept, as DIR/split-<k>/seed-<s>/; finished ones found there are not trained
  /// again. Empty: nothing is written.
  std::filesystem::path directory;
  LinkOptions link;
};

struct LinkRuns {
  LinkResult result;   ///< pooled: the seeds of the first split, then those of the next
  double seconds = 0;  ///< of training, all runs together; those found finished not counted
};

/// The runs are done side by side, one thread each, when there are threads and memory for it.
LinkRuns run_links(const Context& context, const ChosenRun& run, const DatasetOptions& dataset,
                   const LinkPlan& plan);

}  // namespace creg::cli
