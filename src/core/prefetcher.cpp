#include "core/prefetcher.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stop_token>
#include <thread>

#include "creg/core/error.h"

namespace creg::detail {

struct PrefetchThreads::State {
  struct Slot {
    bool done = false;
    std::exception_ptr failure;
  };

  std::function<void(std::int64_t, std::size_t)> make;
  std::mutex mutex;
  std::condition_variable_any room;  // a slot is free, or there is nothing left to make
  std::condition_variable ready;     // a step is done
  std::int64_t next_to_make = 0;
  std::int64_t next_to_take = 0;
  std::int64_t end = 0;
  std::vector<Slot> slots;
  std::stop_source stopping;
  std::vector<std::jthread> workers;  // last: they are joined before the rest goes

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { stopping.request_stop(); }

  std::size_t slot_of(std::int64_t step) const {
    return static_cast<std::size_t>(step) % slots.size();
  }

  bool may_make() const {
    return next_to_make < end &&
           next_to_make - next_to_take < static_cast<std::int64_t>(slots.size());
  }

  // Makes the next step; `lock` is held on entry and exit, and not meanwhile.
  void make_one(std::unique_lock<std::mutex>& lock) {
    const std::int64_t step = next_to_make++;
    const std::size_t index = slot_of(step);
    lock.unlock();
    std::exception_ptr failure;
    try {
      make(step, index);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    slots[index] = {.done = true, .failure = failure};
    // Nobody will ask for what comes after a failure.
    if (failure) {
      end = std::min(end, step + 1);
      room.notify_all();
    }
    ready.notify_one();
  }

  void worker() {
    const std::stop_token stop = stopping.get_token();
    std::unique_lock lock(mutex);
    for (;;) {
      room.wait(lock, stop, [&] { return next_to_make >= end || may_make(); });
      if (stop.stop_requested() || next_to_make >= end) return;
      make_one(lock);
    }
  }
};

PrefetchThreads::PrefetchThreads(std::int64_t first, std::int64_t last, int threads, int slots,
                                 std::function<void(std::int64_t, std::size_t)> make)
    : state_(std::make_unique<State>()) {
  invariant(first >= 0 && first <= last, "the steps to prefetch are a range");
  invariant(threads >= 0 && slots >= 1, "prefetching has a place for a result");
  state_->make = std::move(make);
  state_->next_to_make = first;
  state_->next_to_take = first;
  state_->end = last;
  state_->slots.resize(static_cast<std::size_t>(slots));
  for (int i = 0; i < threads; ++i) {
    state_->workers.emplace_back([state = state_.get()] { state->worker(); });
  }
}

PrefetchThreads::~PrefetchThreads() = default;

bool PrefetchThreads::next(const std::function<void(std::size_t)>& take) {
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  if (state.next_to_take >= state.end) return false;
  const std::size_t index = state.slot_of(state.next_to_take);
  State::Slot& slot = state.slots[index];
  if (state.workers.empty() && !slot.done) state.make_one(lock);
  state.ready.wait(lock, [&] { return slot.done; });
  if (slot.failure) std::rethrow_exception(slot.failure);
  // The slot is the taker's until its step counts as taken.
  lock.unlock();
  take(index);
  lock.lock();
  slot.done = false;
  ++state.next_to_take;
  lock.unlock();
  state.room.notify_one();
  return true;
}

}  // namespace creg::detail
