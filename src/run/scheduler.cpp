#include "run/scheduler.h"

#include <algorithm>
#include <atomic>

#include "core/parallel.h"
#include "creg/core/progress.h"
#include "ops/runtime.h"
#include "train/memory_estimate.h"

namespace creg {

OnGpu on_gpu(const TrainConfig& config) {
  return config.batch.size == 0 ? OnGpu::keeps_to_its_thread : OnGpu::has_threads_of_its_own;
}

int runs_on_a_gpu(std::int64_t tasks, int threads, std::int64_t bytes, std::int64_t free_bytes) {
  // Four steps of a small graph fill a card; each of a large one does.
  constexpr std::int64_t most = 4;
  // A recorded step has memory of its own beside that of the steps before it was recorded.
  const std::int64_t each = 2 * std::min(safe_bytes(bytes), free_bytes);
  const std::int64_t fit = each > 0 ? free_bytes / each : 0;
  return static_cast<int>(
      std::max<std::int64_t>(1, std::min({tasks, std::int64_t{threads}, most, fit})));
}

Scheduler::Scheduler(const Context& context, std::int64_t tasks, std::int64_t bytes, OnGpu on_gpu)
    : context_(context), tasks_(tasks), threads_each_(context.threads()) {
  const std::int64_t at_once = std::min<std::int64_t>(tasks, context.threads());
  if (at_once <= 1) return;
  if (context.device().type == DeviceType::cpu) {
    if (safe_bytes(bytes) > available_memory() / at_once) return;
    at_once_ = static_cast<int>(at_once);
    threads_each_ = 1;
  } else if (on_gpu == OnGpu::keeps_to_its_thread) {
    const std::int64_t free_bytes = free_on_gpu(context.device().index).value_or(0);
    at_once_ = runs_on_a_gpu(tasks, context.threads(), bytes, free_bytes);
    threads_each_ = context.threads() / at_once_;
  }
}

Context Scheduler::context_of(std::uint64_t seed) const {
  Context::Options options = context_.options();
  options.seed = seed;
  options.threads = threads_each();
  if (side_by_side()) options.progress = make_silent_progress();
  return Context(options);
}

void Scheduler::run(const std::function<void(std::int64_t)>& work) const {
  if (side_by_side() && context_.device().type == DeviceType::cpu) {
    parallel_tasks(context_, tasks_, work);
    return;
  }
  if (side_by_side()) {
    // A stream for each that works, not for each task: those of a pool come round again.
    std::atomic<std::int64_t> next{0};
    std::atomic<bool> failed{false};
    ThreadPool(at_once_).run(at_once_, [&](std::int64_t /*worker*/) {
      on_own_stream(context_, [&] {
        for (std::int64_t task = next++; task < tasks_ && !failed; task = next++) {
          try {
            work(task);
          } catch (...) {
            failed = true;
            throw;
          }
        }
      });
    });
    return;
  }
  for (std::int64_t task = 0; task < tasks_; ++task) work(task);
}

Context in_silence(const Context& context) {
  Context::Options options = context.options();
  options.progress = make_silent_progress();
  return Context(options);
}

}  // namespace creg
