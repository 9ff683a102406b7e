#include "cli/link_runs.h"

#include <fmt/format.h>

#include <atomic>
#include <mutex>

#include "cli/options/embedding_source.h"
#include "cli/run_folder.h"
#include "cli/training_run.h"
#include "core/parallel.h"
#include "creg/core/error.h"
#include "io/file.h"
#include "train/memory_estimate.h"
#include "train/parameters.h"

namespace creg::cli {
namespace {

/// The run and the folder of one split.
struct SplitRun {
  ChosenRun run;
  RunPlan plan;
};

/// A folder of runs with other settings is not continued.
void check_kept_runs(const RunRecord& kept, const RunRecord& wanted,
                     const std::filesystem::path& directory) {
  const auto same = [&](const std::string& what, const std::string& there,
                        const std::string& here) {
    if (there == here) return;
    fail_input({.what = "the folder holds runs of another " + what,
                .file = directory.string(),
                .found = there,
                .expected = here,
                .hint = "choose another one with --out"});
  };
  same("dataset", kept.dataset, wanted.dataset);
  same("edge split", kept.edge_split ? std::to_string(*kept.edge_split) : "none",
       std::to_string(*wanted.edge_split));
  for (const Parameter& parameter : train_parameters()) {
    same(parameter.key, parameter.get(kept.config), parameter.get(wanted.config));
  }
}

SplitRun prepare_split(const Context& context, const ChosenRun& run, const DatasetOptions& dataset,
                       const LinkPlan& plan, std::uint64_t split, int threads) {
  SplitRun out{.run = run, .plan = {.several = true, .resume = true, .evaluate = false}};
  for (int s = 0; s < plan.seeds; ++s) out.plan.seeds.push_back(static_cast<std::uint64_t>(s));
  if (plan.directory.empty()) {
    hold_out_edges(context, out.run, split);
    return out;
  }
  out.plan.directory = plan.directory / ("split-" + std::to_string(split));
  if (!is_there(out.plan.directory / "config.toml")) {
    hold_out_edges(context, out.run, split);
    write_records(context, out.run, out.plan, dataset, threads);
    return out;
  }
  hold_out_kept_edges(context, out.run, split, out.plan.directory);
  check_kept_runs(read_record(out.plan.directory), record_run(out.plan.directory, out.run, dataset),
                  out.plan.directory);
  // Seeds that an earlier command did not ask for get their records now.
  for (const std::uint64_t seed : out.plan.seeds) {
    if (is_there(out.plan.directory / ("seed-" + std::to_string(seed)) / "config.toml")) continue;
    RunRecord record = record_run(out.plan.directory, out.run, dataset);
    record.seed = seed;
    record.threads = threads;
    const std::filesystem::path folder = out.plan.directory / ("seed-" + std::to_string(seed));
    write_record(folder, record);
    write_edge_split_file(context, edge_split_path(folder), out.run.held_out->whole,
                          out.run.held_out->file);
  }
  return out;
}

Context context_of_run(const Context& context, std::uint64_t seed, int threads) {
  Context::Options options = context.options();
  options.seed = seed;
  options.threads = threads;
  options.progress = make_silent_progress();
  return Context(options);
}

}  // namespace

LinkRuns run_links(const Context& context, const ChosenRun& run, const DatasetOptions& dataset,
                   const LinkPlan& plan) {
  const MemoryEstimate memory = estimate_memory(run.graph, run.config);
  require_memory(memory, 1, available_memory());
  const std::int64_t tasks = std::int64_t{plan.splits} * plan.seeds;
  const std::int64_t at_once = std::min<std::int64_t>(tasks, context.threads());
  const bool side_by_side = at_once > 1 && memory.total <= available_memory() / at_once;
  const int threads = side_by_side ? 1 : context.threads();

  std::vector<SplitRun> splits;
  for (int k = 0; k < plan.splits; ++k) {
    splits.push_back(
        prepare_split(context, run, dataset, plan, static_cast<std::uint64_t>(k), threads));
  }
  const std::int64_t fit_epochs = plan.link.predictor.epochs;
  ProgressTask progress(context, fmt::format("{} x {} epochs", tasks, run.config.method),
                        tasks * (run.config.epochs + fit_epochs), "epochs");
  const auto folder_of = [&](std::int64_t task) {
    const SplitRun& split = splits[static_cast<std::size_t>(task / plan.seeds)];
    return split.plan.directory / ("seed-" + std::to_string(task % plan.seeds));
  };
  // result.json is the last thing that a run writes.
  std::vector<std::uint8_t> finished(static_cast<std::size_t>(tasks), 0);
  for (std::int64_t task = 0; task < tasks && !plan.directory.empty(); ++task) {
    if (!is_there(folder_of(task) / "result.json")) continue;
    finished[static_cast<std::size_t>(task)] = 1;
    progress.skip(run.config.epochs);
  }
  std::vector<LinkResult> results(static_cast<std::size_t>(tasks));
  LinkRuns out;
  std::mutex mutex;
  const auto one = [&](std::int64_t task) {
    const SplitRun& split = splits[static_cast<std::size_t>(task / plan.seeds)];
    const auto seed = static_cast<std::uint64_t>(task % plan.seeds);
    const Context mine = context_of_run(context, seed, threads);
    DenseMatrix embedding;
    if (finished[static_cast<std::size_t>(task)] != 0) {
      check_trained_on(mine, split.run.graph, folder_of(task) / "checkpoint.pt");
      embedding = read_embedding(folder_of(task) / "embedding.npy");
    } else {
      SeedResult trained = run_one(mine, split.run, split.plan, &progress);
      embedding = std::move(trained.training.embedding);
      const std::lock_guard lock(mutex);
      out.seconds += trained.training.seconds;
    }
    const EdgeSplitFile& file = split.run.held_out->file;
    LinkOptions options = plan.link;
    std::int64_t done = 0;
    options.predictor.each_epoch = [&] {
      ++done;
      progress.advance();
    };
    LinkResult& result = results[static_cast<std::size_t>(task)];
    result = predict_links(mine, file.split, file.seed, embedding, options);
    result.encoder_checked = true;  // it was trained on the split's training graph
    progress.advance(fit_epochs - done);
  };
  if (side_by_side) {
    parallel_tasks(context, tasks, one);
  } else {
    for (std::int64_t task = 0; task < tasks; ++task) one(task);
  }
  progress.finish();
  out.result = pool_links(results);
  return out;
}

}  // namespace creg::cli
