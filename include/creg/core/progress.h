// Progress of long work: a task counts, a sink shows.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace creg {

class Context;

struct ProgressState {
  std::string label;
  std::string unit;         ///< "bytes" is shown in KiB, MiB …
  std::int64_t total = -1;  ///< below 0: unknown
  std::int64_t done = 0;
  std::int64_t skipped = 0;  ///< of `done`: was there before the work began
  std::string note;          ///< a word about the last step
  double seconds = 0;
  bool finished = false;  ///< false in the last call means that the work was abandoned
};

class ProgressSink {
 public:
  ProgressSink() = default;
  ProgressSink(const ProgressSink&) = delete;
  ProgressSink& operator=(const ProgressSink&) = delete;
  virtual ~ProgressSink() = default;
  /// Thread-safe; called a few times a second at most, and once at the end with `last`.
  virtual void show(const ProgressState& state, bool last) = 0;
};

std::shared_ptr<ProgressSink> make_silent_progress();

/// Counts one piece of work from construction to destruction. `advance` may be called from any
/// thread and also notices Ctrl-C: it throws Interrupted when the Context was stopped.
class ProgressTask {
 public:
  ProgressTask(const Context& context, std::string label, std::int64_t total,
               std::string unit = "");
  ProgressTask(const ProgressTask&) = delete;
  ProgressTask& operator=(const ProgressTask&) = delete;
  ~ProgressTask();

  void advance(std::int64_t steps = 1);
  /// Steps that an earlier run has done: they count, but not for the speed.
  void skip(std::int64_t steps);
  /// Shown behind the counts from now on.
  void note(std::string text);
  /// Call when all is done; without it the destructor reports an abandoned task.
  void finish();
  /// The work ended well before its last step.
  void finish_early();

 private:
  ProgressState state_at(std::chrono::steady_clock::time_point now) const;

  const Context& context_;
  std::string label_;
  std::string unit_;
  std::int64_t total_;
  std::chrono::steady_clock::time_point start_;
  std::atomic<std::int64_t> done_{0};
  std::int64_t skipped_ = 0;
  mutable std::mutex note_mutex_;
  std::string note_;
  std::atomic<std::int64_t> next_show_ms_;
  bool finished_ = false;
};

}  // namespace creg
