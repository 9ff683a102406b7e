// Parallel loops over ranges on the Context's threads. The first exception thrown by a piece is
// rethrown to the caller once the other pieces have ended.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "creg/core/context.h"

namespace creg {

/// Worker threads that wait for pieces. Several callers may use one pool at a time, and a piece
/// may start a loop of its own: the caller always works along, so nothing can wait for itself.
class ThreadPool {
 public:
  explicit ThreadPool(int threads);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  int threads() const;
  /// Runs piece(0) … piece(count-1), in any order, on at most threads() threads.
  void run(std::int64_t count, const std::function<void(std::int64_t)>& piece);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Calls body(first, last) over [begin, end) in pieces of `grain` items (the last may be shorter).
/// The pieces depend on the range and the grain alone, never on the number of threads.
void parallel_for(const Context& context, std::int64_t begin, std::int64_t end, std::int64_t grain,
                  const std::function<void(std::int64_t, std::int64_t)>& body);

/// Calls body(i) for i in 0..count-1, each as a piece of its own.
void parallel_tasks(const Context& context, std::int64_t count,
                    const std::function<void(std::int64_t)>& body);

}  // namespace creg
