#include "core/prefetcher.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

namespace creg::prefetcher_test {
namespace {

/// Opens once; what passes it waits until then.
class Gate {
 public:
  void open() {
    {
      const std::lock_guard lock(mutex_);
      open_ = true;
    }
    opened_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, [&] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool open_ = false;
};

class PrefetcherThreads : public testing::TestWithParam<int> {};

TEST_P(PrefetcherThreads, HandsOutEveryStepInOrder) {
  Prefetcher<std::string> ahead(3, 203, [](std::int64_t step) { return std::to_string(step); },
                                {.threads = GetParam()});
  for (std::int64_t step = 3; step < 203; ++step) {
    const std::optional<std::string> got = ahead.next();
    ASSERT_TRUE(got.has_value());
    EXPECT_EQ(*got, std::to_string(step));
  }
  EXPECT_FALSE(ahead.next().has_value());
  EXPECT_FALSE(ahead.next().has_value());
}

TEST_P(PrefetcherThreads, AnExceptionComesWhenItsStepIsDue) {
  Prefetcher<int> ahead(0, 20,
                        [](std::int64_t step) -> int {
                          if (step >= 5) throw std::runtime_error("step " + std::to_string(step));
                          return static_cast<int>(step);
                        },
                        {.threads = GetParam()});
  for (int step = 0; step < 5; ++step) EXPECT_EQ(ahead.next(), step);
  for (int again = 0; again < 2; ++again) {
    try {
      ahead.next();
      FAIL() << "step 5 throws";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "step 5");
    }
  }
}

TEST_P(PrefetcherThreads, MayEndBeforeAllIsTaken) {
  for (int taken = 0; taken < 4; ++taken) {
    std::atomic<int> made{0};
    {
      Prefetcher<int> ahead(0, 1'000'000'000, [&](std::int64_t) { return ++made; },
                            {.threads = GetParam(), .ahead = 5});
      for (int i = 0; i < taken; ++i) EXPECT_TRUE(ahead.next().has_value());
    }
    EXPECT_LE(made.load(), taken + 5);
  }
}

TEST_P(PrefetcherThreads, ResultsNeedOnlyMove) {
  Prefetcher<std::unique_ptr<int>> ahead(
      0, 3, [](std::int64_t step) { return std::make_unique<int>(static_cast<int>(step)); },
      {.threads = GetParam()});
  for (int step = 0; step < 3; ++step) EXPECT_EQ(**ahead.next(), step);
}

INSTANTIATE_TEST_SUITE_P(Counts, PrefetcherThreads, testing::Values(0, 1, 4));

TEST(Prefetcher, ASlowStepDoesNotLetOthersOvertake) {
  Gate first;
  std::atomic<int> others{0};
  Prefetcher<std::int64_t> ahead(0, 4,
                                 [&](std::int64_t step) {
                                   if (step == 0) {
                                     first.wait();
                                   } else if (++others == 3) {
                                     first.open();  // all others are done before the first one
                                   }
                                   return step;
                                 },
                                 {.threads = 2, .ahead = 4});
  for (std::int64_t step = 0; step < 4; ++step) EXPECT_EQ(ahead.next(), step);
}

TEST(Prefetcher, WorksAheadAsFarAsAllowedAndNoFurther) {
  std::mutex mutex;
  std::condition_variable changed;
  int made = 0;
  Prefetcher<int> ahead(0, 100,
                        [&](std::int64_t step) {
                          {
                            const std::lock_guard lock(mutex);
                            ++made;
                          }
                          changed.notify_all();
                          return static_cast<int>(step);
                        },
                        {.threads = 2, .ahead = 3});
  const auto wait_for = [&](int count) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return made >= count; });
    return made;
  };
  EXPECT_EQ(wait_for(3), 3);
  for (int taken = 1; taken <= 10; ++taken) {
    EXPECT_EQ(ahead.next(), taken - 1);
    EXPECT_EQ(wait_for(3 + taken), 3 + taken);
  }
}

TEST(Prefetcher, WithoutThreadsTheCallerMakesWhatItAsksFor) {
  const std::thread::id here = std::this_thread::get_id();
  int made = 0;
  Prefetcher<bool> ahead(0, 3,
                         [&](std::int64_t) {
                           ++made;
                           return std::this_thread::get_id() == here;
                         },
                         {.threads = 0});
  EXPECT_EQ(made, 0);
  EXPECT_EQ(ahead.next(), true);
  EXPECT_EQ(made, 1);
}

TEST(Prefetcher, NoStepsAreNoWork) {
  Prefetcher<int> ahead(5, 5, [](std::int64_t) -> int { throw std::logic_error("never"); });
  EXPECT_FALSE(ahead.next().has_value());
}

}  // namespace
}  // namespace creg::prefetcher_test
