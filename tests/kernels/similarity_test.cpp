#include "kernels/similarity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/info_nce.h"
#include "kernels/made_up.h"

namespace creg::similarity_test {
namespace {

using test::Floats;

constexpr std::int64_t nodes = 150;
constexpr std::int64_t tile_size = 70;  // a chunk and a rest; the last tile is smaller

/// Products of rows of length 1, some of them equal.
const Floats& products() {
  static const Floats all = [] {
    constexpr std::int64_t width = 3;
    Floats rows = test::random_floats(nodes * width);
    std::copy_n(rows.begin(), 10 * width, rows.begin() + 90 * width);
    for (std::int64_t i = 0; i < nodes; ++i) {
      float* const row = rows.data() + i * width;
      const auto length = static_cast<float>(std::sqrt(test::plain_dot(row, row, width)));
      for (std::int64_t j = 0; j < width; ++j) row[j] /= length;
    }
    Floats out;
    for (std::int64_t i = 0; i < nodes; ++i) {
      for (std::int64_t j = 0; j < nodes; ++j) {
        const double dot = test::plain_dot(&rows[i * width], &rows[j * width], width);
        out.push_back(static_cast<float>(std::min(dot, 1.0)));
      }
    }
    return out;
  }();
  return all;
}

/// Calls use(tile, scratch) for the tiles on and above the diagonal.
template <class Use>
void for_tiles(const Use& use) {
  for (std::int64_t r = 0; r < nodes; r += tile_size) {
    for (std::int64_t c = r; c < nodes; c += tile_size) {
      const std::int64_t rows = std::min(tile_size, nodes - r);
      const std::int64_t columns = std::min(tile_size, nodes - c);
      Floats values;
      for (std::int64_t i = r; i < r + rows; ++i) {
        const auto row = products().begin() + i * nodes + c;
        values.insert(values.end(), row, row + columns);
      }
      Floats scratch(static_cast<std::size_t>(2 * columns));
      use(cpu::Tile{values.data(), r, rows, c, columns}, scratch.data());
    }
  }
}

TEST(UpdateTopK, ListsAreThoseOfASort) {
  constexpr std::int64_t k = 5;
  for (const bool with_self : {false, true}) {
    Floats values(nodes * k, -std::numeric_limits<float>::infinity());
    std::vector<std::int32_t> indices(nodes * k, cpu::TopKLists::vacant);
    for_tiles([&](const cpu::Tile& tile, float* scratch) {
      cpu::update_top_k(tile, with_self, {k, values.data(), indices.data()}, scratch);
    });
    for (std::int32_t i = 0; i < nodes; ++i) {
      std::vector<std::int32_t> others;
      for (std::int32_t j = 0; j < nodes; ++j) {
        if (with_self || i != j) others.push_back(j);
      }
      std::stable_sort(others.begin(), others.end(), [&](std::int32_t a, std::int32_t b) {
        return products()[i * nodes + a] > products()[i * nodes + b];
      });
      for (std::int64_t p = 0; p < k; ++p) {
        ASSERT_EQ(indices[i * k + p], others[p]) << "node " << i;
        ASSERT_EQ(values[i * k + p], products()[i * nodes + others[p]]);
      }
    }
  }
}

TEST(UpdateEntropies, SumsAreThoseOfAllPairs) {
  std::vector<double> s(nodes, 0);
  std::vector<double> s_ln_s(nodes, 0);
  for_tiles([&](const cpu::Tile& tile, float* scratch) {
    cpu::update_entropies(tile, {s.data(), s_ln_s.data()}, scratch);
  });
  for (std::int64_t i = 0; i < nodes; ++i) {
    double sum = 0;
    double logarithms = 0;
    for (std::int64_t j = 0; j < nodes; ++j) {
      const double value = std::max(0.0F, products()[i * nodes + j]);
      sum += value;
      if (value > 0) logarithms += value * std::log(value);
    }
    ASSERT_NEAR(s[i], sum, 1e-4);
    ASSERT_NEAR(s_ln_s[i], logarithms, 1e-4);
  }
}

TEST(Exponentials, SumsAndWeightsAreThoseOfTheOtherNodes) {
  constexpr float inverse = 2.5F;
  std::vector<double> sums(nodes, 0);
  const Floats weights = test::random_floats(nodes, 4);
  const auto exponential = [&](std::int64_t i, std::int64_t j) {
    return i == j ? 0 : std::exp((static_cast<double>(products()[i * nodes + j]) - 1) * inverse);
  };
  for_tiles([&](const cpu::Tile& tile, float* scratch) {
    cpu::add_exponentials(tile, inverse, sums.data(), scratch);
  });
  for_tiles([&](const cpu::Tile& tile, float*) {
    cpu::weigh_exponentials(tile, inverse, weights.data());
    for (std::int64_t r = 0; r < tile.rows; ++r) {
      for (std::int64_t c = 0; c < tile.columns; ++c) {
        const std::int64_t i = tile.first_row + r;
        const std::int64_t j = tile.first_column + c;
        const double weight = static_cast<double>(weights[i]) + weights[j];
        ASSERT_NEAR(tile.values[r * tile.columns + c], weight * exponential(i, j), 1e-5);
      }
    }
  });
  for (std::int64_t i = 0; i < nodes; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < nodes; ++j) sum += exponential(i, j);
    ASSERT_NEAR(sums[i], sum, 1e-4);
  }
}

TEST(ScaleTile, ByRowAndColumn) {
  Floats values = test::random_floats(3 * 7);
  const Floats before = values;
  const Floats row_scale = test::random_floats(3, 2);
  const Floats column_scale = test::random_floats(7, 3);
  cpu::scale_tile({values.data(), 0, 3, 3, 7}, row_scale.data(), column_scale.data());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_FLOAT_EQ(values[i], before[i] * (row_scale[i / 7] * column_scale[i % 7]));
  }
}

