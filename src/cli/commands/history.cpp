#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/commands.h"
#include "cli/options/figure_options.h"
#include "io/file.h"
#include "report/history_figures.h"
#include "report/history_report.h"
#include "report/writers.h"

namespace creg::cli {
namespace {

struct HistoryOptions {
  std::vector<std::string> runs;
  std::string out;
  bool each_seed = false;
  FigureOptions figures;
};

/// The figures that have values, and the table.
std::vector<std::string> write_figures(const Context& context,
                                       const std::filesystem::path& directory, const Report& report,
                                       const ChartFiles& how) {
  std::vector<std::filesystem::path> files = write_charts(directory, report, how);
  for (const HistoryFigure& figure : history_figures()) {
    if (std::ranges::find(report.charts, figure.name, &Chart::name) != report.charts.end())
      continue;
    context.log().write(LogLevel::notice, fmt::format("{} is not drawn: no run has {} or {}",
                                                      figure.name, figure.left, figure.right));
  }
  files.push_back(directory / "history.csv");
  write_file(files.back(), to_csv(report.table));
  std::vector<std::string> names;
  for (const std::filesystem::path& file : files) {
    context.log().write(LogLevel::info, "wrote " + file.string());
    names.push_back(file.string());
  }
  return names;
}

void show_history(const Context& context, const HistoryOptions& chosen,
                  const GlobalOptions& globals) {
  const std::vector<std::filesystem::path> folders(chosen.runs.begin(), chosen.runs.end());
  const ChartFiles how = chart_files(chosen.figures, chosen.out);
  Report report = history_report(read_run_histories(folders), context.seed(),
                                 chosen.each_seed ? SeedLines::each : SeedLines::pooled);
  std::vector<std::string> files;
  if (!chosen.out.empty()) files = write_figures(context, chosen.out, report, how);
  report.body.push_back({"files", files});
  print_report(report, globals);
}

}  // namespace

void add_history(CLI::App& app, GlobalOptions& options) {
  CLI::App* command = app.add_subcommand(
      "history", "Calibration over the epochs of runs: tables, correlations, figures");
  const auto chosen = std::make_shared<HistoryOptions>();
  command
      ->add_option("runs", chosen->runs,
                   "Folders of creg train --calibrate --out, also of several seeds")
      ->type_name("DIR")
      ->required();
  command
      ->add_option("--out", chosen->out,
                   "Draw the figures of these runs there, and their table, as CSV")
      ->type_name("DIR");
  command->add_flag("--each-seed", chosen->each_seed,
                    "A line for each seed, not their mean in a band of one standard deviation");
  add_figure_options(*command, chosen->figures);
  command->callback([chosen, &options] {
    take_figure_format(chosen->figures, options);
    options.action = [chosen, &options](const Context& context) {
      show_history(context, *chosen, options);
    };
  });
}

}  // namespace creg::cli
