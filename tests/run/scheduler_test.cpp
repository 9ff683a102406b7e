#include "run/scheduler.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>

#include "creg/core/error.h"

namespace creg::scheduler_test {
namespace {

TEST(Scheduler, GivesEachOfSeveralRunsAThread) {
  const Context context({.threads = 3});
  const Scheduler several(context, 5, 1000);
  EXPECT_TRUE(several.side_by_side());
  EXPECT_EQ(several.threads_each(), 1);
  EXPECT_EQ(several.context_of(7).threads(), 1);
  EXPECT_EQ(several.context_of(7).seed(), 7U);
  const Scheduler one(context, 1, 1000);
  EXPECT_FALSE(one.side_by_side());
  EXPECT_EQ(one.threads_each(), 3);
}

TEST(Scheduler, WithoutMemoryForAllItIsOneAfterTheOther) {
  const Context context({.threads = 3});
  const Scheduler large(context, 5, std::numeric_limits<std::int64_t>::max() / 2);
  EXPECT_FALSE(large.side_by_side());
  EXPECT_EQ(large.context_of(2).threads(), 3);
  std::vector<std::int64_t> order;
  large.run([&](std::int64_t task) { order.push_back(task); });
  EXPECT_EQ(order, (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
}

TEST(Scheduler, EveryTaskRunsOnceAndErrorsComeOut) {
  const Context context({.threads = 2});
  const Scheduler scheduler(context, 20, 0);
  std::atomic<int> sum{0};
  scheduler.run([&](std::int64_t task) { sum += static_cast<int>(task); });
  EXPECT_EQ(sum.load(), 190);
  EXPECT_THROW(scheduler.run([](std::int64_t task) {
    if (task == 3) throw Bug("third");
  }),
               Bug);
}

}  // namespace
}  // namespace creg::scheduler_test
