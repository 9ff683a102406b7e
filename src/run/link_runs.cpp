#include "run/link_runs.h"

#include <fmt/format.h>

#include <mutex>

#include "creg/core/progress.h"
#include "creg/train/trainer.h"
#include "io/file.h"
#include "ops/tensor_memory.h"
#include "run/embeddings.h"
#include "run/execute.h"
#include "run/run_folder.h"
#include "run/scheduler.h"

namespace creg {
namespace {

/// The runs of one split.
RunPlan plan_split(const Context& context, const RunPlan& run, const LinkPlan& plan,
                   std::uint64_t split, int threads) {
  RunPlan out = run;
  out.several = true;
  out.resume = true;
  out.evaluate = false;
  out.threads = threads;
  out.seeds.clear();
  for (int s = 0; s < plan.seeds; ++s) out.seeds.push_back(static_cast<std::uint64_t>(s));
  out.directory.clear();
  if (plan.directory.empty()) {
    hold_out_edges(context, out, split);
    return out;
  }
  out.directory = plan.directory / ("split-" + std::to_string(split));
  if (!is_there(out.directory / "config.toml")) {
    hold_out_edges(context, out, split);
    write_records(context, out);
  } else {
    hold_out_kept_edges(context, out, split, out.directory);
    check_same_run(out);
    // Seeds that an earlier command did not ask for get their records now.
    write_missing_records(context, out);
  }
  return out;
}

}  // namespace

LinkRuns run_links(const Context& context, const RunPlan& run, const LinkPlan& plan) {
  install_tensor_memory();
  require_memory_for(context, run);
  const std::int64_t tasks = std::int64_t{plan.splits} * plan.seeds;
  const Scheduler scheduler(context, tasks, run.memory_bytes);
  std::vector<RunPlan> splits;
  for (int k = 0; k < plan.splits; ++k) {
    splits.push_back(
        plan_split(context, run, plan, static_cast<std::uint64_t>(k), scheduler.threads_each()));
  }
  const std::int64_t fit_epochs = plan.link.predictor.epochs;
  ProgressTask progress(context, fmt::format("{} x {} epochs", tasks, run.config.method),
                        tasks * (run.config.epochs + fit_epochs), "epochs");
  const auto split_of = [&](std::int64_t task) -> const RunPlan& {
    return splits[static_cast<std::size_t>(task / plan.seeds)];
  };
  const auto seed_of = [&](std::int64_t task) {
    return static_cast<std::uint64_t>(task % plan.seeds);
  };
  const auto folder_of = [&](std::int64_t task) {
    return seed_folder(split_of(task), seed_of(task));
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
  scheduler.run([&](std::int64_t task) {
    const RunPlan& split = split_of(task);
    const Context mine = in_silence(scheduler.context_of(seed_of(task)));
    DenseMatrix embedding;
    if (finished[static_cast<std::size_t>(task)] != 0) {
      check_trained_on(mine, split.graph, folder_of(task) / "checkpoint.pt");
      embedding = read_embedding(folder_of(task) / "embedding.npy");
    } else {
      SeedResult trained = execute_one(mine, split, &progress);
      embedding = std::move(trained.training.embedding);
      const std::lock_guard lock(mutex);
      out.seconds += trained.training.seconds;
    }
    LinkOptions options = plan.link;
    std::int64_t done = 0;
    options.predictor.each_epoch = [&] {
      ++done;
      progress.advance();
    };
    LinkResult& result = results[static_cast<std::size_t>(task)];
    result = predict_links(mine, split.held_out->split, split.held_out->seed, embedding, options);
    result.encoder_checked = true;  // it was trained on the split's training graph
    progress.advance(fit_epochs - done);
  });
  progress.finish();
  out.result = pool_links(results);
  return out;
}

}  // namespace creg
