#include "run/scheduler.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <vector>

#include "creg/core/error.h"
#include "support/devices.h"

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

TEST(Scheduler, AFewRunsShareAGpuThatHasRoomForThem) {
  constexpr std::int64_t gib = std::int64_t{1} << 30;
  EXPECT_EQ(runs_on_a_gpu(10, 16, gib, 100 * gib), 4);
  EXPECT_EQ(runs_on_a_gpu(3, 16, gib, 100 * gib), 3);
  EXPECT_EQ(runs_on_a_gpu(10, 2, gib, 100 * gib), 2);
  // Twice a quarter more than estimated, and buffers, for each.
  EXPECT_EQ(runs_on_a_gpu(10, 16, 4 * gib, 31 * gib), 3);
  EXPECT_EQ(runs_on_a_gpu(10, 16, 4 * gib, 10 * gib), 1);
  EXPECT_EQ(runs_on_a_gpu(10, 16, std::numeric_limits<std::int64_t>::max() / 2, 10 * gib), 1);
  EXPECT_EQ(runs_on_a_gpu(10, 16, gib, 0), 1);
  EXPECT_EQ(runs_on_a_gpu(1, 16, 0, 100 * gib), 1);
}

/// On the device under test: there every worker has a stream, and all the same every task its turn.
TEST(Scheduler, EveryTaskRunsOnceOnEveryDevice) {
  const Context context = test::context({.threads = 6});
  const Scheduler scheduler(context, 20, 1000, OnGpu::keeps_to_its_thread);
  EXPECT_TRUE(scheduler.side_by_side());
  EXPECT_EQ(scheduler.threads_each(), 1);
  std::vector<std::atomic<int>> runs(20);
  scheduler.run([&](std::int64_t task) { ++runs[static_cast<std::size_t>(task)]; });
  for (const std::atomic<int>& count : runs) EXPECT_EQ(count.load(), 1);
  EXPECT_THROW(scheduler.run([](std::int64_t task) {
    if (task == 3) throw Bug("third");
  }),
               Bug);
}

TEST(Scheduler, RunsWithThreadsOfTheirOwnDoNotShareAGpu) {
  TrainConfig config;
  EXPECT_EQ(on_gpu(config), OnGpu::keeps_to_its_thread);
  config.batch.size = 100;
  EXPECT_EQ(on_gpu(config), OnGpu::has_threads_of_its_own);
  const Context gpu({.device = {.type = DeviceType::cuda}, .threads = 4});
  EXPECT_FALSE(Scheduler(gpu, 5, 1000).side_by_side());
}

}  // namespace
}  // namespace creg::scheduler_test
