#include "learn/nearest_rows.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "creg/core/random.h"
#include "support/expect_error.h"

namespace creg::nearest_rows_test {
namespace {

/// Small whole numbers: distances are exact, and many are equal.
DenseMatrix whole_rows(std::int64_t rows, std::int64_t cols, std::uint64_t seed) {
  RandomStream stream(seed, Purpose::test);
  std::vector<float> values(static_cast<std::size_t>(rows * cols));
  for (float& value : values) value = static_cast<float>(stream.below(5));
  return {.rows = rows, .cols = cols, .values = std::move(values)};
}

double distance(const DenseMatrix& rows, std::int64_t i, std::int64_t j) {
  double sum = 0;
  for (std::int64_t c = 0; c < rows.cols; ++c) {
    const double difference = rows.values[i * rows.cols + c] - rows.values[j * rows.cols + c];
    sum += difference * difference;
  }
  return sum;
}

TEST(NearestRows, AreThoseOfComparingAllPairs) {
  for (const std::int64_t count : {2, 5, 127, 128, 129, 300}) {
    const DenseMatrix rows = whole_rows(count, 3, static_cast<std::uint64_t>(count));
    const std::int64_t k = std::min<std::int64_t>(count - 1, 7);
    const NearestRows found = nearest_rows(Context(), rows, k);
    ASSERT_EQ(found.rows.size(), static_cast<std::size_t>(count * k));
    for (std::int64_t i = 0; i < count; ++i) {
      std::vector<std::pair<double, std::int32_t>> all;
      for (std::int64_t j = 0; j < count; ++j) {
        if (j != i) all.emplace_back(distance(rows, i, j), static_cast<std::int32_t>(j));
      }
      std::sort(all.begin(), all.end());
      for (std::int64_t j = 0; j < k; ++j) {
        const auto place = static_cast<std::size_t>(i * k + j);
        EXPECT_EQ(found.rows[place], all[static_cast<std::size_t>(j)].second);
        EXPECT_EQ(found.squared_distances[place], all[static_cast<std::size_t>(j)].first);
      }
    }
  }
}

TEST(NearestRows, DoNotDependOnTheThreads) {
  const DenseMatrix rows = whole_rows(400, 6, 1);
  const NearestRows one = nearest_rows(Context({.threads = 1}), rows, 9);
  const NearestRows three = nearest_rows(Context({.threads = 3}), rows, 9);
  EXPECT_EQ(one.rows, three.rows);
  EXPECT_EQ(one.squared_distances, three.squared_distances);
}

TEST(NearestRows, AreRefusedWhereThereAreNotAsMany) {
  const DenseMatrix rows = whole_rows(4, 2, 1);
  test::expect_error([&] { nearest_rows(Context(), rows, 4); }, {"1 to 3"});
  test::expect_error([&] { nearest_rows(Context(), rows, 0); }, {"1 to 3"});
}

}  // namespace
}  // namespace creg::nearest_rows_test
