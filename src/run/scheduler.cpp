#include "run/scheduler.h"

#include <algorithm>

#include "core/parallel.h"
#include "creg/core/progress.h"
#include "train/memory_estimate.h"

namespace creg {

Scheduler::Scheduler(const Context& context, std::int64_t tasks, std::int64_t bytes)
    : context_(context), tasks_(tasks) {
  const std::int64_t at_once = std::min<std::int64_t>(tasks, context.threads());
  // On a GPU every run has the whole card.
  side_by_side_ = at_once > 1 && context.device().type == DeviceType::cpu &&
                  safe_bytes(bytes) <= available_memory() / at_once;
}

Context Scheduler::context_of(std::uint64_t seed) const {
  Context::Options options = context_.options();
  options.seed = seed;
  options.threads = threads_each();
  if (side_by_side_) options.progress = make_silent_progress();
  return Context(options);
}

void Scheduler::run(const std::function<void(std::int64_t)>& work) const {
  if (side_by_side_) {
    parallel_tasks(context_, tasks_, work);
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
