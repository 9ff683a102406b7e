#include "core/parallel.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "creg/core/error.h"

namespace creg {
namespace {

// One call of run(). Lives on the caller's stack: the caller leaves only when `active` is 0 and
// the job is out of the queue.
struct Job {
  std::int64_t count = 0;
  std::int64_t next = 0;
  int active = 0;
  const std::function<void(std::int64_t)>* piece = nullptr;
  std::exception_ptr failure;
};

}  // namespace

struct ThreadPool::State {
  int threads = 1;
  std::mutex mutex;
  std::condition_variable work;
  std::condition_variable done;
  std::list<Job*> jobs;
  bool stop = false;
  std::vector<std::thread> workers;

  // Runs pieces of `job` until none is left; `lock` is held on entry and exit.
  void drain(Job& job, std::unique_lock<std::mutex>& lock) {
    ++job.active;
    while (job.next < job.count && !job.failure) {
      const std::int64_t index = job.next++;
      lock.unlock();
      std::exception_ptr failure;
      try {
        (*job.piece)(index);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      if (failure && !job.failure) job.failure = failure;
    }
    jobs.remove(&job);
    if (--job.active == 0) done.notify_all();
  }

  void worker() {
    std::unique_lock lock(mutex);
    for (;;) {
      work.wait(lock, [&] { return stop || !jobs.empty(); });
      if (stop) return;
      drain(*jobs.front(), lock);
    }
  }
};

ThreadPool::ThreadPool(int threads) : state_(std::make_unique<State>()) {
  invariant(threads >= 1, "a pool has at least one thread");
  state_->threads = threads;
  state_->workers.reserve(static_cast<std::size_t>(threads));
  try {
    for (int i = 1; i < threads; ++i) {
      state_->workers.emplace_back([state = state_.get()] { state->worker(); });
    }
  } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch)
    // No room for one more: those that are there take its pieces.
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stop = true;
  }
  state_->work.notify_all();
  for (std::thread& worker : state_->workers) worker.join();
}

int ThreadPool::threads() const {
  return state_->threads;
}

void ThreadPool::run(std::int64_t count, const std::function<void(std::int64_t)>& piece) {
  if (count <= 0) return;
  if (count == 1 || state_->threads == 1) {
    for (std::int64_t i = 0; i < count; ++i) piece(i);
    return;
  }
  Job job{.count = count, .piece = &piece};
  std::unique_lock lock(state_->mutex);
  state_->jobs.push_back(&job);
  state_->work.notify_all();
  state_->drain(job, lock);
  state_->done.wait(lock, [&] { return job.active == 0; });
  if (job.failure) std::rethrow_exception(job.failure);
}

void parallel_for(const Context& context, std::int64_t begin, std::int64_t end, std::int64_t grain,
                  const std::function<void(std::int64_t, std::int64_t)>& body) {
  invariant(grain >= 1, "the grain of a parallel loop is positive");
  if (begin >= end) return;
  const std::int64_t pieces = (end - begin + grain - 1) / grain;
  context.pool().run(pieces, [&](std::int64_t piece) {
    const std::int64_t first = begin + piece * grain;
    body(first, std::min(first + grain, end));
  });
}

void parallel_tasks(const Context& context, std::int64_t count,
                    const std::function<void(std::int64_t)>& body) {
  context.pool().run(count, body);
}

}  // namespace creg
