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
  std::string_view right_about{};  ///< in the legend, which has more room than the axis
};

/// The loss with the confidence in random pairs, ECE with q+, ECE with that confidence, and the
/// spectrum of the classes with the squared lengths.
std::span<const HistoryFigure> history_figures();

/// What is drawn of runs that differ by their seeds alone.
enum class SeedLines {
  pooled,  ///< their mean, in a band of one standard deviation, as far as all of them go
  each,    ///< a line for each
};

/// All runs in one chart; nothing where no run has a value of either column.
std::optional<LineChart> history_chart(const HistoryFigure& figure,
                                       std::span<const RunHistory> runs,
                                       SeedLines lines = SeedLines::pooled);

/// Each of history_figures() that has values.
std::vector<Chart> history_charts(std::span<const RunHistory> runs,
                                  SeedLines lines = SeedLines::pooled);

/// Columns run, epoch, and all of history_columns(); a row per run and epoch.
Table history_table(std::span<const RunHistory> runs);

}  // namespace creg
