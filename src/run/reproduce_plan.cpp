#include "run/reproduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/text.h"
#include "creg/core/error.h"
#include "creg/learn/metrics.h"
#include "io/catalogue.h"
#include "io/data_folder.h"
#include "io/file.h"
#include "run/known_runs.h"
#include "run/run_times.h"
#include "run/scheduler.h"
#include "train/memory_estimate.h"
#include "train/parameters.h"
#include "train/recipes.h"

namespace creg {
namespace {

namespace fs = std::filesystem;

/// What --datasets says: names to keep, and what stands in for them.
struct DatasetChoice {
  std::map<std::string, std::string> chosen;

  bool has(const std::string& name) const { return chosen.empty() || chosen.contains(name); }
  std::string instead_of(const std::string& name) const {
    const auto found = chosen.find(name);
    return found == chosen.end() || found->second.empty() ? name : found->second;
  }
};

DatasetChoice dataset_choice(const std::vector<std::string>& words) {
  std::set<std::string> known;
  for (const PaperCell& cell : paper_cells()) known.insert(cell.dataset);
  DatasetChoice choice;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    if (!known.contains(name)) {
      const std::vector<std::string> names(known.begin(), known.end());
      fail_input({.what = "no table of the paper has this dataset",
                  .file = "--datasets",
                  .found = in_quotes(name),
                  .expected = join_words(names, " or "),
                  .hint = suggestion(name, names)});
    }
    choice.chosen[name] = equals == std::string::npos ? "" : word.substr(equals + 1);
  }
  return choice;
}

void check_methods(const std::vector<std::string>& methods) {
  std::set<std::string> known;
  for (const PaperCell& cell : paper_cells()) {
    if (!cell.method.empty()) known.insert(cell.method);
  }
  for (const std::string& method : methods) {
    if (known.contains(method)) continue;
    const std::vector<std::string> names(known.begin(), known.end());
    fail_input({.what = "no table of the paper has this method",
                .file = "--methods",
                .found = in_quotes(method),
                .expected = join_words(names, " or "),
                .hint = suggestion(method, names)});
  }
}

/// A slip in a setting is told once, not as a reason for every cell.
void check_settings(const Settings& settings) {
  for (const auto& [key, value] : settings) {
    try {
      TrainConfig tried;
      find_parameter(key).set(tried, value);
    } catch (const Error& error) {
      ErrorDetail detail = error.detail();
      detail.file = "--set " + key;
      fail_input(std::move(detail));
    }
  }
}

/// What the recipe of the paper's dataset sets, for a run on another one in its place.
Settings recipe_settings(const std::string& method, const std::string& dataset) {
  const Recipe* const recipe = find_recipe(method, dataset);
  if (recipe == nullptr) return {};
  TrainConfig config;
  const TrainConfig plain;
  apply_recipe(config, recipe->text, recipe->path);
  Settings settings;
  for (const Parameter& parameter : parameters_of(config)) {
    const std::string value = parameter.get(config);
    if (value != parameter.get(plain)) settings[parameter.key] = value;
  }
  return settings;
}

/// Why a dataset by name cannot be had; empty where it can.
std::string missing_words(const std::string& dataset, const fs::path& data_dir) {
  const CatalogueEntry* const entry = find_dataset(dataset);
  if (entry == nullptr) return {};
  const fs::path folder = dataset_folder(*entry, data_folder(data_dir.string()));
  const std::vector<std::string> missing = missing_files(*entry, folder);
  if (missing.empty()) return {};
  return fmt::format("{} is not on disk ({} lacks {}): creg data get {}", dataset, folder.string(),
                     missing.front(), dataset);
}

Context without_log(const Context& context) {
  Context::Options options = context.options();
  options.log = nullptr;
  options.progress = nullptr;
  return Context(options);
}

/// Cells of one name share their runs.
class Planner {
 public:
  Planner(const Context& context, const ReproduceSpec& spec)
      : context_(without_log(context)), spec_(spec), memory_(physical_memory()) {}

  void add(const PaperCell& cell, const std::string& dataset) {
    CellOutcome outcome{.cell = cell, .dataset = dataset};
    if (cell.task == PaperTask::sizes) {
      add_size(outcome);
    } else {
      add_runs(outcome);
    }
    plan_.cells.push_back(std::move(outcome));
  }

