#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include "cli/commands.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "io/file.h"
#include "report/reproduction.h"
#include "run/reproduce.h"

namespace creg::cli {
namespace {

struct ReproduceCommand {
  ReproduceSpec spec;
  std::string budget;
  std::string store = "runs/store.sqlite";
  std::vector<std::string> settings;
  std::vector<std::string> collect;
  bool dry_run = false;
};

/// "90", "90s", "30m", "1h30m", "2d" as seconds.
double parse_budget(const std::string& text) {
  const auto fail = [&] {
    fail_input({.what = "not a time",
                .file = "--budget",
                .found = in_quotes(text),
                .expected = "such as 90s, 30m, 1h30m or 2d"});
  };
  double seconds = 0;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  if (at == end) fail();
  while (at != end) {
    double number = 0;
    const auto [stop, error] = std::from_chars(at, end, number, std::chars_format::fixed);
    if (error != std::errc() || !std::isfinite(number) || number < 0) fail();
    at = stop;
    double unit = 1;
    if (at != end) {
      constexpr double minute = 60;
      constexpr double hour = 3600;
      constexpr double day = 86400;
      switch (*at++) {
        case 's':
          break;
        case 'm':
          unit = minute;
          break;
        case 'h':
          unit = hour;
          break;
        case 'd':
          unit = day;
          break;
        default:
          fail();
      }
    }
    seconds += number * unit;
  }
  constexpr double longest = 1e9;
  if (seconds <= 0 || seconds > longest) fail();
  return seconds;
}

void read_settings_words(ReproduceCommand& command) {
  for (const std::string& text : command.settings) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
      fail_input({.what = "not a setting",
                  .file = "--set",
                  .found = in_quotes(text),
                  .expected = "KEY=VALUE such as epochs=100"});
    }
    std::string key = text.substr(0, equals);
    for (char& c : key) c = c == '-' ? '_' : c;
    command.spec.settings[key] = text.substr(equals + 1);
  }
}

/// The runs that the budget does not reach, in words.
std::string left_words(const PaperPlan& plan) {
  if (plan.left.empty()) return {};
  double seconds = 0;
  std::vector<std::string> cells;
  for (const std::size_t i : plan.left) {
    seconds += plan.runs[i].seconds;
    for (const auto& [cell, task] : plan.runs[i].cells) {
      if (std::find(cells.begin(), cells.end(), cell) == cells.end()) cells.push_back(cell);
    }
  }
  constexpr std::size_t most = 8;
  const auto count = static_cast<std::int64_t>(cells.size());
  if (cells.size() > most) {
    cells.resize(most);
    cells.push_back(fmt::format("{} more", count - static_cast<std::int64_t>(most)));
  }
  return fmt::format("left by the budget: {}, ~ {} on a core, of {}",
                     counted(static_cast<std::int64_t>(plan.left.size()), "run"),
                     human_seconds(seconds), join_words(cells));
}

Record left_record(const PaperPlan& plan) {
  double seconds = 0;
  List cells;
  for (const std::size_t i : plan.left) {
    seconds += plan.runs[i].seconds;
    const PaperRun& run = plan.runs[i];
    cells.emplace_back(Record{{"method", run.key.method},
                              {"dataset", run.key.dataset},
                              {"regulariser", run.key.regulariser},
                              {"seed", run.key.seed},
                              {"edge_split", run.key.edge_split},
                              {"seconds", run.seconds}});
  }
  return {{"count", plan.left.size()}, {"seconds", seconds}, {"runs", std::move(cells)}};
}

/// Runs of the plan that failed, with what they said.
Table failures(const PaperPlan& plan, const std::vector<StoredRun>& known) {
  Table table{.columns = {{"method"}, {"dataset"}, {"seed"}, {"problem"}}};
  std::map<std::string, const StoredRun*> failed;
  for (const StoredRun& run : known) {
    if (run.state == RunState::failed) failed[run.key.text()] = &run;
  }
  for (const PaperRun& run : plan.runs) {
    const auto found = failed.find(run.key.text());
    if (found == failed.end()) continue;
    table.rows.push_back({run.key.method, run.key.dataset, run.key.seed, found->second->problem});
  }
  if (table.rows.empty()) return table;  // nothing for people
  for (Column& column : table.columns) column.label = column.key;
  return table;
}

/// Chosen runs that the budget did not reach after all, because others took longer, are left.
void leave_unbegun(PaperPlan& plan, const std::vector<StoredRun>& known) {
  std::set<std::string> failed;
  for (const StoredRun& run : known) {
    if (run.state == RunState::failed) failed.insert(run.key.text());
  }
  for (const std::size_t i : plan.chosen) {
    const PaperRun& run = plan.runs[i];
    if (!run.done && !failed.contains(run.key.text())) plan.left.push_back(i);
  }
}

std::vector<StoredRun> stored_runs(const Context& context, const std::string& store) {
  return is_there(store) ? read_run_store(context, store) : std::vector<StoredRun>();
}

