#include "cli/training_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "calibration/embedding_calibration.h"
#include "cli/calibration_log.h"
#include "cli/reports/classify_report.h"
#include "cli/run_folder.h"
#include "core/build_info.h"
#include "core/parallel.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "creg/core/progress.h"
#include "creg/graph/splits.h"
#include "creg/tasks/cluster.h"
#include "io/file.h"
#include "io/npy.h"
#include "train/memory_estimate.h"
#include "train/parameters.h"

namespace creg::cli {
namespace {

ClassifyOptions classify_options(const ChosenRun& run, const RunPlan& plan) {
  ClassifyOptions options;
  options.protocol = run.dataset.protocol;
  options.splits = plan.splits;
  if (run.config.final_norm) options.normalize = Normalize::l2;
  return options;
}

Context with_options(const Context& context, std::uint64_t seed, int threads, bool quiet) {
  Context::Options options = context.options();
  options.seed = seed;
  options.threads = threads;
  if (quiet) options.progress = make_silent_progress();
  return Context(options);
}

/// By the model's own classifier where it has one.
ClassifyResult judge(const Context& context, const Graph& graph, const ModelOutput& output,
                     const ClassifyOptions& options) {
  return output.class_scores.rows > 0
             ? classify_scores(context, graph, output.class_scores, options)
             : classify(context, graph, output.embedding, options);
}

/// The split whose training labels a supervised run sees, by its number: seeds differ in it where
/// splits are drawn.
int supervised_split(const Graph& graph, const std::string& protocol, std::uint64_t seed) {
  const std::optional<int> stored = fixed_split_count(graph, protocol);
  return static_cast<int>(stored ? seed % static_cast<std::uint64_t>(*stored) : seed);
}

/// Judges the embedding on the first split where the run selects by it, and keeps the log of its
/// calibration.
class Watcher final : public TrainObserver {
 public:
  Watcher(const Context& context, const ChosenRun& run, ClassifyOptions options,
          std::optional<CalibrationLog> log, ProgressTask* epochs)
      : context_(context),
        run_(run),
        options_(std::move(options)),
        log_(std::move(log)),
        epochs_(epochs) {
    if (!options_.split) options_.split = 0;
    options_.splits = 0;
  }

  bool wants_snapshot(int epochs_done, bool over) override {
    return log_ && log_->wants(epochs_done, over);
  }
  void look(const Snapshot& snapshot) override { log_->record(snapshot); }

  void epoch_done(const EpochStatistics& /*statistics*/) override {
    // After Ctrl-C the trainer first writes its checkpoint.
    if (epochs_ != nullptr && !context_.stopped()) epochs_->advance();
    ++done_;
  }

  std::optional<double> score(Select by, const ModelOutput& output) override {
    if (by == Select::calibration) return unlabelled_score(context_, output.embedding);
    if (!run_.graph.has_labels()) return std::nullopt;
    if (by == Select::val_ece) return without_error(output.embedding);
    if (by == Select::clustering_peek) return clustering_accuracy(output.embedding);
    const ClassifyResult result = judge(context_, run_.graph, output, options_);
    if (result.val_accuracy.empty()) return std::nullopt;
    return result.val_accuracy.front();
  }

  int done() const { return done_; }

 private:
  std::optional<double> clustering_accuracy(const DenseMatrix& embedding) {
    return cluster(with_options(context_, context_.seed(), context_.threads(), true), run_.graph,
                   embedding, {.seeds = 1, .restarts = 3})
        .accuracy.front();
  }

  /// The calibration error over the validation nodes, negated.
  std::optional<double> without_error(const DenseMatrix& embedding) {
    if (!split_) {
      const std::string protocol =
          options_.protocol.empty() ? default_protocol(run_.graph) : options_.protocol;
      split_ = make_split(context_, run_.graph, protocol, options_.seed, *options_.split);
    }
    // The passes of a look between epochs show no progress of their own.
    const std::optional<double> error =
        ece_among(with_options(context_, context_.seed(), context_.threads(), true), run_.graph,
                  embedding, split_->val.span());
    if (!error) return std::nullopt;
    return -*error;
  }

