#include "ops/random.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <vector>

#include "core/permutation.h"
#include "ops/tensors.h"
#include "support/devices.h"

namespace creg::random_test {
namespace {

constexpr RandomKey key{.seed = 7, .purpose = Purpose::test, .epoch = 3, .item = 11};

RandomStream stream_of_row(std::int64_t row) {
  return {key.seed, key.purpose, key.epoch, key.item + static_cast<std::uint64_t>(row)};
}

/// [rows, cols] by one number after the other.
template <class Next>
at::Tensor drawn_in_turn(std::int64_t rows, std::int64_t cols, const Next& next) {
  std::vector<float> values;
  for (std::int64_t r = 0; r < rows; ++r) {
    RandomStream stream = stream_of_row(r);
    for (std::int64_t c = 0; c < cols; ++c) values.push_back(next(stream));
  }
  return as_tensor(Array<float>(std::move(values))).view({rows, cols}).clone();
}

/// The same bytes whatever the threads and the device. Where `rounded`, another device may round a
/// number in another way.
template <class Draw>
void expect_draws(const at::Tensor& expected, const Draw& draw, bool rounded = false) {
  const int threads = at::get_num_threads();
  for (const int count : {1, 2, 4}) {
    at::set_num_threads(count);
    const at::Tensor found = draw();
    EXPECT_EQ(found.dtype(), expected.dtype());
    EXPECT_EQ(found.device(), test::tensor_device());
    if (rounded && !found.device().is_cpu()) {
      EXPECT_TRUE(at::allclose(test::on_host(found), expected, 1e-6, 1e-12));
      continue;
    }
    EXPECT_TRUE(test::equal(found, expected)) << count << " threads";
  }
  at::set_num_threads(threads);
}

const std::vector<std::pair<std::int64_t, std::int64_t>> shapes = {
    {0, 3}, {3, 0}, {1, 1}, {1, 20'003}, {5, 7}, {3000, 5}, {7, 4099}};

TEST(DrawUniform, IsTheStreamsNumbersTimesTheScale) {
  for (const auto& [rows, cols] : shapes) {
    expect_draws(
        drawn_in_turn(rows, cols, [](RandomStream& s) { return s.uniform() * 0.3F; }),
        [&, r = rows, c = cols] { return draw_uniform(test::tensor_device(), r, c, 0.3F, key); });
  }
}

TEST(DrawSymmetric, HasBothSigns) {
  for (const auto& [rows, cols] : shapes) {
    expect_draws(
        drawn_in_turn(
            rows, cols,
            [](RandomStream& s) { return static_cast<float>((2.0 * s.uniform() - 1.0) * 0.7); }),
        [&, r = rows, c = cols] { return draw_symmetric(test::tensor_device(), r, c, 0.7, key); });
  }
}

TEST(DrawNormal, IsTheStreamsNumbersTimesTheDeviation) {
  for (const auto& [rows, cols] : shapes) {
    expect_draws(
        drawn_in_turn(rows, cols,
                      [](RandomStream& s) { return static_cast<float>(s.normal() * 1.7); }),
        [&, r = rows, c = cols] { return draw_normal(test::tensor_device(), r, c, 1.7, key); },
        /*rounded=*/true);
  }
}

TEST(DrawDropout, ZerosAWordBelowTheRate) {
  const auto next = [](RandomStream& s) { return s() * 0x1p-32 < 0.25 ? 0.0F : 4.0F / 3; };
  for (const auto& [rows, cols] : shapes) {
    expect_draws(drawn_in_turn(rows, cols, next), [&, r = rows, c = cols] {
      return draw_dropout(test::tensor_device(), r, c, 0.25, key);
    });
  }
  EXPECT_TRUE(test::equal(draw_dropout(test::tensor_device(), 2, 3, 0, key), at::ones({2, 3})));
}

TEST(DrawDropout, OfEntriesHasAStreamPerRow) {
  std::vector<std::int64_t> offsets = {0};
  std::vector<float> expected;
  for (std::int64_t r = 0; r < 500; ++r) {
    RandomStream stream = stream_of_row(r);
    for (std::int64_t e = 0; e < r % 7; ++e) {
      expected.push_back(stream() * 0x1p-32 < 0.5 ? 0.0F : 2.0F);
    }
    offsets.push_back(static_cast<std::int64_t>(expected.size()));
  }
  const std::int64_t entries = offsets.back();
  const at::Tensor starts = test::on(as_tensor(Array<std::int64_t>(offsets)));
  expect_draws(as_tensor(Array<float>(expected)),
               [&] { return draw_dropout(starts, entries, 0.5, key); });
}

/// All noise of a pass comes from one number, the first 64 bits of a stream.
TEST(DrawNoise, HasADrawnSeed) {
  RandomStream first(key);
  const std::uint64_t high = first();
  const std::uint64_t number = (high << 32) | first();
  const DrawKey noise = DrawKey::of_noise(key, Purpose::dropout, 5);
  const auto drawn = [&](std::int64_t rows, std::int64_t cols, const auto& next) {
    std::vector<float> values;
    for (std::int64_t r = 0; r < rows; ++r) {
      RandomStream stream(number, Purpose::dropout, 5, static_cast<std::uint64_t>(r));
      for (std::int64_t c = 0; c < cols; ++c) values.push_back(next(stream));
    }
    return as_tensor(Array<float>(std::move(values))).view({rows, cols}).clone();
  };
  const auto kept = [](RandomStream& s) { return s() * 0x1p-32 < 0.25 ? 0.0F : 4.0F / 3; };
  expect_draws(drawn(300, 7, [](RandomStream& s) { return s.uniform() * 0.3F; }),
               [&] { return draw_uniform(test::tensor_device(), 300, 7, 0.3F, noise); });
  expect_draws(drawn(300, 7, kept),
               [&] { return draw_dropout(test::tensor_device(), 300, 7, 0.25, noise); });
  const at::Tensor offsets = at::arange(0, 301 * 7, 7, test::options(at::kLong));
  expect_draws(drawn(300, 7, kept).view({2100}),
               [&] { return draw_dropout(offsets, 2100, 0.25, noise); });
}

TEST(DrawDropout, RefusesWhatItCannotDo) {
  EXPECT_THROW(draw_dropout(test::tensor_device(), 2, 3, 1, key), c10::Error);
  EXPECT_THROW(draw_dropout(test::tensor_device(), 2, 3, -0.1, key), c10::Error);
  EXPECT_THROW(draw_dropout(test::on(at::tensor({0, 1}, at::kInt)), 1, 0.5, key), c10::Error);
  RandomKey last = key;
  last.item = (std::uint64_t{1} << 48) - 2;
  EXPECT_NO_THROW(draw_dropout(test::tensor_device(), 2, 1, 0.5, last));
  EXPECT_THROW(draw_dropout(test::tensor_device(), 3, 1, 0.5, last), c10::Error);
}

TEST(DrawKept, LeavesOutByChance) {
  constexpr std::int64_t count = 10'001;
  const auto chance_of = [](std::int64_t i) { return static_cast<float>(i % 5) / 4; };
  std::vector<float> chances;
  std::vector<float> by_one;
  std::vector<float> by_own;
  RandomStream one = stream_of_row(0);
  RandomStream own = stream_of_row(0);
  for (std::int64_t i = 0; i < count; ++i) {
    chances.push_back(chance_of(i));
    by_one.push_back(one.uniform() < 0.3 ? 0.0F : 1.0F);
    by_own.push_back(own.uniform() < chances.back() ? 0.0F : 1.0F);
  }
  expect_draws(as_tensor(Array<float>(by_one)),
               [] { return draw_kept(test::tensor_device(), count, 0.3, key); });
  const at::Tensor given = test::on(as_tensor(Array<float>(chances)));
  expect_draws(as_tensor(Array<float>(by_own)), [&] { return draw_kept(given, key); });
  EXPECT_THROW(draw_kept(given.to(at::kDouble), key), c10::Error);
}

TEST(DrawBelow, IsTheStreamsNumbers) {
  // The second bound rejects one word in four.
  for (const std::int64_t bound : {1L, 10L, 3'221'225'473L}) {
    std::vector<std::int64_t> expected;
    RandomStream stream = stream_of_row(0);
    for (int i = 0; i < 1000; ++i) {
      expected.push_back(static_cast<std::int64_t>(stream.below(bound)));
    }
    expect_draws(as_tensor(Array<std::int64_t>(expected)),
                 [&] { return draw_below(test::tensor_device(), 1000, bound, key); });
  }
  EXPECT_EQ(draw_below(test::tensor_device(), 0, 0, key).numel(), 0);
  EXPECT_THROW(draw_below(test::tensor_device(), 1, 0, key), c10::Error);
}

TEST(DrawOtherRows, NeverTakesTheRowItself) {
  constexpr std::int64_t rows = 6;
  constexpr std::int64_t lists = 3000;
  const at::Tensor found = draw_other_rows(test::tensor_device(), lists, rows, key);
  ASSERT_EQ(found.sizes(), (at::IntArrayRef{lists, rows}));
  RandomStream stream = stream_of_row(0);
  std::vector<int> met(rows * rows, 0);
  const auto values = host_array<std::int64_t>(found);
  for (std::int64_t i = 0; i < lists * rows; ++i) {
    const auto drawn = static_cast<std::int64_t>(stream.below(rows - 1));
    ASSERT_EQ(values[i], drawn < i % rows ? drawn : drawn + 1);
    ++met[static_cast<std::size_t>(i % rows * rows + values[i])];
  }
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < rows; ++c) {
      EXPECT_NEAR(met[static_cast<std::size_t>(r * rows + c)], r == c ? 0 : 600, r == c ? 0 : 120);
    }
  }
  EXPECT_THROW(draw_other_rows(test::tensor_device(), 1, 1, key), c10::Error);
}

TEST(DrawPermutation, IsTheOneOfTheHost) {
  // A GPU takes another way from 8193 on; of 16384 keys some share the bits it sorts by.
  for (const std::int64_t n : {0, 1, 2, 1000, 8192, 8193, 16'384, 100'003}) {
    expect_draws(as_tensor(Array<std::int32_t>(keyed_permutation(key, n))),
                 [&] { return draw_permutation(test::tensor_device(), n, key); });
  }
  EXPECT_THROW(draw_permutation(test::tensor_device(), -1, key), c10::Error);
  EXPECT_THROW(draw_permutation(test::tensor_device(), std::int64_t{1} << 31, key), c10::Error);
}

}  // namespace
}  // namespace creg::random_test
