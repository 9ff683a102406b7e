#include "run/execute.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <utility>

#include "core/build_info.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "creg/graph/splits.h"
#include "io/file.h"
#include "io/node_names_file.h"
#include "io/npy.h"
#include "ops/runtime.h"
#include "ops/tensor_memory.h"
#include "report/writers.h"
#include "run/calibration_log.h"
#include "run/claimed_folder.h"
#include "run/run_folder.h"
#include "run/run_report.h"
#include "run/scheduler.h"
#include "run/selection.h"
#include "train/memory_estimate.h"
#include "train/parameters.h"

namespace creg {
namespace {

ClassifyOptions options_of(const RunPlan& plan) {
  ClassifyOptions options;
  options.protocol = plan.dataset.protocol;
  options.splits = plan.eval_splits;
  if (plan.config.final_norm) options.normalize = Normalize::l2;
  options.smooth = plan.config.smooth;
  return options;
}

/// The split whose training labels a supervised run sees, by its number: seeds differ in it where
/// splits are drawn.
int supervised_split(const Graph& graph, const std::string& protocol, std::uint64_t seed) {
  const std::optional<int> stored = fixed_split_count(graph, protocol);
  return static_cast<int>(stored ? seed % static_cast<std::uint64_t>(*stored) : seed);
}

/// Judges the embedding where the run selects by it, keeps the log of its calibration, and counts
/// epochs.
class Watcher final : public TrainObserver {
 public:
  Watcher(const Context& context, Selection selection, std::optional<CalibrationLog> log,
          ProgressTask* epochs)
      : context_(context),
        selection_(std::move(selection)),
        log_(std::move(log)),
        epochs_(epochs) {}

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
    return selection_.score(by, output);
  }

  int done() const { return done_; }

 private:
  const Context& context_;
  Selection selection_;
  std::optional<CalibrationLog> log_;
  ProgressTask* epochs_;
  int done_ = 0;
};

std::optional<CalibrationLog> calibration_log_of(const Context& context, const RunPlan& plan,
                                                 const RunFiles& files) {
  std::filesystem::path folder = files.directory;
  if (!plan.calibration_folder.empty()) {
    folder = plan.calibration_folder / ("seed-" + std::to_string(context.seed()));
    make_folder(folder);
  }
  if (plan.calibrate == 0 || folder.empty()) return std::nullopt;
  return CalibrationLog(context, plan.graph, folder / "calibration.jsonl", plan.calibrate,
                        files.resume);
}

/// A run that overwrites the description of its own dataset could never be gone on with.
void keep_dataset_apart(const RunPlan& plan) {
  std::error_code ignored;
  if (!plan.overwrite || plan.resume || plan.data.dataset.empty() ||
      !std::filesystem::equivalent(plan.data.dataset, plan.directory / "dataset.toml", ignored)) {
    return;
  }
  fail_input({.what = "the dataset is described in the folder that would be overwritten",
              .file = plan.data.dataset,
              .hint = "name its files again with --edges and its companions, or choose another "
                      "folder with --out"});
}

RunResult execute_seeds(const Context& context, const RunPlan& plan) {
  Context::Options options = context.options();
  options.threads = plan.all_threads;
  options.precision = plan.precision;
  const Context all(options);
  const auto tasks = static_cast<std::int64_t>(plan.seeds.size());
  const Scheduler scheduler(all, plan.threads < plan.all_threads ? tasks : 1, plan.memory_bytes);
  RunResult result{.plan = plan, .seeds = std::vector<SeedResult>(plan.seeds.size())};
  if (!scheduler.side_by_side()) {
    for (std::size_t i = 0; i < plan.seeds.size(); ++i) {
      result.seeds[i] = execute_one(scheduler.context_of(plan.seeds[i]), plan);
    }
  } else {
    ProgressTask epochs(all, fmt::format("{} x {} epochs", tasks, plan.config.method),
                        tasks * plan.config.epochs, "epochs");
    scheduler.run([&](std::int64_t task) {
      const auto i = static_cast<std::size_t>(task);
      result.seeds[i] = execute_one(scheduler.context_of(plan.seeds[i]), plan, &epochs);
    });
    epochs.finish();
  }
  if (plan.several && !plan.directory.empty()) {
    write_file(plan.directory / "result.json", to_json_text(run_report(result).body));
  }
  return result;
}

}  // namespace

SeedResult execute_one(const Context& context, const RunPlan& plan, ProgressTask* epochs) {
  SeedResult result;
  result.seed = context.seed();
  RunFiles files;
  if (!plan.directory.empty()) {
    files.directory = seed_folder(plan, context.seed());
    files.resume = plan.resume && is_there(files.directory / "checkpoint.pt");
  }
  ClassifyOptions options = options_of(plan);
  Split supervised;
  if (method_of(plan.config).labels) {
    const std::string protocol =
        options.protocol.empty() ? default_protocol(plan.graph) : options.protocol;
    options.split = supervised_split(plan.graph, protocol, context.seed());
    supervised = make_split(context, plan.graph, protocol, options.seed, *options.split);
  }
  Watcher watcher(context, Selection(context, plan.graph, options),
                  calibration_log_of(context, plan, files), epochs);
  result.training =
      train(context, plan.graph, plan.config, files, &watcher, supervised.train.span());
  // Epochs that patience spared count as done.
  if (epochs != nullptr && !context.stopped()) {
    epochs->advance(plan.config.epochs - watcher.done());
  }
  if (!files.directory.empty()) {
    write_npy(files.directory / "embedding.npy", result.training.embedding);
    write_node_names(files.directory / "nodes.tsv", plan.graph.names);
  }
  if (plan.evaluate && plan.graph.has_labels()) {
    try {
      result.classification = judge_output(
          context, plan.graph, {result.training.embedding, result.training.class_scores}, options);
    } catch (const Error& error) {
      // The embedding is what was asked for: labels that cannot be evaluated do not spoil it.
      context.log().write(LogLevel::warning, std::string("not evaluated: ") + error.what());
    }
  }
  if (!files.directory.empty()) {
    RunPlan alone = plan;
    alone.threads = context.threads();
    write_file(files.directory / "result.json",
               to_json_text(run_report({std::move(alone), {result}}).body));
  }
  return result;
}

RunResult execute(const Context& context, const RunPlan& plan) {
  install_tensor_memory();
  require_memory({plan.memory, plan.memory_bytes}, 1, tensor_memory_left(context));
  if (plan.directory.empty()) return execute_seeds(context, plan);
  keep_dataset_apart(plan);
  const ClaimedFolder folder(context, plan.directory, claim_of(plan));
  if (plan.resume) {
    // What a killed run had not come to yet.
    write_missing_records(context, plan);
    return execute_seeds(context, plan);
  }
  try {
    write_records(context, plan);
    return execute_seeds(context, plan);
  } catch (const Error&) {
    folder.forget_unbegun();
    throw;
  }
}

}  // namespace creg
