#include "report/history_figures.h"

#include <algorithm>
#include <array>
#include <system_error>

#include "creg/core/error.h"
#include "io/file.h"
#include "report/csv.h"

namespace creg {
namespace {

constexpr std::string_view sigma_label = "E[σ(h·h′)] over random pairs";

constexpr std::array<HistoryFigure, 4> figures = {{
    {"loss-and-sigma.svg", "Contrastive loss and confidence in random pairs", "contrast",
     "contrastive loss", "mean_sigma_random", sigma_label},
    {"ece-and-q.svg", "Calibration error and quality of the positive pairs", "ece", "ECE",
     "q_positive", "q⁺"},
    {"ece-and-sigma.svg", "Calibration error and confidence in random pairs", "ece", "ECE",
     "mean_sigma_random", sigma_label},
    {"spectrum.svg", "Spectrum of the classes and squared lengths", "sigma_max_mean", "σmax(M)",
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

std::string history_csv(std::span<const RunHistory> runs) {
  std::vector<std::string> names;
  std::vector<std::optional<double>> epochs;
  std::vector<CsvColumn> table(2);
  for (const RunHistory& run : runs) {
    names.insert(names.end(), run.epochs.size(), run.name);
    for (const std::int64_t epoch : run.epochs) epochs.emplace_back(static_cast<double>(epoch));
  }
  table[0] = {"run", std::move(names)};
  table[1] = {"epoch", std::move(epochs)};
  for (const std::string_view column : history_columns()) {
    std::vector<std::optional<double>> values;
    for (const RunHistory& run : runs) {
      const std::vector<std::optional<double>>& own = run.column(column);
      values.insert(values.end(), own.begin(), own.end());
    }
    table.push_back({std::string(column), std::move(values)});
  }
  return csv_text(table);
}

std::vector<std::filesystem::path> write_history_figures(const std::filesystem::path& directory,
                                                         std::span<const RunHistory> runs) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) fail_errno(error.value(), "cannot make the folder of the figures", directory.string());
  std::vector<std::filesystem::path> written;
  for (const HistoryFigure& figure : figures) {
    const std::optional<LineChart> chart = history_chart(figure, runs);
    if (!chart) continue;
    written.push_back(directory / figure.file);
    write_file(written.back(), to_svg(*chart));
  }
  written.push_back(directory / "history.csv");
  write_file(written.back(), history_csv(runs));
  return written;
}

}  // namespace creg
