#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>

#include "cli/commands.h"
#include "cli/options/short_help.h"
#include "cli/options/train_options.h"
#include "core/text.h"
#include "core/utf8.h"
#include "creg/core/error.h"
#include "creg/core/progress.h"
#include "creg/learn/metrics.h"
#include "io/file.h"
#include "io/run_store.h"
#include "io/seed_folders.h"
#include "io/write_lock.h"
#include "ops/tensor_memory.h"
#include "run/execute.h"
#include "run/scheduler.h"
#include "run/stored_run.h"
#include "run/sweep_journal.h"
#include "train/parameters.h"
#include "train/recipes.h"

namespace creg::cli {
namespace {

struct SweepCommand {
  RunSpec spec;
  std::string recipe;
  std::vector<std::string> grid;
  std::string out;
  std::string store;
  bool overwrite = false;
  int seeds = 1;
  int eval_splits = 0;
  int calibrate = 0;
};

using Point = SweepPoint;

/// "lr=0.1,0.01" as a key and its values.
std::pair<std::string, std::vector<std::string>> parse_axis(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size()) {
    fail_input({.what = "not a grid",
                .file = "--grid",
                .found = in_quotes(text),
                .expected = "KEY=VALUE,VALUE,… such as lr=0.01,0.001"});
  }
  std::string key = text.substr(0, equals);
  std::replace(key.begin(), key.end(), '-', '_');
  find_parameter(key);
  std::vector<std::string> values;
  std::size_t begin = equals + 1;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    values.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return {key, values};
}

std::vector<Point> grid_points(const std::vector<std::string>& axes) {
  std::vector<Point> points = {{}};
  for (const std::string& axis : axes) {
    const auto [key, values] = parse_axis(axis);
    std::vector<Point> longer;
    for (const Point& point : points) {
      for (const std::string& value : values) {
        longer.push_back(point);
        longer.back().emplace_back(key, value);
      }
    }
    points = std::move(longer);
  }
  return points;
}

/// A folder's name for the point: "lr=0.01,ratio=1".
std::string folder_name(const Point& point) {
  std::string text = label(point);
  for (char& c : text) {
    if (c == ' ') c = ',';
    if (c == '/') c = '_';
  }
  return text;
}

/// Where a sweep that is kept in FILE.jsonl keeps the calibration of its runs.
std::filesystem::path calibration_folder(std::filesystem::path out) {
  return out.replace_extension(".calibration");
}

/// What killed processes left of this file.
void remove_leftovers(const std::filesystem::path& folder, const std::string& name) {
  std::vector<std::filesystem::path> found;
  for (const std::filesystem::path& entry : list_folder(folder)) {
    if (name_of_part(entry.filename().string()) == name) found.push_back(entry);
  }
  std::error_code ignored;
  for (const std::filesystem::path& path : found) std::filesystem::remove(path, ignored);
}

/// Leftovers in the folders of points and seeds; with `all` also what finished runs wrote there.
void clear_calibration(const std::filesystem::path& folder, bool all) {
  if (!std::filesystem::is_directory(folder)) return;
  std::error_code ignored;
  for (const std::filesystem::path& point : list_folder(folder)) {
    for (const std::filesystem::path& seed : seed_folders(point)) {
      remove_leftovers(seed, "calibration.jsonl");
      if (all) std::filesystem::remove(seed / "calibration.jsonl", ignored);
    }
  }
}

RunPlan run_at(const RunPlan& base, const Point& point) {
  RunPlan run = base;
  for (const auto& [key, value] : point) find_parameter(key).set(run.config, value);
  check_config(run.config);
  schedule_runs(run);
  return run;
}

/// A seed by way of the store, which may know it already.
SeedResult stored_one(const Context& context, const RunPlan& plan, RunStore& store,
                      ProgressTask& progress) {
  const RunQuestion question{.kind = Question::classify, .splits = plan.eval_splits};
  int done = 0;
  RunListener listener;
  listener.epoch_done = [&](std::uint64_t /*seed*/, const EpochStatistics& /*statistics*/) {
    if (context.stopped()) return;
    ++done;
    progress.advance();
  };
  const Context silent = in_silence(context);
  const StoredRun run = run_by_store(silent, store, plan, {question}, listener);
  if (!context.stopped()) progress.advance(std::max(0, plan.config.epochs - done));
  const std::string name = question.name(plan.dataset.protocol);
  const auto values = [&](const std::string& metric) {
    const auto found = run.outcome.figures.find({name, metric});
    return found == run.outcome.figures.end() ? std::vector<double>() : found->second;
  };
  SeedResult result;
  result.seed = context.seed();
  result.training.seconds = run.outcome.seconds;
  result.classification =
      ClassifyResult{.accuracy = values("accuracy"), .val_accuracy = values("val_accuracy")};
  return result;
}

/// Runs what the journal lacks: all points and seeds side by side where there is room for it.
std::vector<PointOutcome> run_points(const Context& context, const RunPlan& base,
                                     const std::vector<Point>& points, SweepJournal& journal,
                                     RunStore* store) {
  install_tensor_memory();
  std::vector<PointOutcome> outcomes(points.size());
  std::vector<RunPlan> plans;
  std::vector<std::size_t> missing;
  std::int64_t epochs = 0;
  std::int64_t largest = 0;
  const std::size_t seeds = base.seeds.size();
  for (std::size_t p = 0; p < points.size(); ++p) {
    RunPlan plan = run_at(base, points[p]);
    if (plan.calibrate > 0) plan.calibration_folder /= folder_name(points[p]);
    largest = std::max(largest, plan.memory_bytes);
    require_memory_for(context, plan);
    if (const PointOutcome* done = journal.find(points[p])) {
      outcomes[p] = *done;
    } else {
      missing.push_back(p);
      epochs += plan.config.epochs * static_cast<std::int64_t>(seeds);
    }
    plans.push_back(std::move(plan));
  }
  const auto tasks = static_cast<std::int64_t>(missing.size() * seeds);
  const Scheduler scheduler(context, tasks, largest);
  ProgressTask progress(context, fmt::format("{} points x {} seeds", missing.size(), seeds), epochs,
                        "epochs");
  std::mutex mutex;
  std::vector<std::vector<SeedResult>> results(points.size(), std::vector<SeedResult>(seeds));
  std::vector<std::size_t> finished(points.size(), 0);
  scheduler.run([&](std::int64_t task) {
    const std::size_t p = missing[static_cast<std::size_t>(task) / seeds];
    const std::size_t s = static_cast<std::size_t>(task) % seeds;
    const Context own = scheduler.context_of(base.seeds[s]);
    SeedResult result = store == nullptr ? execute_one(own, plans[p], &progress)
                                         : stored_one(own, plans[p], *store, progress);
    result.training.embedding = {};
    const std::lock_guard lock(mutex);
    results[p][s] = std::move(result);
    if (++finished[p] < seeds) return;
    PointOutcome outcome{.point = points[p]};
    for (const SeedResult& seed : results[p]) {
      if (!seed.classification) {
        fail_input({.what = "the labels cannot be evaluated, so there is nothing to compare by",
                    .file = base.graph.name});
      }
      const ClassifyResult& classified = *seed.classification;
      outcome.val.insert(outcome.val.end(), classified.val_accuracy.begin(),
                         classified.val_accuracy.end());
      outcome.test.insert(outcome.test.end(), classified.accuracy.begin(),
                          classified.accuracy.end());
      outcome.seconds += seed.training.seconds;
    }
    if (outcome.val.empty()) {
      fail_input({.what = "the protocol has no validation nodes to choose by",
                  .file = base.dataset.protocol});
    }
    journal.add(outcome);
    outcomes[p] = std::move(outcome);
  });
  progress.finish();
  return outcomes;
}

Report sweep_report(const RunPlan& base, std::vector<PointOutcome> outcomes) {
  std::stable_sort(outcomes.begin(), outcomes.end(),
                   [](const PointOutcome& a, const PointOutcome& b) {
                     return summarise(a.val).mean > summarise(b.val).mean;
                   });
  const PointOutcome& best = outcomes.front();
  // One table for people and CSV, with a column per key of the grid; machines have points whole.
  Table table{.columns = {{"val_accuracy", "val accuracy", Unit::rate}}};
  for (const auto& [key, value] : best.point) table.columns.push_back({key, key});
  table.columns.push_back({"seconds", "time", Unit::seconds});
  Table points{.columns = {{"point"}, {"val_accuracy"}, {"seconds"}}};
  for (const PointOutcome& outcome : outcomes) {
    std::vector<Value> row = {Sample{outcome.val}};
    for (const auto& [key, value] : outcome.point) row.emplace_back(value);
    row.emplace_back(outcome.seconds);
    table.rows.push_back(std::move(row));
    points.rows.push_back({point_record(outcome.point), Sample{outcome.val}, outcome.seconds});
  }
  return {
      .body = {words(fmt::format("{}, {}: validation accuracy, best first", base.graph.name,
                                 base.recipe)),
               {.value = table},
               {"dataset", base.graph.name},
               {"recipe", base.recipe},
               {"points", std::move(points)},
               {"best", point_record(best.point)},
               {"best_accuracy", Sample{best.test}, "test accuracy of the best point", Unit::rate}},
      .table = table};
}

void sweep_command(const Context& context, const SweepCommand& command,
                   const GlobalOptions& globals) {
  RunSpec spec = command.spec;
  spec.recipe = command.recipe;
  spec.seeds = command.seeds;
  spec.eval_splits = command.eval_splits;
  // "ml/cora" means the shipped recipe of that name.
  if (is_recipe_file(command.recipe) && !is_there(command.recipe)) {
    const std::size_t slash = command.recipe.find('/');
    const std::string method = command.recipe.substr(0, slash);
    const std::string dataset = slash == std::string::npos ? "" : command.recipe.substr(slash + 1);
    if (find_recipe(method, dataset) == nullptr) {
      std::vector<std::string> names;
      for (const Recipe& recipe : shipped_recipes()) {
        names.push_back(recipe.path.substr(0, recipe.path.size() - 5));
      }
      fail_input({.what = "no such recipe",
                  .file = "RECIPE",
                  .found = in_quotes(command.recipe),
                  .expected = "a file, none, or " + join_words(names, " or ")});
    }
    spec.recipe.clear();
    if (!spec.settings.contains("method")) spec.settings["method"] = method;
    if (spec.data.dataset.empty()) spec.data.dataset = dataset;
  }
  RunPlan base = plan_chosen(context, spec, globals);
  if (!base.graph.has_labels()) {
    fail_input({.what = "a sweep compares validation accuracies, and this dataset has no labels",
                .file = base.graph.name,
                .hint = "training needs none: creg train"});
  }
  if (command.calibrate > 0) {
    if (command.out.empty()) {
      fail_input({.what = "the calibration of the runs needs a place to be kept",
                  .file = "--calibrate",
                  .expected = "--out FILE.jsonl too"});
    }
    base.calibrate = command.calibrate;
    base.calibration_folder = calibration_folder(command.out);
  }
  const std::string identity =
      fmt::format("dataset = {}\nseeds = {}\nsplits = {}\n{}", printable(base.graph.name),
                  command.seeds, command.eval_splits, config_toml(base.config));
  std::optional<WriteLock> lock;
  if (!command.out.empty()) {
    const std::filesystem::path parent = std::filesystem::absolute(command.out).parent_path();
    make_folder(parent);
    lock.emplace(context, command.out, LockMode::alone);
    remove_leftovers(parent, std::filesystem::path(command.out).filename().string());
    clear_calibration(calibration_folder(command.out), command.overwrite && is_sweep(command.out));
  }
  std::optional<RunStore> store;
  if (!command.store.empty()) store.emplace(context, command.store);
  SweepJournal journal(command.out, identity, command.overwrite);
  try {
    std::vector<PointOutcome> outcomes =
        run_points(context, base, grid_points(command.grid), journal, store ? &*store : nullptr);
    print_report(sweep_report(base, std::move(outcomes)), globals);
    if (command.calibrate > 0) {
      context.log().write(LogLevel::notice, "how the calibration moved: creg history " +
                                                base.calibration_folder.string() + "/*");
    }
  } catch (const Interrupted&) {
    const std::string& kept = command.out.empty() ? command.store : command.out;
    if (!kept.empty()) {
      context.log().write(LogLevel::notice,
                          "stopped; the same command goes on with what " + kept + " lacks");
    }
    throw;
  }
}

}  // namespace

