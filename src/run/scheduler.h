// Runs side by side: one rule and one loop for seeds, points of a sweep, edge splits and
// fine-tuning.
#pragma once

#include <cstdint>
#include <functional>

#include "creg/core/context.h"

namespace creg {

/// How `tasks` runs that take `bytes` each share a Context's threads: side by side, one thread
/// each, where there are threads and memory for it; else one after the other on all of them.
class Scheduler {
 public:
  Scheduler(const Context& context, std::int64_t tasks, std::int64_t bytes);

  bool side_by_side() const { return side_by_side_; }
  int threads_each() const { return side_by_side_ ? 1 : context_.threads(); }

  /// The Context of one run: its seed and threads. Runs side by side show no progress of their own.
  Context context_of(std::uint64_t seed) const;

  /// Calls work(i) for every task. The first exception is rethrown once those under way have ended.
  void run(const std::function<void(std::int64_t)>& work) const;

 private:
  Context context_;
  std::int64_t tasks_;
  bool side_by_side_;
};

/// The same Context without progress of its own.
Context in_silence(const Context& context);

}  // namespace creg