  PaperPlan take() { return std::move(plan_); }

 private:
  static void add_size(CellOutcome& outcome) {
    const CatalogueEntry* const entry = find_dataset(outcome.dataset);
    if (entry == nullptr) {
      outcome.runnable = false;
      outcome.reason = "sizes are told of the catalogue's datasets: creg data info tells others'";
      return;
    }
    const DatasetFigures& figures = entry->figures;
    const std::string& metric = outcome.cell.metric;
    const std::int64_t count = metric == "nodes"      ? figures.nodes
                               : metric == "edges"    ? figures.edges
                               : metric == "features" ? figures.features
                                                      : figures.classes;
    if (count < 0) return;
    outcome.values.push_back({.value = static_cast<double>(count)});
  }

  void add_runs(CellOutcome& outcome) {
    const PaperCell& cell = outcome.cell;
    const PaperRuns runs = paper_runs(cell);
    outcome.note = runs.note;
    RunSpec spec;
    spec.data.dataset = outcome.dataset;
    spec.data.data_dir = spec_.data_dir;
    if (outcome.dataset != cell.dataset) {
      spec.recipe = "none";
      spec.settings = recipe_settings(cell.method, cell.dataset);
      outcome.note += outcome.note.empty() ? "" : "; ";
      outcome.note += outcome.dataset + " in the place of " + cell.dataset;
    }
    for (const auto& [key, value] : runs.settings) spec.settings[key] = value;
    for (const auto& [key, value] : spec_.settings) spec.settings[key] = value;
    if (runs.pretrain) spec.pretrain = PartsSpec{};
    spec.calibrate = runs.calibrate;
    spec.evaluate = false;
    const std::string missing = missing_words(outcome.dataset, spec_.data_dir);
    if (!missing.empty()) return refuse(outcome, missing);
    RunPlan dry;
    try {
      dry = plan_dry_run(context_, spec);
      if (dry.dataset.entry == nullptr && !outcome.dataset.starts_with("synthetic:")) {
        dry = plan_run(context_, spec);
      }
    } catch (const Error& error) {
      std::string reason = error.what();
      std::replace(reason.begin(), reason.end(), '\n', ' ');
      return refuse(outcome, reason);
    }
    outcome.recipe = outcome.dataset == cell.dataset ? dry.recipe : "that of " + cell.dataset;
    if (safe_bytes(dry.memory_bytes) > memory_ && dry.device.type == DeviceType::cpu) {
      return refuse(outcome,
                    fmt::format("{} by {} needs some {}, this machine has {}", outcome.dataset,
                                cell.method, human_bytes(dry.memory_bytes), human_bytes(memory_)));
    }
    add_of_plan(outcome, runs, spec, dry);
  }

  static void refuse(CellOutcome& outcome, const std::string& reason) {
    outcome.runnable = false;
    outcome.reason = reason;
  }

  void add_of_plan(CellOutcome& outcome, const PaperRuns& runs, const RunSpec& spec, RunPlan dry) {
    const std::string& protocol = dry.dataset.protocol;
    const std::string name = outcome.cell.name();
    std::vector<std::string>& shown = plan_.shown[name];
    shown.clear();
    for (const RunQuestion& question : runs.shown) shown.push_back(question.name(protocol));
    outcome.protocol = shown.front();
    // A model that is trained on labels sees those of the protocol's split.
    const std::string own_protocol = protocol;
    const RunQuestion& first = runs.questions.front();
    if (first.kind == Question::classify && !first.protocol.empty()) {
      dry.dataset.protocol = first.protocol;
    }
    dry.calibrate = runs.calibrate;
    const int seeds = !runs.draws ? 1 : spec_.seeds > 0 ? spec_.seeds : runs.seeds;
    for (int s = 0; s < seeds; ++s) {
      for (int k = 0; k < std::max(1, runs.edge_splits); ++k) {
        PaperRun run;
        run.spec = spec;
        run.key = run_key(context_, dry, static_cast<std::uint64_t>(s));
        if (runs.edge_splits > 0) {
          run.spec.edge_split = static_cast<std::uint64_t>(k);
          run.key.edge_split = static_cast<std::uint64_t>(k);
        }
        run.protocol = own_protocol;
        run.memory_bytes = dry.memory_bytes;
        run.edges = dry.edges;
        run.nodes = dry.nodes;
        run.features = dry.features;
        run.dim = dry.config.encoder.dim;
        run.epochs = dry.config.epochs;
        run.rank = s * std::max(1, runs.edge_splits) + k;
        run.pair = fmt::format("{} {} {} {} {} {}", outcome.cell.task == PaperTask::link,
                               outcome.cell.method, outcome.dataset, outcome.cell.encoder, s, k);
        merge(std::move(run), runs.questions, name, outcome.protocol);
      }
    }
  }

