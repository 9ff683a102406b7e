#include "graph/epoch_batches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "core/permutation.h"
#include "support/expect_error.h"

namespace creg::epoch_batches_test {
namespace {

using Nodes = std::vector<std::int32_t>;

Nodes all_of(const EpochBatches& batches) {
  Nodes all;
  for (std::int64_t i = 0; i < batches.size(); ++i) {
    all.insert(all.end(), batches[i].begin(), batches[i].end());
  }
  return all;
}

TEST(EpochBatches, EveryNodeOnceAndTheLastBatchShorter) {
  const EpochBatches batches(103, 10, 7, 0);
  ASSERT_EQ(batches.size(), 11);
  for (std::int64_t i = 0; i < 10; ++i) EXPECT_EQ(batches[i].size(), 10U);
  EXPECT_EQ(batches[10].size(), 3U);
  Nodes all = all_of(batches);
  EXPECT_FALSE(std::is_sorted(all.begin(), all.end()));
  std::sort(all.begin(), all.end());
  Nodes expected(103);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(all, expected);
}

TEST(EpochBatches, AnOrderOfItsOwnForEachEpochAndSeed) {
  const Nodes order = all_of(EpochBatches(50, 8, 1, 0));
  EXPECT_EQ(order, all_of(EpochBatches(50, 8, 1, 0)));
  EXPECT_EQ(order, all_of(EpochBatches(50, 9, 1, 0))) << "the size of a batch only cuts the order";
  EXPECT_NE(order, all_of(EpochBatches(50, 8, 1, 1)));
  EXPECT_NE(order, all_of(EpochBatches(50, 8, 2, 0)));
}

TEST(EpochBatches, OfSomeNodesAlone) {
  const Nodes some = {4, 8, 15, 16, 23, 42};
  const EpochBatches batches(some, 4, 3, 2);
  EXPECT_EQ(batches.size(), 2);
  Nodes all = all_of(batches);
  Nodes expected;
  for (const std::int32_t i : keyed_permutation({3, Purpose::batch_order, 2}, 6)) {
    expected.push_back(some[static_cast<std::size_t>(i)]);
  }
  EXPECT_EQ(all, expected);
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, some);
}

TEST(EpochBatches, CopiesKeepTheOrderAlive) {
  std::optional<EpochBatches> first(std::in_place, 20, 5, 0, 0);
  const EpochBatches copy = *first;
  const Nodes before = all_of(*first);
  first.reset();
  EXPECT_EQ(all_of(copy), before);
}

TEST(EpochBatches, WrongSizesAreNamed) {
  EXPECT_EQ(batches_per_epoch(2048, 1024), 2);
  EXPECT_EQ(batches_per_epoch(2049, 1024), 3);
  EXPECT_EQ(batches_per_epoch(7, 7), 1);
  test::expect_error([] { batches_per_epoch(900, 1024); }, {"1,024", "900", "smaller batch"});
  test::expect_error([] { batches_per_epoch(900, 0); }, {"batch", "0"});
  test::expect_error([] { EpochBatches(3, 4, 0, 0); }, {"4", "3 nodes"});
  EXPECT_THROW(EpochBatches(8, 4, 0, 0)[2], Bug);
}

}  // namespace
}  // namespace creg::epoch_batches_test
