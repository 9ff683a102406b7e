#include "kernels/launch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace creg::launch_test {
namespace {

TEST(Workers, RangesMakeUpAll) {
  const Context context({.threads = 3});
  const PoolWorkers pool(context);
  const OneWorker one;
  for (const Workers* workers :
       {static_cast<const Workers*>(&pool), static_cast<const Workers*>(&one)}) {
    for (const std::int64_t size : {0, 1, 7, 1000}) {
      std::vector<std::atomic<int>> met(static_cast<std::size_t>(size));
      workers->for_ranges(size, 64, [&](std::int64_t first, std::int64_t last) {
        ASSERT_LT(first, last);
        for (std::int64_t i = first; i < last; ++i) ++met[static_cast<std::size_t>(i)];
      });
      for (const auto& count : met) EXPECT_EQ(count, 1);
    }
  }
}

TEST(Workers, PiecesAreMetOnceAndWorkersAreNeverShared) {
  const Context context({.threads = 4});
  const PoolWorkers workers(context);
  for (const std::int64_t pieces : {0, 1, 3, 200}) {
    std::vector<std::atomic<int>> met(static_cast<std::size_t>(pieces));
    std::vector<std::atomic<bool>> busy(4);
    workers.for_pieces(pieces, [&](std::int64_t piece, std::int64_t worker) {
      ASSERT_LT(worker, 4);
      EXPECT_FALSE(busy[static_cast<std::size_t>(worker)].exchange(true));
      ++met[static_cast<std::size_t>(piece)];
      busy[static_cast<std::size_t>(worker)] = false;
    });
    for (const auto& count : met) EXPECT_EQ(count, 1);
  }
}

TEST(Workers, HandOnAnException) {
  const Context context({.threads = 2});
  EXPECT_THROW(PoolWorkers(context).for_pieces(9,
                                               [](std::int64_t piece, std::int64_t) {
                                                 if (piece == 5) throw std::runtime_error("five");
                                               }),
               std::runtime_error);
}

}  // namespace
}  // namespace creg::launch_test
