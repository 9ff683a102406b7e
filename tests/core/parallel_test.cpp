#include "core/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

namespace creg::parallel_test {
namespace {

Context with_threads(int threads) {
  return Context({.threads = threads});
}

TEST(ParallelFor, VisitsEveryItemOnceWithAnyNumberOfThreads) {
  for (const int threads : {1, 2, 7}) {
    const Context context = with_threads(threads);
    std::vector<std::atomic<int>> visits(1003);
    parallel_for(context, 3, 1003, 10, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) ++visits[static_cast<std::size_t>(i)];
    });
    for (std::size_t i = 0; i < visits.size(); ++i) ASSERT_EQ(visits[i].load(), i < 3 ? 0 : 1);
  }
}

TEST(ParallelFor, PiecesDependOnTheGrainAlone) {
  std::set<std::set<std::pair<std::int64_t, std::int64_t>>> partitions;
  for (const int threads : {1, 2, 5}) {
    std::mutex mutex;
    std::set<std::pair<std::int64_t, std::int64_t>> pieces;
    parallel_for(with_threads(threads), 0, 100, 30, [&](std::int64_t first, std::int64_t last) {
      const std::lock_guard lock(mutex);
      pieces.emplace(first, last);
    });
    partitions.insert(pieces);
  }
  EXPECT_EQ(partitions.size(), 1U);
  EXPECT_EQ(partitions.begin()->size(), 4U);
}

TEST(ParallelFor, CarriesTheExceptionOutAndTheThreadsGoOnWorking) {
  const Context context = with_threads(4);
  EXPECT_THROW(parallel_for(context, 0, 1000, 1,
                            [](std::int64_t first, std::int64_t) {
                              if (first == 500) throw std::out_of_range("five hundred");
                            }),
               std::out_of_range);
  std::atomic<int> sum = 0;
  parallel_for(context, 0, 100, 1, [&](std::int64_t, std::int64_t) { ++sum; });
  EXPECT_EQ(sum.load(), 100);
}

TEST(ParallelFor, UsesSeveralThreads) {
  const Context context = with_threads(2);
  std::atomic<int> waiting = 0;
  // Each piece waits for the other: this ends only if two threads run at the same time.
  parallel_tasks(context, 2, [&](std::int64_t) {
    ++waiting;
    while (waiting.load() < 2) std::this_thread::yield();
  });
  EXPECT_EQ(waiting.load(), 2);
}

TEST(ParallelFor, NestsAndServesSeveralCallers) {
  const Context context = with_threads(3);
  std::atomic<std::int64_t> sum = 0;
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&] {
      parallel_tasks(context, 8, [&](std::int64_t) {
        parallel_for(context, 0, 100, 7,
                     [&](std::int64_t first, std::int64_t last) { sum += last - first; });
      });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum.load(), 4 * 8 * 100);
}

TEST(ParallelFor, EmptyRangeDoesNothing) {
  parallel_for(with_threads(2), 5, 5, 1, [](std::int64_t, std::int64_t) { FAIL(); });
}

}  // namespace
}  // namespace creg::parallel_test