  void merge(PaperRun run, const std::vector<RunQuestion>& questions, const std::string& cell,
             const std::string& task) {
    const std::string text = run.key.text();
    const auto [place, is_new] = places_.try_emplace(text, plan_.runs.size());
    if (is_new) plan_.runs.push_back(std::move(run));
    PaperRun& known = plan_.runs[place->second];
    known.cells[cell] = task;
    known.rank = std::min(known.rank, is_new ? known.rank : run.rank);
    for (const RunQuestion& question : questions) {
      const std::string name = question.name(known.protocol);
      const bool asked =
          std::any_of(known.questions.begin(), known.questions.end(),
                      [&](const RunQuestion& other) { return other.name(known.protocol) == name; });
      if (!asked) known.questions.push_back(question);
    }
  }

  Context context_;
  const ReproduceSpec& spec_;
  std::int64_t memory_;
  PaperPlan plan_;
  std::map<std::string, std::size_t> places_;
};

void mark_done(PaperPlan& plan, const KnownRuns& there) {
  for (PaperRun& run : plan.runs) {
    const StoredRun* const stored = there.find(run.key);
    run.done = stored != nullptr && open_questions(*stored, run.questions, run.protocol).empty();
  }
}

int runs_of_other_builds(const PaperPlan& plan, const std::vector<StoredRun>& known) {
  const auto any_build = [](RunKey key) {
    key.build.clear();
    key.device.clear();
    return key.text();
  };
  std::set<std::string> there;
  for (const StoredRun& run : known) {
    if (run.state == RunState::done) there.insert(any_build(run.key));
  }
  return static_cast<int>(std::ranges::count_if(plan.runs, [&](const PaperRun& run) {
    return !run.done && there.contains(any_build(run.key));
  }));
}

/// Whether as many runs of this size as there are cores fit into memory.
bool goes_beside_others(const Context& context, std::int64_t bytes) {
  if (context.device().type != DeviceType::cpu) return true;
  return safe_bytes(bytes) <= available_memory() / std::max(1, context.threads());
}

}  // namespace

PackedRuns pack_runs(const Context& context, const std::vector<PaperRun>& runs,
                     const std::vector<std::size_t>& chosen) {
  PackedRuns packed;
  for (const std::size_t i : chosen) {
    (goes_beside_others(context, runs[i].memory_bytes) ? packed.beside : packed.alone).push_back(i);
  }
  return packed;
}

double packed_seconds(const std::vector<PaperRun>& runs, const PackedRuns& packed, int cores) {
  double beside = 0;
  double longest = 0;
  for (const std::size_t i : packed.beside) {
    beside += runs[i].seconds;
    longest = std::max(longest, runs[i].seconds);
  }
  double alone = 0;
  for (const std::size_t i : packed.alone) alone += runs[i].seconds / cores;
  return std::max(longest, beside / cores) + alone;
}

std::vector<std::size_t> order_runs(const std::vector<PaperRun>& runs) {
  // A comparison is worth as much as its slower half lets it.
  std::map<std::string, double> seconds;
  std::map<std::string, int> rank;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].done) continue;
    order.push_back(i);
    seconds[runs[i].pair] += runs[i].seconds;
    const auto [place, is_new] = rank.try_emplace(runs[i].pair, runs[i].rank);
    place->second = std::min(place->second, runs[i].rank);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const std::string& first = runs[a].pair;
    const std::string& second = runs[b].pair;
    return std::tuple(rank[first], seconds[first], std::string_view(first)) <
           std::tuple(rank[second], seconds[second], std::string_view(second));
  });
  return order;
}

