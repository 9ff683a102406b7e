#include "creg/core/progress.h"

#include <utility>

#include "creg/core/context.h"

namespace creg {
namespace {

// The first display waits, so that quick work shows nothing; later ones come ten times a second.
constexpr std::int64_t first_show_ms = 300;
constexpr std::int64_t show_interval_ms = 100;

class SilentProgress final : public ProgressSink {
 public:
  void show(const ProgressState& /*state*/, bool /*last*/) override {}
};

}  // namespace

std::shared_ptr<ProgressSink> make_silent_progress() {
  return std::make_shared<SilentProgress>();
}

ProgressTask::ProgressTask(const Context& context, std::string label, std::int64_t total,
                           std::string unit)
    : context_(context),
      label_(std::move(label)),
      unit_(std::move(unit)),
      total_(total),
      start_(std::chrono::steady_clock::now()),
      next_show_ms_(first_show_ms) {}

ProgressTask::~ProgressTask() {
  // Work that ended before its first display needs no last one either.
  if (next_show_ms_.load() > first_show_ms) {
    try {
      ProgressState state = state_at(std::chrono::steady_clock::now());
      state.finished = finished_;
      context_.progress().show(state, true);
    } catch (...) {  // NOLINT(bugprone-empty-catch): a display must not end the program
    }
  }
}

ProgressState ProgressTask::state_at(std::chrono::steady_clock::time_point now) const {
  const std::lock_guard lock(note_mutex_);
  return {.label = label_,
          .unit = unit_,
          .total = total_,
          .done = done_.load(std::memory_order_relaxed),
          .skipped = skipped_,
          .note = note_,
          .seconds = std::chrono::duration<double>(now - start_).count()};
}

void ProgressTask::advance(std::int64_t steps) {
  done_.fetch_add(steps, std::memory_order_relaxed);
  context_.throw_if_stopped();
  const auto now = std::chrono::steady_clock::now();
  const std::int64_t elapsed =
      std::chrono::duration_cast<std::chrono::milliseconds>(now - start_).count();
  std::int64_t due = next_show_ms_.load(std::memory_order_relaxed);
  // One thread wins the exchange and shows; the others go on working.
  if (elapsed >= due && next_show_ms_.compare_exchange_strong(due, elapsed + show_interval_ms)) {
    context_.progress().show(state_at(now), false);
  }
}

void ProgressTask::skip(std::int64_t steps) {
  skipped_ += steps;
  done_.fetch_add(steps, std::memory_order_relaxed);
}

void ProgressTask::note(std::string text) {
  const std::lock_guard lock(note_mutex_);
  note_ = std::move(text);
}

void ProgressTask::finish_early() {
  finished_ = true;
}

void ProgressTask::finish() {
  finished_ = true;
  if (total_ >= 0) done_.store(total_, std::memory_order_relaxed);
}

}  // namespace creg
