// Steps of work done ahead of their use on threads of their own, handed out in order.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace creg {

struct PrefetchOptions {
  /// Threads of its own that work ahead; with 0 a step is made when it is asked for, by the caller.
  int threads = 1;
  /// Results that are being made or wait to be taken, at most; 0: threads + 1.
  int ahead = 0;
};

namespace detail {

/// The part of a Prefetcher that does not depend on what is made: whose turn it is.
class PrefetchThreads {
 public:
  /// make(step, slot) is called for first..last-1; a slot is free again once its step was taken.
  PrefetchThreads(std::int64_t first, std::int64_t last, int threads, int slots,
                  std::function<void(std::int64_t step, std::size_t slot)> make);
  PrefetchThreads(const PrefetchThreads&) = delete;
  PrefetchThreads& operator=(const PrefetchThreads&) = delete;
  ~PrefetchThreads();

  /// Waits for the next step in order and calls take(slot); false when there is none left.
  bool next(const std::function<void(std::size_t slot)>& take);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace detail

/// Makes T for the steps first..last-1 and hands them out in that order, whatever the order in
/// which they were done. One thread takes; `make` runs on several at once and must stand that.
template <class T>
class Prefetcher {
 public:
  Prefetcher(std::int64_t first, std::int64_t last, std::function<T(std::int64_t step)> make,
             PrefetchOptions options = {})
      : make_(std::move(make)),
        slots_(static_cast<std::size_t>(options.ahead > 0 ? options.ahead : options.threads + 1)),
        threads_(first, last, options.threads, static_cast<int>(slots_.size()),
                 [this](std::int64_t step, std::size_t slot) { slots_[slot] = make_(step); }) {}

  /// The next step's result; nothing after the last one. What `make` threw in that step is thrown
  /// here when its turn comes, and again by every later call.
  std::optional<T> next() {
    std::optional<T> out;
    threads_.next([&](std::size_t slot) { out = std::exchange(slots_[slot], std::nullopt); });
    return out;
  }

 private:
  std::function<T(std::int64_t)> make_;
  std::vector<std::optional<T>> slots_;
  // Last: its end waits for the steps in hand, which use the members above.
  detail::PrefetchThreads threads_;
};

}  // namespace creg