std::pair<std::vector<std::size_t>, std::vector<std::size_t>> within_budget(
    const std::vector<PaperRun>& runs, const std::vector<std::size_t>& order, double budget,
    int at_once) {
  std::pair<std::vector<std::size_t>, std::vector<std::size_t>> parts;
  auto& [chosen, left] = parts;
  double room = budget * at_once;
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    double seconds = 0;
    double longest = 0;
    for (; end < order.size() && runs[order[end]].pair == runs[order[begin]].pair; ++end) {
      seconds += runs[order[end]].seconds;
      longest = std::max(longest, runs[order[end]].seconds);
    }
    const bool fits = seconds <= room && longest <= budget;
    auto& part = fits ? chosen : left;
    for (; begin < end; ++begin) part.push_back(order[begin]);
    if (fits) room -= seconds;
  }
  return parts;
}

PaperPlan plan_paper(const Context& context, const ReproduceSpec& spec,
                     const std::vector<StoredRun>& known) {
  const std::vector<PaperCell> cells = paper_cells(spec.tables);
  const DatasetChoice datasets = dataset_choice(spec.datasets);
  check_methods(spec.methods);
  check_settings(spec.settings);
  Planner planner(context, spec);
  for (const PaperCell& cell : cells) {
    const bool wanted = spec.methods.empty() || std::find(spec.methods.begin(), spec.methods.end(),
                                                          cell.method) != spec.methods.end();
    if (wanted && datasets.has(cell.dataset)) {
      planner.add(cell, datasets.instead_of(cell.dataset));
    }
  }
  PaperPlan plan = planner.take();
  if (plan.cells.empty()) {
    fail_input({.what = "no cell of the paper has these tables, datasets and methods together",
                .hint = "creg reproduce --dry-run shows all that there are"});
  }
  const KnownRuns there(known, spec.any_device);
  mark_done(plan, there);
  plan.other_builds = runs_of_other_builds(plan, known);
  plan.slowness = spec.slowness;
  plan.how = estimate_times(context, plan.runs, known, plan.slowness);
  const std::vector<std::size_t> order = order_runs(plan.runs);
  plan.chosen = order;
  if (spec.budget > 0) {
    std::tie(plan.chosen, plan.left) =
        within_budget(plan.runs, order, spec.budget, context.threads());
  }
  plan.seconds =
      packed_seconds(plan.runs, pack_runs(context, plan.runs, plan.chosen), context.threads());
  fill_cells(plan, spec, known);
  return plan;
}

void fill_cells(PaperPlan& plan, const ReproduceSpec& spec, const std::vector<StoredRun>& known) {
  const KnownRuns there(known, spec.any_device);
  mark_done(plan, there);
  for (CellOutcome& outcome : plan.cells) {
    if (outcome.cell.task == PaperTask::sizes || !outcome.runnable) continue;
    const std::string name = outcome.cell.name();
    std::optional<CellOutcome> best;
    for (const std::string& task : plan.shown[name]) {
      CellOutcome filled = outcome;
      filled.values.clear();
      filled.folders.clear();
      filled.runs_done = 0;
      filled.runs_left = 0;
      filled.seconds = 0;
      filled.protocol = task;
      // By the first metric, accuracy, whichever this cell shows: one choice for all of them.
      CellOutcome judge = filled;
      judge.cell.metric = outcome.cell.task == PaperTask::cluster ? "accuracy" : judge.cell.metric;
      for (const PaperRun& run : plan.runs) {
        if (!run.cells.contains(name)) continue;
        const StoredRun* const stored = there.find(run.key);
        const int before = filled.runs_done;
        if (stored != nullptr) {
          add_values(filled, *stored, task);
          add_values(judge, *stored, task);
        }
        if (filled.runs_done > before) continue;
        ++filled.runs_left;
        filled.seconds += run.seconds;
      }
      const bool better = !best || (!judge.values.empty() &&
                                    (best->values.empty() || summarise(judge.numbers()).mean >
                                                                 summarise(best->numbers()).mean));
      if (!better) continue;
      best = judge;
      outcome = std::move(filled);
    }
  }
}

}  // namespace creg
