#include "core/permutation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace creg::permutation_test {
namespace {

using Items = std::vector<std::int32_t>;

/// By its definition.
Items sorted_by_draw(const RandomKey& key, std::int32_t n) {
  RandomStream stream(key.seed, key.purpose, key.epoch, key.item);
  std::vector<std::pair<std::uint64_t, std::int32_t>> drawn;
  for (std::int32_t i = 0; i < n; ++i) drawn.emplace_back(stream.bits64(), i);
  std::sort(drawn.begin(), drawn.end());
  Items out;
  for (const auto& [draw, item] : drawn) out.push_back(item);
  return out;
}

TEST(KeyedPermutation, ListsTheItemsByTheirDraws) {
  // Around the sizes of buckets and of pieces.
  for (const std::int32_t n : {0, 1, 2, 3, 10, 100, 1023, 1024, 1025, 2047, 2049, 5000, 32'767,
                               32'768, 32'769, 65'537, 200'000}) {
    for (const std::uint64_t seed : {0ULL, 1ULL, 1ULL << 40}) {
      const RandomKey key{.seed = seed, .purpose = Purpose::test, .epoch = 3, .item = 8};
      const Items expected = sorted_by_draw(key, n);
      ASSERT_EQ(keyed_permutation(key, n), expected) << n << " items, seed " << seed;
    }
  }
}

/// The 44 highest bits of two draws are the same, and the later item comes first.
TEST(KeyedPermutation, LooksAtAllBitsOfADraw) {
  const RandomKey key{.seed = 1363};
  EXPECT_EQ(keyed_permutation(key, 100'000), sorted_by_draw(key, 100'000));
}

TEST(KeyedPermutation, HasEveryItemOnce) {
  for (std::uint32_t epoch = 0; epoch < 20; ++epoch) {
    Items order = keyed_permutation({.seed = 1, .epoch = epoch}, 3001);
    std::sort(order.begin(), order.end());
    for (std::int32_t i = 0; i < 3001; ++i) ASSERT_EQ(order[static_cast<std::size_t>(i)], i);
  }
}

TEST(KeyedPermutation, EveryPartOfTheKeyMatters) {
  const Items one = keyed_permutation({.seed = 1}, 100);
  EXPECT_EQ(one, keyed_permutation({.seed = 1}, 100));
  EXPECT_NE(one, keyed_permutation({.seed = 2}, 100));
  EXPECT_NE(one, keyed_permutation({.seed = 1, .purpose = Purpose::corruption}, 100));
  EXPECT_NE(one, keyed_permutation({.seed = 1, .epoch = 1}, 100));
  EXPECT_NE(one, keyed_permutation({.seed = 1, .item = 1}, 100));
}

/// Pearson's sum over all orders of four items, for keys that differ by epoch, seed or item.
TEST(KeyedPermutation, AllOrdersAreAsLikely) {
  constexpr int draws = 24'000;
  const auto statistic = [](const auto& key_of) {
    std::map<Items, int> counts;
    for (int i = 0; i < draws; ++i) ++counts[keyed_permutation(key_of(i), 4)];
    EXPECT_EQ(counts.size(), 24);
    constexpr double expected = draws / 24.0;
    double sum = 0;
    for (const auto& [order, count] : counts) sum += (count - expected) * (count - expected);
    return sum / expected;
  };
  // 99.9 % of the chi-square distribution with 23 degrees of freedom.
  constexpr double limit = 49.73;
  EXPECT_LT(statistic([](int i) { return RandomKey{.epoch = static_cast<std::uint32_t>(i)}; }),
            limit);
  EXPECT_LT(statistic([](int i) { return RandomKey{.seed = static_cast<std::uint64_t>(i)}; }),
            limit);
  EXPECT_LT(statistic([](int i) { return RandomKey{.item = static_cast<std::uint64_t>(i)}; }),
            limit);
}

/// Where an item ends up is uniform in a longer list too.
TEST(KeyedPermutation, EveryPlaceIsAsLikely) {
  constexpr std::int32_t n = 50;
  constexpr int draws = 5000;
  std::vector<int> place_of_first(n, 0);
  for (std::uint32_t epoch = 0; epoch < draws; ++epoch) {
    const Items order = keyed_permutation({.seed = 4, .epoch = epoch}, n);
    ++place_of_first[static_cast<std::size_t>(std::find(order.begin(), order.end(), 0) -
                                              order.begin())];
  }
  for (const int count : place_of_first) EXPECT_NEAR(count, draws / n, 50);
}

}  // namespace
}  // namespace creg::permutation_test
