#include "creg/core/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "creg/core/error.h"

namespace creg::random_test {
namespace {

TEST(RandomStream, StartsAtAnyWord) {
  const RandomKey key{.seed = 5, .purpose = Purpose::test, .epoch = 2, .item = 9};
  RandomStream whole(5, Purpose::test, 2, 9);
  for (std::uint64_t word = 0; word < 40; ++word) {
    RandomStream part(key, word);
    EXPECT_EQ(part(), whole()) << word;
  }
}

TEST(RandomStream, IsPhilox4x32WithTenRounds) {
  // Known answer of Random123's kat_vectors for an all-zero counter and key.
  RandomStream stream(0, Purpose::test, 0, 0);
  EXPECT_EQ(stream(), 0x6627e8d5U);
  EXPECT_EQ(stream(), 0xe169c58dU);
  EXPECT_EQ(stream(), 0xbc57ac4cU);
  EXPECT_EQ(stream(), 0x9b00dbd8U);
}

TEST(RandomStream, EveryPartOfTheKeyMatters) {
  std::set<std::uint64_t> firsts;
  firsts.insert(RandomStream(0, Purpose::test, 0, 0).bits64());
  firsts.insert(RandomStream(1, Purpose::test, 0, 0).bits64());
  firsts.insert(RandomStream(1ULL << 40, Purpose::test, 0, 0).bits64());
  firsts.insert(RandomStream(0, Purpose::node_split, 0, 0).bits64());
  firsts.insert(RandomStream(0, Purpose::test, 1, 0).bits64());
  firsts.insert(RandomStream(0, Purpose::test, 0, 1).bits64());
  firsts.insert(RandomStream(0, Purpose::test, 0, 1ULL << 40).bits64());
  EXPECT_EQ(firsts.size(), 7U);
}

TEST(RandomStream, RefusesAnItemBeyondItsCounter) {
  EXPECT_THROW(RandomStream(0, Purpose::test, 0, 1ULL << 48), Bug);
}

TEST(RandomStream, BelowIsUniformAndInRange) {
  RandomStream stream(7, Purpose::test);
  constexpr int bins = 7;
  constexpr int draws = 70000;
  std::vector<int> counts(bins);
  for (int i = 0; i < draws; ++i) ++counts.at(stream.below(bins));
  double chi_square = 0;
  for (const int count : counts) {
    const double expected = static_cast<double>(draws) / bins;
    chi_square += (count - expected) * (count - expected) / expected;
  }
  EXPECT_LT(chi_square, 22.46);  // 99.9 % quantile with 6 degrees of freedom
  for (int i = 0; i < 1000; ++i) EXPECT_LT(stream.below(3ULL << 40), 3ULL << 40);
  EXPECT_EQ(stream.below(1), 0U);
  EXPECT_THROW(stream.below(0), Bug);
}

TEST(RandomStream, NormalHasUnitMoments) {
  RandomStream stream(3, Purpose::test);
  constexpr int draws = 100000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < draws; ++i) {
    const double x = stream.normal();
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / draws, 0, 4 / std::sqrt(draws));
  EXPECT_NEAR(squares / draws, 1, 4 * std::sqrt(2.0 / draws));
}

TEST(RandomStream, UniformStaysBelowOne) {
  RandomStream stream(5, Purpose::test);
  float largest = 0;
  for (int i = 0; i < 100000; ++i) {
    const float x = stream.uniform();
    ASSERT_GE(x, 0.0F);
    largest = std::max(largest, x);
  }
  EXPECT_LT(largest, 1.0F);
  EXPECT_GT(largest, 0.999F);
}

TEST(RandomPermutation, IsAPermutationAndNotTheIdentity) {
  RandomStream stream(1, Purpose::test);
  std::vector<std::int32_t> order = random_permutation(1000, stream);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (std::int32_t i = 0; i < 1000; ++i) ASSERT_EQ(order[static_cast<std::size_t>(i)], i);
  EXPECT_TRUE(random_permutation(0, stream).empty());
}

}  // namespace
}  // namespace creg::random_test