TEST(FiniteRowNorms, AreLengthsOfAnyScaleAndFindWhatIsNone) {
  constexpr std::int64_t width = 19;
  Floats rows = test::random_floats(5 * width);
  for (std::int64_t j = 0; j < width; ++j) {
    rows[1 * width + j] *= 1e-30F;
    rows[2 * width + j] *= 1e30F;
    rows[3 * width + j] = 0;
  }
  std::vector<double> norms(5);
  EXPECT_EQ(cpu::finite_row_norms(0, 5, width, rows.data(), norms.data()), -1);
  for (std::int64_t i = 0; i < 5; ++i) {
    const float* const row = rows.data() + i * width;
    const double expected = std::sqrt(test::plain_dot(row, row, width));
    EXPECT_NEAR(norms[i], expected, 1e-6 * expected);
  }
  rows[4 * width + 18] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(cpu::finite_row_norms(0, 5, width, rows.data(), norms.data()), 4);
  rows[1 * width] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(cpu::finite_row_norms(0, 5, width, rows.data(), norms.data()), 1);
}

TEST(DotProducts, OfAnyNumberOfRows) {
  for (const std::int64_t width : {1, 16, 23}) {
    const Floats rows = test::random_floats(9 * width);
    for (const std::int64_t count : {1, 4, 7}) {
      std::vector<std::int32_t> list;
      for (std::int64_t i = 0; i < count; ++i) {
        list.push_back(static_cast<std::int32_t>(8 - i % 3));
      }
      Floats found(static_cast<std::size_t>(count));
      cpu::dot_products(rows.data(), rows.data(), width, list.data(), count, found.data());
      for (std::int64_t i = 0; i < count; ++i) {
        EXPECT_NEAR(found[i], test::plain_dot(rows.data(), rows.data() + list[i] * width, width),
                    1e-5);
        EXPECT_EQ(found[i], found[i % 3]);
      }
    }
  }
}

}  // namespace
}  // namespace creg::similarity_test