void show_plan(const Context& context, const ReproduceCommand& command,
               const GlobalOptions& globals) {
  const PaperPlan plan = plan_paper(context, command.spec, stored_runs(context, command.store));
  Report report =
      reproduction_plan(plan.cells, static_cast<int>(plan.chosen.size()), plan.seconds, plan.how);
  append(report.body,
         {words(left_words(plan)), {"left", left_record(plan)}, {"store", command.store}});
  print_report(report, globals);
}

void tell_what_will_be(const Context& context, const PaperPlan& plan, const std::string& store) {
  const auto runs = static_cast<std::int64_t>(plan.chosen.size());
  const std::string text = runs == 0
                               ? "nothing to run: all that can be had is in " + store
                               : fmt::format("{} to do, ~ {} on {}; {}; kept in {}",
                                             counted(runs, "run"), human_seconds(plan.seconds),
                                             counted(context.threads(), "core"), plan.how, store);
  context.log().write(LogLevel::notice, plan_words(plan.cells));
  context.log().write(LogLevel::notice, text);
  if (plan.other_builds > 0) {
    context.log().write(
        LogLevel::notice,
        fmt::format("{} of these {} there by other builds of creg or libtorch, whose "
                    "results may differ: done again",
                    plan.other_builds, plan.other_builds == 1 ? "is" : "are"));
  }
  const std::string left = left_words(plan);
  if (!left.empty()) context.log().write(LogLevel::notice, left);
}

void reproduce_command(const Context& context, ReproduceCommand command,
                       const GlobalOptions& globals) {
  read_settings_words(command);
  command.spec.data_dir = globals.data_dir;
  command.spec.any_device = globals.device == "auto";
  if (!command.budget.empty()) command.spec.budget = parse_budget(command.budget);
  if (command.dry_run) {
    if (!command.collect.empty()) {
      fail_input({.what = "a dry run takes nothing in",
                  .file = "--collect",
                  .expected = "--collect without --dry-run"});
    }
    show_plan(context, command, globals);
    return;
  }
  paper_cells(command.spec.tables);  // a slip is told before a file is made
  RunStore store(context, command.store);
  for (const std::string& folder : command.collect) {
    const int taken = collect_runs(context, folder, store);
    context.log().write(LogLevel::notice, counted(taken, "run") + " taken in from " + folder);
  }
  PaperPlan plan = plan_paper(context, command.spec, store.runs());
  tell_what_will_be(context, plan, command.store);
  try {
    plan = run_within_budget(context, std::move(plan), command.spec, store);
  } catch (const Interrupted&) {
    context.log().write(LogLevel::notice,
                        "stopped after whole epochs; the same command goes on with what " +
                            command.store + " lacks");
    throw;
  }
  const std::vector<StoredRun> known = store.runs();
  fill_cells(plan, command.spec, known);
  if (command.spec.budget > 0) leave_unbegun(plan, known);
  Report report = reproduction_report(plan.cells);
  Table failed = failures(plan, known);
  const std::string about_failed = failed.rows.empty() ? "" : "runs that failed";
  append(report.body, {{"failed", std::move(failed), about_failed},
                       words(left_words(plan)),
                       {"left", left_record(plan)},
                       {"store", command.store}});
  print_report(report, globals);
}

}  // namespace

void add_reproduce(CLI::App& app, GlobalOptions& options) {
  CLI::App* command = app.add_subcommand("reproduce", "The paper's tables, ours beside theirs");
  const auto chosen = std::make_shared<ReproduceCommand>();
  command
      ->add_option("TABLE", chosen->spec.tables,
                   "Tables and figures of the paper [all]: " + join_words(paper_table_keys(), ", "))
      ->type_name("TABLE");
  command
      ->add_option("--datasets", chosen->spec.datasets,
                   "These alone; NAME=OTHER runs the cells of NAME on OTHER, a name or a path")
      ->type_name("NAME[=OTHER],…")
      ->delimiter(',');
  command->add_option("--methods", chosen->spec.methods, "These alone")
      ->type_name("NAME,…")
      ->delimiter(',');
  command
      ->add_option("--seeds", chosen->spec.seeds,
                   "Seeds 0 … N-1 of every cell [as many as its protocol has]")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  command
      ->add_option("--budget", chosen->budget,
                   "Do what tells most in this time, such as 30m or 8h, and say what was left")
      ->type_name("TIME");
  command->add_option("--store", chosen->store, "Where runs are kept [runs/store.sqlite]")
      ->type_name("FILE");
  command
      ->add_option("--collect", chosen->collect,
                   "First take in finished runs of creg train in and below these folders")
      ->type_name("DIR")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      ->add_option("--set", chosen->settings,
                   "Another value for a parameter of every run, for a try; not the paper's then")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_flag("--dry-run", chosen->dry_run,
                    "Print what would run, how long it takes and what cannot run here, and why");
  command->callback([chosen, &options] {
    options.action = [chosen, &options](const Context& context) {
      reproduce_command(context, *chosen, options);
    };
  });
}

}  // namespace creg::cli