void add_sweep(CLI::App& app, GlobalOptions& options) {
  CLI::App* command =
      app.add_subcommand("sweep", "Try a grid of settings, compared by validation accuracy");
  const auto chosen = std::make_shared<SweepCommand>();
  command
      ->add_option("RECIPE", chosen->recipe,
                   "Where to start: a TOML file, METHOD/DATASET of a shipped recipe, or none")
      ->required();
  command->add_option("--grid", chosen->grid, "A parameter and its values; several make all pairs")
      ->type_name("KEY=V1,V2");
  command->add_option("--seeds", chosen->seeds, "Seeds 0 … N-1 for every point [1]")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  command->add_option("--out", chosen->out, "Keep finished points here, and go on from them")
      ->type_name("FILE.jsonl");
  command
      ->add_option("--store", chosen->store,
                   "Keep every run in this store, the one of creg reproduce, and take from it what "
                   "it has")
      ->type_name("FILE");
  command->add_flag("--overwrite", chosen->overwrite,
                    "Where the file holds a sweep, begin anew instead of going on from it");
  command
      ->add_option("--eval-splits", chosen->eval_splits,
                   "Splits to evaluate on, where the dataset has no public one [20]")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  command
      ->add_option("--calibrate", chosen->calibrate,
                   "Measure the calibration of every run each EVERY epochs [10], kept beside --out "
                   "for creg history")
      ->type_name("EVERY")
      ->expected(0, 1)
      ->default_str("10")
      ->check(CLI::Range(1, 1000000));
  add_dataset_options(*command, chosen->spec.data, DatasetFlags::without_splits);
  add_parameter_flags(*command, chosen->spec);
  use_short_help(*command, chosen->spec);
  command->callback([chosen, &options] {
    options.action = [chosen, &options](const Context& context) {
      sweep_command(context, *chosen, options);
    };
  });
}

}  // namespace creg::cli
