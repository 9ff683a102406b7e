#include "report/history_figures.h"

#include <algorithm>
#include <array>

namespace creg {
namespace {

constexpr std::string_view sigma_label = "E[σ(h·h′)] over random pairs";

constexpr std::array<HistoryFigure, 4> figures = {{
    {"loss-and-sigma", "Contrastive loss and confidence in random pairs", "contrast",
     "contrastive loss", "mean_sigma_random", sigma_label},
    {"ece-and-q", "Calibration error and quality of the positive pairs", "ece", "ECE", "q_positive",
     "q⁺"},
    {"ece-and-sigma", "Calibration error and confidence in random pairs", "ece", "ECE",
     "mean_sigma_random", sigma_label},
    {"spectrum", "Spectrum of the classes and squared lengths", "sigma_max_mean", "σmax(M)",
     "norm_squared_mean", "E‖h‖²"},
}};

bool any_has(std::span<const RunHistory> runs, std::string_view column) {
  return std::ranges::any_of(runs, [&](const RunHistory& run) { return run.has(column); });
}

ChartSeries series_of(const RunHistory& run, std::string_view column, ChartAxis axis, int style) {
  ChartSeries series{.name = run.name, .y = run.column(column), .axis = axis, .style = style};
  for (const std::int64_t epoch : run.epochs) series.x.push_back(static_cast<double>(epoch));
  return series;
}

}  // namespace

std::span<const HistoryFigure> history_figures() {
  return figures;
}

std::optional<LineChart> history_chart(const HistoryFigure& figure,
                                       std::span<const RunHistory> runs) {
  const bool left = any_has(runs, figure.left);
  const bool right = any_has(runs, figure.right);
  if (!left && !right) return std::nullopt;
  LineChart chart{.title = std::string(figure.title),
                  .x_label = "epoch",
                  .left_label = std::string(figure.left_label),
                  .right_label = std::string(figure.right_label)};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const int style = static_cast<int>(i);
    chart.series.push_back(series_of(runs[i], figure.left, ChartAxis::left, style));
    chart.series.push_back(series_of(runs[i], figure.right, ChartAxis::right, style));
  }
  return chart;
}

std::vector<Chart> history_charts(std::span<const RunHistory> runs) {
  std::vector<Chart> charts;
  for (const HistoryFigure& figure : figures) {
    if (std::optional<LineChart> chart = history_chart(figure, runs)) {
      charts.push_back({std::string(figure.name), std::move(*chart)});
    }
  }
  return charts;
}

Table history_table(std::span<const RunHistory> runs) {
  Table table{.columns = {{"run"}, {"epoch"}}};
  for (const std::string_view name : history_columns())
    table.columns.push_back({std::string(name)});
  for (const RunHistory& run : runs) {
    for (std::size_t at = 0; at < run.epochs.size(); ++at) {
      std::vector<Value> row = {run.name, run.epochs[at]};
      for (const auto& column : run.columns) row.emplace_back(column[at]);
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

}  // namespace creg
