// What figures call the runs that they show, and which of them are seeds of one.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/run_history.h"

namespace creg {

/// Runs that differ by their seeds alone.
struct HistoryGroup {
  std::string name;  ///< "ML + Contrast-Reg"
  std::vector<const RunHistory*> runs;
};

/// By the folders that were given, or by equal settings and other seeds where each seed has a
/// folder of its own, as in a store; in the order of the first of each. Names say what differs: the
/// dataset where there are several, the folder where nothing else tells two apart.
std::vector<HistoryGroup> history_groups(std::span<const RunHistory> runs);

/// Each run on its own, by its own name.
std::vector<HistoryGroup> single_runs(std::span<const RunHistory> runs);

}  // namespace creg