  const Context& context_;
  const ChosenRun& run_;
  ClassifyOptions options_;
  std::optional<CalibrationLog> log_;
  std::optional<Split> split_;  // the first, once somebody has asked for it
  ProgressTask* epochs_;
  int done_ = 0;
};

void write_nodes(const std::filesystem::path& path, const Graph& graph) {
  if (graph.names.empty()) return;
  std::string text;
  for (std::int64_t i = 0; i < graph.names.size(); ++i) {
    for (const char c : graph.names[i]) text += c == '\t' || c == '\n' || c == '\r' ? ' ' : c;
    text += '\n';
  }
  write_file(path, text);
}

/// What says that the embedding has seen a part of the edges only.
nlohmann::ordered_json edge_split_json(const ChosenRun& run) {
  if (!run.held_out) return nullptr;
  return {{"protocol", std::string(edge_split_protocol)},
          {"seed", run.held_out->file.seed},
          {"trained_on", "training edges only"},
          {"training_edges", run.graph.adjacency.nonzeros() / 2}};
}

}  // namespace

void write_records(const Context& context, const ChosenRun& run, const RunPlan& plan,
                   const DatasetOptions& dataset, int threads) {
  RunRecord record = record_run(plan.directory, run, dataset);
  const auto write = [&](const std::filesystem::path& directory) {
    write_record(directory, record);
    std::filesystem::remove(edge_split_path(directory));
    if (run.held_out) {
      // What an earlier run left here has seen other edges.
      std::filesystem::remove(directory / "embedding.npy");
      std::filesystem::remove(directory / "checkpoint.pt");
      std::filesystem::remove(directory / "result.json");
      write_edge_split_file(context, edge_split_path(directory), run.held_out->whole,
                            run.held_out->file);
    }
  };
  record.threads = plan.several ? context.threads() : threads;
  record.seed = plan.several ? context.seed() : plan.seeds.front();
  record.calibrate = plan.calibrate;
  record.seeds = plan.several ? static_cast<int>(plan.seeds.size()) : 0;
  write(plan.directory);
  if (!plan.several) return;
  record.seeds = 0;
  record.threads = threads;
  for (const std::uint64_t seed : plan.seeds) {
    record.seed = seed;
    write(plan.directory / ("seed-" + std::to_string(seed)));
  }
}

SeedResult run_one(const Context& context, const ChosenRun& run, const RunPlan& plan,
                   ProgressTask* epochs) {
  SeedResult result;
  result.seed = context.seed();
  RunFiles files;
  if (!plan.directory.empty()) {
    files.directory =
        plan.several ? plan.directory / ("seed-" + std::to_string(context.seed())) : plan.directory;
    files.resume = plan.resume && is_there(files.directory / "checkpoint.pt");
  }
  ClassifyOptions options = classify_options(run, plan);
  Split supervised;
  if (method_of(run.config).labels) {
    const std::string protocol =
        options.protocol.empty() ? default_protocol(run.graph) : options.protocol;
    options.split = supervised_split(run.graph, protocol, context.seed());
    supervised = make_split(context, run.graph, protocol, options.seed, *options.split);
  }
  std::optional<CalibrationLog> log;
  std::filesystem::path log_folder = files.directory;
  if (!plan.calibration_folder.empty()) {
    log_folder = plan.calibration_folder / ("seed-" + std::to_string(context.seed()));
    std::filesystem::create_directories(log_folder);
  }
  if (plan.calibrate > 0 && !log_folder.empty()) {
    log.emplace(context, run.graph, log_folder / "calibration.jsonl", plan.calibrate, files.resume);
  }
  Watcher watcher(context, run, options, std::move(log), epochs);
  result.training = train(context, run.graph, run.config, files, &watcher, supervised.train.span());
  // Epochs that patience spared count as done.
  if (epochs != nullptr && !context.stopped()) epochs->advance(run.config.epochs - watcher.done());
  if (!files.directory.empty()) {
    write_npy(files.directory / "embedding.npy", result.training.embedding);
    write_nodes(files.directory / "nodes.tsv", run.graph);
  }
  if (plan.evaluate && run.graph.has_labels()) {
    try {
      result.classification = judge(
          context, run.graph, {result.training.embedding, result.training.class_scores}, options);
    } catch (const Error& error) {
      // The embedding is what was asked for: labels that cannot be evaluated do not spoil it.
      context.log().write(LogLevel::warning, std::string("not evaluated: ") + error.what());
    }
  }
  if (!files.directory.empty()) {
    write_file(files.directory / "result.json", result_json(context, run, {result}).dump(2) + "\n");
  }
  return result;
}

Context side_context(const Context& context, std::uint64_t seed) {
  return with_options(context, seed, 1, true);
}

int threads_per_run(const Context& context, const ChosenRun& run, std::size_t seeds) {
  const auto at_once = std::min<std::int64_t>(context.threads(), static_cast<std::int64_t>(seeds));
  if (at_once < 2) return context.threads();
  const MemoryEstimate estimate = estimate_memory(run.graph, run.config);
  return estimate.total <= available_memory() / at_once ? 1 : context.threads();
}

std::vector<SeedResult> run_seeds(const Context& context, const ChosenRun& run,
                                  const RunPlan& plan) {
  const int threads = threads_per_run(context, run, plan.seeds.size());
  const bool side_by_side = plan.seeds.size() > 1 && threads < context.threads();
  require_memory(estimate_memory(run.graph, run.config), 1, available_memory());
  std::vector<SeedResult> results(plan.seeds.size());
  if (!side_by_side) {
    for (std::size_t i = 0; i < plan.seeds.size(); ++i) {
      results[i] = run_one(with_options(context, plan.seeds[i], threads, false), run, plan);
    }
    return results;
  }
  ProgressTask epochs(context, fmt::format("{} x {} epochs", plan.seeds.size(), run.config.method),
                      static_cast<std::int64_t>(plan.seeds.size()) * run.config.epochs, "epochs");
  parallel_tasks(context, static_cast<std::int64_t>(plan.seeds.size()), [&](std::int64_t i) {
    const auto index = static_cast<std::size_t>(i);
    results[index] = run_one(side_context(context, plan.seeds[index]), run, plan, &epochs);
  });
  epochs.finish();
  return results;
}

nlohmann::ordered_json config_json(const TrainConfig& config) {
  nlohmann::ordered_json out;
  for (const Parameter& parameter : train_parameters()) {
    const std::string text = parameter.get(config);
    const nlohmann::ordered_json parsed = nlohmann::ordered_json::parse(text, nullptr, false);
    out[parameter.key] =
        parsed.is_number() || parsed.is_boolean() ? parsed : nlohmann::ordered_json(text);
  }
  return out;
}

nlohmann::ordered_json result_json(const Context& context, const ChosenRun& run,
                                   const std::vector<SeedResult>& results) {
  nlohmann::ordered_json out;
  std::vector<ClassifyResult> classified;
  for (const SeedResult& result : results) {
    if (result.classification) classified.push_back(*result.classification);
  }
  if (classified.empty()) {
    out = {{"task", nullptr}, {"dataset", run.graph.name}, {"metrics", nullptr}};
  } else {
    out = classify_json(pool_results(classified), run.graph.name);
  }
  out["edge_split"] = edge_split_json(run);
  out["config"] = config_json(run.config);
  out["recipe"] = run.recipe;
  out["version"] = build_info().version;
  out["threads"] = threads_per_run(context, run, results.size());
  double seconds = 0;
  nlohmann::ordered_json seeds = nlohmann::ordered_json::array();
  nlohmann::ordered_json epochs = nlohmann::ordered_json::array();
  nlohmann::ordered_json best = nlohmann::ordered_json::array();
  for (const SeedResult& result : results) {
    seconds += result.training.seconds;
    seeds.push_back(result.seed);
    epochs.push_back(result.training.epochs_run);
    best.push_back(result.training.best_epoch);
  }
  const bool one = results.size() == 1;
  out["seconds"] = seconds;
  out[one ? "seed" : "seeds"] = one ? seeds.front() : seeds;
  out["epochs_run"] = one ? epochs.front() : epochs;
  out["best_epoch"] = one ? best.front() : best;
  return out;
}

}  // namespace creg::cli
