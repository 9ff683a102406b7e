// The figures of calibration over the epochs of runs: charts and a table.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "report/document.h"
#include "report/run_history.h"

namespace creg {

struct HistoryFigure {
  std::string_view name;
  std::string_view title;
  std::string_view left;  ///< a column, on the left axis
  std::string_view left_label;
  std::string_view right;
  std::string_view right_label;
};

/// The loss with the confidence in random pairs, ECE with q+, ECE with that confidence, and the
/// spectrum of the classes with the squared lengths.
std::span<const HistoryFigure> history_figures();

/// All runs in one chart, a colour each; nothing where no run has a value of either column.
std::optional<LineChart> history_chart(const HistoryFigure& figure,
                                       std::span<const RunHistory> runs);

/// Each of history_figures() that has values.
std::vector<Chart> history_charts(std::span<const RunHistory> runs);

/// Columns run, epoch, and all of history_columns(); a row per run and epoch.
Table history_table(std::span<const RunHistory> runs);

}  // namespace creg
