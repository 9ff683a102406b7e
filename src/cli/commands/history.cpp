#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "core/text.h"
#include "report/correlation.h"
#include "report/history_figures.h"
#include "report/run_history.h"

namespace creg::cli {
namespace {

using nlohmann::ordered_json;

struct HistoryOptions {
  std::vector<std::string> runs;
  std::string out;
};

/// One half of Claim 4.1: the figure, and which way it says that ECE goes with it.
struct Claim {
  std::string_view column;
  std::string_view words;
  bool positive = true;
};

constexpr std::array<Claim, 2> claims = {
    {{"mean_sigma_random", "E[sigma] of random pairs", true}, {"q_positive", "q+", false}}};

struct ClaimResult {
  Claim claim;
  std::vector<Correlation> correlations;  ///< pooled by both kinds, then within runs
};

std::vector<ClaimResult> measure_claims(const std::vector<RunHistory>& runs, std::uint64_t seed) {
  std::vector<ClaimResult> results;
  for (const Claim& claim : claims) {
    std::vector<PairedRun> pairs;
    for (const RunHistory& run : runs) {
      pairs.push_back(pair_up(run.column(claim.column), run.column("ece")));
    }
    ClaimResult result{.claim = claim};
    for (const bool within : {false, true}) {
      for (const CorrelationKind kind : {CorrelationKind::pearson, CorrelationKind::spearman}) {
        result.correlations.push_back(correlate(pairs, kind, within, seed));
      }
    }
    results.push_back(std::move(result));
  }
  return results;
}

std::string_view resampled_name(Resampled resampled) {
  return resampled == Resampled::runs ? "runs" : "blocks of epochs";
}

ordered_json number_json(std::optional<double> value) {
  if (value) return *value;
  return nullptr;
}

ordered_json correlation_json(const Claim& claim, const Correlation& found) {
  std::optional<double> low;
  std::optional<double> high;
  if (found.interval) {
    low = found.interval->low;
    high = found.interval->high;
  }
  return {{"x", claim.column},
          {"y", "ece"},
          {"kind", found.kind == CorrelationKind::pearson ? "pearson" : "spearman"},
          {"within", found.within},
          {"r", number_json(found.r)},
          {"low", number_json(low)},
          {"high", number_json(high)},
          {"runs", found.runs},
          {"points", found.points},
          {"resampled", resampled_name(found.resampled)}};
}

ordered_json epoch_json(const RunHistory& run, std::optional<std::size_t> at) {
  if (!at) return nullptr;
  ordered_json object = {{"epoch", run.epochs[*at]}};
  for (const std::string_view name : history_columns()) {
    object[std::string(name)] = number_json(run.column(name)[*at]);
  }
  return object;
}

ordered_json history_json(const std::vector<RunHistory>& runs,
                          const std::vector<ClaimResult>& results,
                          const std::vector<std::filesystem::path>& files) {
  ordered_json object = {{"runs", ordered_json::array()},
                         {"correlations", ordered_json::array()},
                         {"files", ordered_json::array()}};
  for (const RunHistory& run : runs) {
    object["runs"].push_back({{"run", run.name},
                              {"epochs", run.epochs.size()},
                              {"first", epoch_json(run, 0)},
                              {"best", epoch_json(run, run.best())},
                              {"last", epoch_json(run, run.epochs.size() - 1)}});
  }
  for (const ClaimResult& result : results) {
    for (const Correlation& found : result.correlations) {
      object["correlations"].push_back(correlation_json(result.claim, found));
    }
  }
  for (const std::filesystem::path& file : files) object["files"].push_back(file.string());
  return object;
}

/// What a table shows of a column.
struct TableColumn {
  std::string_view column;
  std::string_view header;
  bool percent = false;
};

constexpr std::array<TableColumn, 8> table_columns = {{{"loss", "loss"},
                                                       {"ece", "ECE %", true},
                                                       {"q_positive", "q+ %", true},
                                                       {"q_negative", "q- %", true},
                                                       {"mean_sigma_random", "E[sigma]"},
                                                       {"norm_mean", "mean |h|"},
                                                       {"sigma_max_mean", "sigma_max"},
                                                       {"norm_squared_mean", "E|h|^2"}}};

std::string cell(std::optional<double> value, bool percent) {
  if (!value) return "-";
  if (percent) return fmt::format("{:.2f}", 100 * *value);
  const double size = std::abs(*value);
  return size != 0 && (size >= 1e5 || size < 1e-3) ? fmt::format("{:.3e}", *value)
                                                   : fmt::format("{:.4g}", *value);
}

std::string table_row(const RunHistory& run, std::string_view label,
                      std::optional<std::size_t> at) {
  if (!at) return "";
  std::string text = fmt::format("  {:<11}{:>7}", label, run.epochs[*at]);
  for (const TableColumn& shown : table_columns) {
    text += fmt::format("{:>11}", cell(run.column(shown.column)[*at], shown.percent));
  }
  return text + "\n";
}

std::string run_table(const RunHistory& run) {
  std::string text = fmt::format(
      "{}: {}\n  {:<11}{:>7}", run.name,
      counted(static_cast<std::int64_t>(run.epochs.size()), "epoch") + " measured", "", "epoch");
  for (const TableColumn& shown : table_columns) text += fmt::format("{:>11}", shown.header);
  text += "\n" + table_row(run, "first", 0) + table_row(run, "lowest ECE", run.best()) +
          table_row(run, "last", run.epochs.size() - 1);
  return text;
}

std::string_view verdict(const Claim& claim, const Correlation& found) {
  if (!found.interval) return "cannot be told";
  const auto [low, high] = *found.interval;
  if (low <= 0 && high >= 0) return "cannot be told (the interval holds 0)";
  return (low > 0) == claim.positive ? "holds" : "does not hold";
}

std::string correlation_words(const Claim& claim, const Correlation& found) {
  const std::string_view symbol = found.kind == CorrelationKind::pearson ? "r" : "rank r";
  if (!found.r) {
    return fmt::format("{} undefined (a constant figure, or fewer than 3 points): cannot be told",
                       symbol);
  }
  std::string text = fmt::format("{} = {:.2f}", symbol, *found.r);
  if (found.interval)
    text += fmt::format(" [{:.2f}, {:.2f}]", found.interval->low, found.interval->high);
  return text + fmt::format(": {}", verdict(claim, found));
}

std::string direction_words(const Claim& claim, const Correlation& found) {
  if (!found.r || *found.r == 0) return fmt::format("ECE and {}", claim.words);
  return fmt::format("ECE {} {}", *found.r > 0 ? "rises with" : "falls with rising", claim.words);
}

std::string claim_words(const ClaimResult& result) {
  std::string text = fmt::format("ECE and {}: the claim says {}\n", result.claim.words,
                                 result.claim.positive ? "positive" : "negative");
  // Pearson's and Spearman's of the same points come one after the other.
  for (std::size_t i = 0; i + 1 < result.correlations.size(); i += 2) {
    const Correlation& plain = result.correlations[i];
    const Correlation& ranked = result.correlations[i + 1];
    text +=
        fmt::format("  {}, {} of {}, resampling {}: {}\n    {}\n    {}\n",
                    plain.within ? "within runs" : "pooled", counted(plain.points, "point"),
                    counted(plain.runs, "run"), resampled_name(plain.resampled),
                    direction_words(result.claim, plain), correlation_words(result.claim, plain),
                    correlation_words(result.claim, ranked));
  }
  return text;
}

std::string history_text(const std::vector<RunHistory>& runs,
                         const std::vector<ClaimResult>& results) {
  std::string text;
  for (const RunHistory& run : runs) text += run_table(run) + "\n";
  text += "Claim 4.1, measured\n";
  for (const ClaimResult& result : results) text += claim_words(result);
  text += fmt::format("95 % intervals by {} resamples\n", bootstrap_resamples);
  const bool blocks = std::ranges::any_of(results, [](const ClaimResult& result) {
    return std::ranges::any_of(result.correlations, [](const Correlation& found) {
      return found.resampled == Resampled::epoch_blocks;
    });
  });
  if (blocks) {
    text += fmt::format(
        "Those of blocks of epochs speak of these runs only; from {} runs on, runs are "
        "resampled.\n",
        runs_to_resample);
  }
  return text;
}

std::vector<std::filesystem::path> write_figures(const Context& context,
                                                 const std::filesystem::path& directory,
                                                 const std::vector<RunHistory>& runs) {
  std::vector<std::filesystem::path> files = write_history_figures(directory, runs);
  for (const HistoryFigure& figure : history_figures()) {
    if (std::ranges::find(files, directory / figure.file) != files.end()) continue;
    context.log().write(LogLevel::notice, fmt::format("{} is not drawn: no run has {} or {}",
                                                      figure.file, figure.left, figure.right));
  }
  for (const std::filesystem::path& file : files) {
    context.log().write(LogLevel::info, "wrote " + file.string());
  }
  return files;
}

void show_history(const Context& context, const HistoryOptions& chosen,
                  const GlobalOptions& globals) {
  const std::vector<std::filesystem::path> folders(chosen.runs.begin(), chosen.runs.end());
  const std::vector<RunHistory> runs = read_run_histories(folders);
  const std::vector<ClaimResult> results = measure_claims(runs, context.seed());
  std::vector<std::filesystem::path> files;
  if (!chosen.out.empty()) files = write_figures(context, chosen.out, runs);
  print_result(globals.json ? history_json(runs, results, files).dump(2) + "\n"
                            : history_text(runs, results));
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
                   "Draw the figures of these runs there, as SVG, and their table, as CSV")
      ->type_name("DIR");
  command->callback([chosen, &options] {
    options.action = [chosen, &options](const Context& context) {
      show_history(context, *chosen, options);
    };
  });
}

}  // namespace creg::cli
