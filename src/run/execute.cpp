#include "run/execute.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <utility>

#include "comm/communicator.h"
#include "core/build_info.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "creg/graph/splits.h"
#include "io/file.h"
#include "io/node_names_file.h"
#include "io/npy.h"
#include "io/run_files.h"
#include "ops/runtime.h"
#include "ops/tensor_memory.h"
#include "report/writers.h"
#include "run/calibration_log.h"
#include "run/claimed_folder.h"
#include "run/embeddings.h"
#include "run/events_log.h"
#include "run/ranks.h"
#include "run/run_folder.h"
#include "run/run_report.h"
#include "run/scheduler.h"
#include "run/selection.h"
#include "train/memory_estimate.h"
#include "train/parameters.h"
#include "train/same_ranks.h"

namespace creg {
namespace {

ClassifyOptions options_of(const RunPlan& plan) {
  ClassifyOptions options;
  options.protocol = plan.dataset.protocol;
  options.splits = plan.eval_splits;
  options.normalize = classified_rows(plan.config);
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
          std::optional<EventsLog> events, ProgressTask* epochs, const RunListener& listener)
      : context_(context),
        selection_(std::move(selection)),
        log_(std::move(log)),
        events_(std::move(events)),
        epochs_(epochs),
        listener_(listener) {}

  bool wants_snapshot(int epochs_done, bool over) override {
    return log_ && log_->wants(epochs_done, over);
  }
  void look(const Snapshot& snapshot) override {
    Record line = log_->record(snapshot);
    if (!events_) return;
    // The epoch is the event's step, and the losses are told with their epochs.
    std::erase_if(line, [](const Field& figure) {
      return figure.key == "epoch" || figure.key == "loss" || figure.key == "contrast" ||
             figure.key == "regulariser";
    });
    events_->add_calibration(snapshot.epochs_done, line);
  }
  void keeping() override {
    if (events_) events_->flush();
  }

  void epoch_done(const EpochStatistics& statistics) override {
    if (events_) events_->add(statistics);
    if (listener_.epoch_done) listener_.epoch_done(context_.seed(), statistics);
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
  std::optional<EventsLog> events_;
  ProgressTask* epochs_;
  const RunListener& listener_;
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

std::optional<EventsLog> events_log_of(const RunPlan& plan, const RunFiles& files) {
  if (!plan.tensorboard || files.directory.empty()) return std::nullopt;
  return EventsLog(files.directory / events_file_name, files.resume);
}

/// What ranks must have alike before the first seed is trained, where the rest is compared.
TextPairs runs_in_common(const RunPlan& plan) {
  std::string seeds;
  for (const std::uint64_t seed : plan.seeds) {
    seeds += (seeds.empty() ? "" : " ") + std::to_string(seed);
  }
  return {{what_ranks_share, "the batches of a graph"},
          {"--seeds", seeds},
          {"--resume", plan.resume ? "given" : "not given"}};
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

RunResult execute_seeds(const Context& context, const RunPlan& plan, const RunListener& listener) {
  Context::Options options = context.options();
  options.threads = plan.all_threads;
  options.precision = plan.precision;
  const Context all(options);
  const auto tasks = static_cast<std::int64_t>(plan.seeds.size());
  const Scheduler scheduler(all, plan.threads < plan.all_threads ? tasks : 1, plan.memory_bytes,
                            on_gpu(plan.config));
  RunResult result{.plan = plan, .seeds = std::vector<SeedResult>(plan.seeds.size())};
  if (!scheduler.side_by_side()) {
    for (std::size_t i = 0; i < plan.seeds.size(); ++i) {
      result.seeds[i] = execute_one(scheduler.context_of(plan.seeds[i]), plan, nullptr, listener);
    }
  } else {
    ProgressTask epochs(all, fmt::format("{} x {} epochs", tasks, plan.config.method),
                        tasks * plan.config.epochs, "epochs");
    scheduler.run([&](std::int64_t task) {
      const auto i = static_cast<std::size_t>(task);
      result.seeds[i] = execute_one(scheduler.context_of(plan.seeds[i]), plan, &epochs, listener);
    });
    epochs.finish();
  }
  if (plan.several && !plan.directory.empty() && is_first_rank(plan)) {
    write_file(plan.directory / "result.json", to_json_text(run_report(result).body));
  }
  return result;
}

}  // namespace

SeedResult execute_one(const Context& context, const RunPlan& plan, ProgressTask* epochs,
                       const RunListener& listener) {
  SeedResult result;
  result.seed = context.seed();
  RunFiles files;
  files.return_stopped = listener.return_stopped && plan.seeds.size() == 1;
  files.world = plan.world;
  if (!plan.directory.empty() && (is_first_rank(plan) || plan.resume)) {
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
  if (!is_first_rank(plan)) {
    result.training =
        train(context, plan.graph, plan.config, files, nullptr, supervised.train.span());
    return result;
  }
  Watcher watcher(context, Selection(context, plan.graph, options),
                  calibration_log_of(context, plan, files), events_log_of(plan, files), epochs,
                  listener);
  result.training =
      train(context, plan.graph, plan.config, files, &watcher, supervised.train.span());
  if (result.training.stopped) return result;
  // What follows is for this rank alone: the others need not wait.
  if (plan.world && context.seed() == plan.seeds.back()) plan.world->finish();
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

void require_memory_for(const Context& context, const RunPlan& plan) {
  const MemoryLimit left = tensor_memory_left(context);
  const MemoryEstimate whole{plan.memory, plan.memory_bytes};
  require_memory(on_this_host(plan, least_memory(whole, plan.config, context.device(), left)),
                 ranks_sharing_memory(plan), left, "rank");
}

RunResult execute(const Context& context, const RunPlan& plan, const RunListener& listener) {
  install_tensor_memory();
  if (plan.world) check_same(*plan.world, runs_in_common(plan));
  require_memory_for(context, plan);
  if (plan.directory.empty() || !is_first_rank(plan)) return execute_seeds(context, plan, listener);
  keep_dataset_apart(plan);
  const ClaimedFolder folder(context, plan.directory, claim_of(plan));
  if (plan.resume) {
    // What a killed run had not come to yet.
    write_missing_records(context, plan);
    return execute_seeds(context, plan, listener);
  }
  try {
    write_records(context, plan);
    return execute_seeds(context, plan, listener);
  } catch (const Error&) {
    // Where a rank was lost all are told to resume, which begins such a run again.
    if (!plan.world || !plan.world->lost_one()) folder.forget_unbegun();
    throw;
  }
}

}  // namespace creg
