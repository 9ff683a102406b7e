#include "report/history_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "creg/learn/metrics.h"
#include "report/history_names.h"

namespace creg {
namespace {

constexpr std::string_view sigma_label = "E[σ(h·h′)]";
constexpr std::string_view sigma_about = "over random pairs";

constexpr std::array<HistoryFigure, 4> figures = {{
    {"loss-and-sigma", "Contrastive loss and confidence in random pairs", "contrast",
     "contrastive loss", "mean_sigma_random", sigma_label, sigma_about},
    {"ece-and-q", "Calibration error and quality of the positive pairs", "ece", "ECE", "q_positive",
     "q⁺", "positives of one class"},
    {"ece-and-sigma", "Calibration error and confidence in random pairs", "ece", "ECE",
     "mean_sigma_random", sigma_label, sigma_about},
    {"spectrum", "Spectrum of the classes and squared lengths", "sigma_max_mean", "σₘₐₓ(M)",
     "norm_squared_mean", "E‖h‖²"},
}};

bool any_has(std::span<const RunHistory> runs, std::string_view column) {
  return std::ranges::any_of(runs, [&](const RunHistory& run) { return run.has(column); });
}

/// The values of the runs that have one at this epoch.
std::vector<double> values_at(const HistoryGroup& group, std::string_view column,
                              std::int64_t epoch) {
  std::vector<double> values;
  for (const RunHistory* run : group.runs) {
    const auto at = std::ranges::lower_bound(run->epochs, epoch);
    if (at == run->epochs.end() || *at != epoch) continue;
    const std::optional<double>& value =
        run->column(column)[static_cast<std::size_t>(at - run->epochs.begin())];
    if (value) values.push_back(*value);
  }
  return values;
}

ChartSeries series_of(const HistoryGroup& group, std::string_view column, ChartAxis axis,
                      int style) {
  ChartSeries series{.name = group.name, .axis = axis, .style = style};
  const bool several = group.runs.size() > 1;
  for (const std::int64_t epoch : group.runs.front()->epochs) {
    const std::vector<double> values = values_at(group, column, epoch);
    series.x.push_back(static_cast<double>(epoch));
    // A mean over fewer seeds would jump where one of them ends.
    if (values.size() < group.runs.size()) {
      series.y.emplace_back();
      if (several) series.low.emplace_back(), series.high.emplace_back();
      continue;
    }
    const Summary summary = summarise(values);
    series.y.emplace_back(summary.mean);
    if (!several) continue;
    series.low.emplace_back(summary.mean - summary.std);
    series.high.emplace_back(summary.mean + summary.std);
  }
  return series;
}

std::string note_of(const std::vector<HistoryGroup>& groups) {
  std::size_t least = 0;
  std::size_t most = 0;
  for (const HistoryGroup& group : groups) {
    least = least == 0 ? group.runs.size() : std::min(least, group.runs.size());
    most = std::max(most, group.runs.size());
  }
  if (most < 2) return "";
  return fmt::format("mean over {}{} seeds; band: ± one standard deviation",
                     least == most ? "" : fmt::format("{} to ", least), most);
}

}  // namespace

std::span<const HistoryFigure> history_figures() {
  return figures;
}

std::optional<LineChart> history_chart(const HistoryFigure& figure,
                                       std::span<const RunHistory> runs, SeedLines lines) {
  const bool left = any_has(runs, figure.left);
  const bool right = any_has(runs, figure.right);
  if (!left && !right) return std::nullopt;
  LineChart chart{.title = std::string(figure.title),
                  .x_label = "epoch",
                  .left_label = std::string(figure.left_label),
                  .right_label = std::string(figure.right_label),
                  .right_about = std::string(figure.right_about)};
  const std::vector<HistoryGroup> groups =
      lines == SeedLines::pooled ? history_groups(runs) : single_runs(runs);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const int style = static_cast<int>(i);
    chart.series.push_back(series_of(groups[i], figure.left, ChartAxis::left, style));
    chart.series.push_back(series_of(groups[i], figure.right, ChartAxis::right, style));
  }
  chart.note = note_of(groups);
  return chart;
}

std::vector<Chart> history_charts(std::span<const RunHistory> runs, SeedLines lines) {
  std::vector<Chart> charts;
  for (const HistoryFigure& figure : figures) {
    if (std::optional<LineChart> chart = history_chart(figure, runs, lines)) {
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
