// Runs side by side: one rule and one loop for seeds, points of a sweep, edge splits and
// fine-tuning.
#pragma once

#include <cstdint>
#include <functional>

#include "creg/core/context.h"
#include "creg/train/config.h"

namespace creg {

/// On a GPU: whether a run keeps to the thread it was started on, and so to that thread's stream.
enum class OnGpu { keeps_to_its_thread, has_threads_of_its_own };

/// Batches are drawn on other threads.
OnGpu on_gpu(const TrainConfig& config);

/// How `tasks` runs that take `bytes` each share a Context's threads: side by side, one thread
/// each, where there are threads and memory for it; else one after the other on all of them. On a
/// GPU a few runs that keep to their threads are side by side, each on a stream of its own, and
/// share the threads; their results are those of a run alone.
class Scheduler {
 public:
  Scheduler(const Context& context, std::int64_t tasks, std::int64_t bytes,
            OnGpu on_gpu = OnGpu::has_threads_of_its_own);

  bool side_by_side() const { return at_once_ > 1; }
  int threads_each() const { return threads_each_; }

  /// The Context of one run: its seed and threads. Runs side by side show no progress of their own.
  Context context_of(std::uint64_t seed) const;

  /// Calls work(i) for every task. The first exception is rethrown once those under way have ended.
  void run(const std::function<void(std::int64_t)>& work) const;

 private:
  Context context_;
  std::int64_t tasks_;
  int at_once_ = 1;
  int threads_each_;
};

/// How many of `tasks` runs that take `bytes` each share a GPU with so much free: no more than
/// `threads`, or than keep it busy.
int runs_on_a_gpu(std::int64_t tasks, int threads, std::int64_t bytes, std::int64_t free_bytes);

/// The same Context without progress of its own.
Context in_silence(const Context& context);

}  // namespace creg
