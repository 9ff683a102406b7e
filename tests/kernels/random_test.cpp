#include "kernels/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/dense.h"

namespace creg::kernels_random_test {
namespace {

constexpr RandomKey key{.seed = 7, .purpose = Purpose::test, .epoch = 3, .item = 11};

/// Calls test(launch) with the threads of one, two and four workers.
template <class Test>
void for_workers(const Test& test) {
  const OneWorker one;
  test(Launch{.workers = &one});
  for (const int threads : {2, 4}) {
    const Context context({.threads = threads});
    const PoolWorkers workers(context);
    test(Launch{.workers = &workers});
  }
}

RandomStream stream_of_row(std::int64_t row) {
  return {key.seed, key.purpose, key.epoch, key.item + static_cast<std::uint64_t>(row)};
}

TEST(RandomKernels, RowsHaveStreamsOfTheirOwn) {
  constexpr std::int64_t rows = 3;
  constexpr std::int64_t cols = 9001;
  std::vector<float> uniform;
  std::vector<float> normal;
  std::vector<float> dropout;
  for (std::int64_t r = 0; r < rows; ++r) {
    RandomStream numbers = stream_of_row(r);
    RandomStream bells = stream_of_row(r);
    RandomStream words = stream_of_row(r);
    for (std::int64_t c = 0; c < cols; ++c) {
      uniform.push_back(static_cast<float>((2.0 * numbers.uniform() - 1) * 0.1));
      normal.push_back(static_cast<float>(bells.normal() * 3));
      dropout.push_back(words() < 0x40000000U ? 0.0F : 1 / 0.75F);
    }
  }
  for_workers([&](const Launch& launch) {
    std::vector<float> found(uniform.size());
    const kernels::DrawnRows drawn{key, rows, cols, found.data()};
    cpu::draw_uniform(launch, drawn, {.scale = 0.1, .both_signs = true});
    EXPECT_EQ(found, uniform);
    cpu::draw_normal(launch, drawn, 3);
    EXPECT_EQ(found, normal);
    cpu::draw_dropout_rows(launch, drawn, 0.25);
    EXPECT_EQ(found, dropout);
  });
}

TEST(RandomKernels, EntriesStartWithTheirRow) {
  const std::vector<std::int64_t> offsets = {0, 2, 2, 5};
  std::vector<float> expected;
  for (std::int64_t r = 0; r < 3; ++r) {
    RandomStream words = stream_of_row(r);
    for (std::int64_t e = offsets[r]; e < offsets[r + 1]; ++e) {
      expected.push_back(words() < 0x80000000U ? 0.0F : 2.0F);
    }
  }
  for_workers([&](const Launch& launch) {
    std::vector<float> found(5);
    cpu::draw_dropout_entries(launch, {key, 3, offsets.data(), found.data()}, 0.5);
    EXPECT_EQ(found, expected);
  });
}

TEST(RandomKernels, OneStreamForAListOfChances) {
  std::vector<float> chances;
  std::vector<float> expected;
  RandomStream stream = stream_of_row(0);
  for (int i = 0; i < 9001; ++i) {
    chances.push_back(static_cast<float>(i % 3) / 2);
    expected.push_back(stream.uniform() < chances.back() ? 0.0F : 1.0F);
  }
  for_workers([&](const Launch& launch) {
    std::vector<float> found(expected.size());
    cpu::draw_kept(launch, key, {.count = 9001, .own = chances.data()}, found.data());
    EXPECT_EQ(found, expected);
  });
}

TEST(RandomKernels, AnOrderIsTheSameForAllWorkers) {
  for (const std::int32_t n : {0, 1, 5, 5000, 150'000}) {
    RandomStream stream = stream_of_row(0);
    std::vector<std::pair<std::uint64_t, std::int32_t>> drawn;
    for (std::int32_t i = 0; i < n; ++i) drawn.emplace_back(stream.bits64(), i);
    std::sort(drawn.begin(), drawn.end());
    std::vector<std::int32_t> expected;
    for (const auto& [draw, item] : drawn) expected.push_back(item);
    for_workers([&](const Launch& launch) {
      std::vector<std::int32_t> found(static_cast<std::size_t>(n));
      cpu::draw_permutation(launch, key, n, found.data());
      EXPECT_EQ(found, expected) << n;
    });
  }
}

TEST(DenseKernel, AddsEntriesToTheirCells) {
  const std::vector<std::int64_t> offsets = {0, 2, 2, 3};
  const std::vector<std::int32_t> columns = {1, 1, 0};
  const std::vector<float> values = {1, 0.5F, 4};
  for_workers([&](const Launch& launch) {
    std::vector<float> out(6, 0);
    kernels::SparseRows matrix{.rows = 3,
                               .cols = 2,
                               .offsets = offsets.data(),
                               .columns = columns.data(),
                               .values = values.data()};
    cpu::add_to_dense(launch, matrix, out.data());
    EXPECT_EQ(out, (std::vector<float>{0, 1.5F, 0, 0, 4, 0}));
    matrix.values = nullptr;
    cpu::add_to_dense(launch, matrix, out.data());
    EXPECT_EQ(out, (std::vector<float>{0, 3.5F, 0, 0, 5, 0}));
  });
}

}  // namespace
}  // namespace creg::kernels_random_test
