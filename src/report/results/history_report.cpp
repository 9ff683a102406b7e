#include "report/history_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/text.h"
#include "report/correlation.h"
#include "report/history_figures.h"

namespace creg {
namespace {

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

std::vector<ClaimResult> measure_claims(std::span<const RunHistory> runs, std::uint64_t seed) {
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

Table correlation_table(const std::vector<ClaimResult>& results) {
  Table table{.columns = {{"x"},
                          {"y"},
                          {"kind"},
                          {"within"},
                          {"r"},
                          {"low"},
                          {"high"},
                          {"runs"},
                          {"points"},
                          {"resampled"}}};
  for (const ClaimResult& result : results) {
    for (const Correlation& found : result.correlations) {
      table.rows.push_back({result.claim.column, "ece",
                            found.kind == CorrelationKind::pearson ? "pearson" : "spearman",
                            found.within, found.r,
                            found.interval ? Value(found.interval->low) : Value(),
                            found.interval ? Value(found.interval->high) : Value(), found.runs,
                            found.points, resampled_name(found.resampled)});
    }
  }
  return table;
}

Value epoch_value(const RunHistory& run, std::optional<std::size_t> at) {
  if (!at) return {};
  Record record = {{"epoch", run.epochs[*at]}};
  for (const std::string_view name : history_columns()) {
    record.push_back({std::string(name), run.column(name)[*at]});
  }
  return record;
}

/// What people see of a run: three of its epochs.
Field run_table(const RunHistory& run) {
  Table table{.columns = {{"", "at"},
                          {"", "epoch"},
                          {"", "loss"},
                          {"", "ECE", Unit::rate},
                          {"", "q+", Unit::rate},
                          {"", "q-", Unit::rate},
                          {"", "E[sigma]"},
                          {"", "mean |h|"},
                          {"", "sigma_max"},
                          {"", "E|h|^2"}}};
  const auto add = [&](const char* label, std::optional<std::size_t> at) {
    if (!at) return;
    table.rows.push_back({label, run.epochs[*at]});
    for (const char* const name : {"loss", "ece", "q_positive", "q_negative", "mean_sigma_random",
                                   "norm_mean", "sigma_max_mean", "norm_squared_mean"}) {
      table.rows.back().emplace_back(run.column(name)[*at]);
    }
  };
  add("first", 0);
  add("lowest ECE", run.best());
  add("last", run.epochs.size() - 1);
  return {.value = std::move(table),
          .label = fmt::format("{}: {} measured", run.name,
                               counted(static_cast<std::int64_t>(run.epochs.size()), "epoch"))};
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

std::string claims_words(const std::vector<ClaimResult>& results) {
  std::string text = "Claim 4.1, measured\n";
  for (const ClaimResult& result : results) text += claim_words(result);
  text += fmt::format("95 % intervals by {} resamples", bootstrap_resamples);
  const bool blocks = std::ranges::any_of(results, [](const ClaimResult& result) {
    return std::ranges::any_of(result.correlations, [](const Correlation& found) {
      return found.resampled == Resampled::epoch_blocks;
    });
  });
  if (blocks) {
    text += fmt::format(
        "\nThose of blocks of epochs speak of these runs only; from {} runs on, runs are "
        "resampled.",
        runs_to_resample);
  }
  return text;
}

}  // namespace

Report history_report(std::span<const RunHistory> runs, std::uint64_t seed, SeedLines lines) {
  const std::vector<ClaimResult> results = measure_claims(runs, seed);
  Record body;
  List each;
  for (const RunHistory& run : runs) {
    body.push_back(run_table(run));
    each.emplace_back(Record{{"run", run.name},
                             {"epochs", run.epochs.size()},
                             {"first", epoch_value(run, 0)},
                             {"best", epoch_value(run, run.best())},
                             {"last", epoch_value(run, run.epochs.size() - 1)}});
  }
  body.push_back({"runs", std::move(each)});
  body.push_back({"correlations", correlation_table(results)});
  body.push_back(words(claims_words(results)));
  return {
      .body = std::move(body), .table = history_table(runs), .charts = history_charts(runs, lines)};
}

}  // namespace creg
