// How each number of the paper is made here: settings beside the recipe, protocol, seeds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "creg/run/run.h"
#include "report/paper.h"
#include "run/stored_run.h"

namespace creg {

struct PaperRuns {
  Settings settings;  ///< on top of the shipped recipe of the method and dataset
  std::vector<RunQuestion> questions;
  /// Those whose figures the cell shows; of several the one that is better on average.
  std::vector<RunQuestion> shown;
  int seeds = 5;
  bool draws = true;    ///< false: every seed gives the same, one is enough
  int edge_splits = 0;  ///< each seed on so many; 0: on all edges
  int calibrate = 0;
  bool pretrain = false;
  std::string note;  ///< how ours differs from the paper's, where the names do not tell
};

/// Of a cell that takes runs.
PaperRuns paper_runs(const PaperCell& cell);

}  // namespace creg
