#include "kernels/cpu/aggregate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "kernels/cpu/panel.h"
#include "kernels/made_up.h"

namespace creg::aggregate_test {
namespace {

using test::Floats;
using test::Pattern;

constexpr std::int64_t sources = 13;

/// M·X by its definition.
std::vector<double> product_of(const Pattern& m, const Floats& values, const Floats& x,
                               std::int64_t width) {
  std::vector<double> out(static_cast<std::size_t>(m.rows * width), 0);
  for (std::int64_t r = 0; r < m.rows; ++r) {
    for (std::int64_t e = m.offsets[r]; e < m.offsets[r + 1]; ++e) {
      for (std::int64_t j = 0; j < width; ++j) {
        out[r * width + j] +=
            (values.empty() ? 1.0 : values[e]) * static_cast<double>(x[m.columns[e] * width + j]);
      }
    }
  }
  return out;
}

TEST(MultiplyRows, IsTheSparseProduct) {
  const Pattern m(21, sources);
  for (const std::int64_t width : {1, 5, 16, 33}) {
    const Floats x = test::random_floats(sources * width);
    for (const bool weighted : {false, true}) {
      const Floats values = weighted ? test::random_floats(m.entries(), 2) : Floats();
      const std::vector<double> expected = product_of(m, values, x, width);
      Floats out(expected.size(), 7.0F);
      kernels::RowProduct product;
      product.offsets = m.offsets.data();
      product.columns = m.columns.data();
      product.values = weighted ? values.data() : nullptr;
      product.x = x.data();
      product.width = width;
      product.out = out.data();
      cpu::multiply_rows(product, 0, 9);
      cpu::multiply_rows(product, 9, m.rows);
      for (std::size_t i = 0; i < out.size(); ++i) ASSERT_NEAR(out[i], expected[i], 2e-5);
      product.accumulate = true;
      cpu::multiply_rows(product, 0, m.rows);
      for (std::size_t i = 0; i < out.size(); ++i) ASSERT_NEAR(out[i], 2 * expected[i], 4e-5);
    }
  }
}

TEST(MultiplyRows, GathersScattersAndActivates) {
  constexpr std::int64_t width = 6;
  const Pattern m(12, sources);
  const Floats x = test::random_floats(sources * width);
  const Floats bias = test::random_floats(width, 3);
  const Floats slopes = test::random_floats(width, 4);
  std::vector<std::int32_t> gather(sources);
  std::iota(gather.rbegin(), gather.rend(), 0);
  std::vector<std::int32_t> scatter(12);
  std::iota(scatter.rbegin(), scatter.rend(), 0);
  Floats turned;
  for (const std::int32_t row : gather) {
    turned.insert(turned.end(), x.begin() + row * width, x.begin() + (row + 1) * width);
  }
  const std::vector<double> expected = product_of(m, {}, turned, width);
  for (const std::int64_t stride : {0, 1}) {
    Floats out(12 * width);
    Floats activated(12 * width);
    kernels::RowProduct product;
    product.offsets = m.offsets.data();
    product.columns = m.columns.data();
    product.gather = gather.data();
    product.scatter = scatter.data();
    product.x = x.data();
    product.width = width;
    product.out = out.data();
    product.activated = activated.data();
    product.activation = {bias.data(), slopes.data(), stride};
    cpu::multiply_rows(product, 0, 12);
    for (std::int64_t r = 0; r < 12; ++r) {
      for (std::int64_t j = 0; j < width; ++j) {
        const double pre = expected[r * width + j] + bias[j];
        const double slope = slopes[stride * j];
        const std::int64_t place = scatter[r] * width + j;
        ASSERT_NEAR(out[place], pre, 1e-5);
        ASSERT_NEAR(activated[place], pre > 0 ? pre : slope * pre, 1e-5);
      }
    }
  }
}

TEST(ActivateRows, AndItsGradient) {
  constexpr std::int64_t rows = 5;
  constexpr std::int64_t width = 19;
  const Floats x = test::random_floats(rows * width);
  const Floats d_out = test::random_floats(rows * width, 2);
  const Floats bias = test::random_floats(width, 3);
  const Floats slopes = test::random_floats(width, 4);
  for (const std::int64_t stride : {0, 1}) {
    Floats pre(x.size());
    Floats activated(x.size());
    cpu::activate_rows({.activation = {bias.data(), slopes.data(), stride},
                        .x = x.data(),
                        .pre = pre.data(),
                        .activated = activated.data(),
                        .rows = rows,
                        .width = width},
                       0, rows);
    Floats d_pre(x.size());
    Floats bias_sum(width, 1.0F);
    Floats slope_sum(width, 1.0F);
    cpu::activation_gradient_rows({.pre = pre.data(),
                                   .d_out = d_out.data(),
                                   .slope = slopes.data(),
                                   .slope_stride = stride,
                                   .rows = rows,
                                   .width = width,
                                   .d_pre = d_pre.data()},
                                  0, rows, bias_sum.data(), slope_sum.data());
    for (std::int64_t j = 0; j < width; ++j) {
      double bias_gradient = 1;
      double slope_gradient = 1;
      for (std::int64_t r = 0; r < rows; ++r) {
        const std::int64_t at = r * width + j;
        const double value = static_cast<double>(x[at]) + bias[j];
        const double slope = slopes[stride * j];
        ASSERT_NEAR(activated[at], value > 0 ? value : slope * value, 1e-5);
        const double gradient = d_out[at] * (value > 0 ? 1 : slope);
        ASSERT_NEAR(d_pre[at], gradient, 1e-5);
        bias_gradient += gradient;
        if (value <= 0) slope_gradient += d_out[at] * value;
      }
      ASSERT_NEAR(bias_sum[j], bias_gradient, 1e-5);
      ASSERT_NEAR(slope_sum[j], slope_gradient, 1e-5);
    }
  }
}

TEST(MultiplyPanel, IsTheSparseProductOfItsColumns) {
  const Pattern m(21, sources);
  for (const std::int64_t width : {3, 64, 70}) {
    const Floats x = test::random_floats(sources * width);
    const Floats values = test::random_floats(m.entries(), 2);
    const std::vector<double> expected = product_of(m, values, x, width);
    Floats out(expected.size(), 0.5F);
    for (std::int64_t column = 0; column < width; column += cpu::panel_width) {
      const std::int64_t count = std::min(cpu::panel_width, width - column);
      Floats panel(sources * cpu::panel_width);
      cpu::pack_panel(x.data(), width, 0, sources, column, count, panel.data());
      cpu::PanelProduct product;
      product.starts = m.offsets.data();
      product.ends = m.offsets.data() + 1;
      product.columns = m.columns.data();
      product.values = values.data();
      product.panel = panel.data();
      product.out = out.data();
      product.width = width;
      product.column = column;
      product.count = count;
      product.accumulate = true;
      cpu::multiply_panel(product, 0, 4);
      cpu::multiply_panel(product, 4, m.rows);
    }
    for (std::size_t i = 0; i < out.size(); ++i) ASSERT_NEAR(out[i], 0.5 + expected[i], 2e-5);
  }
}

/// Short rows, long rows that go by panels, and more rows of X than a panel has.
TEST(Multiply, IsTheSparseProductForAnyNumberOfWorkers) {
  for (const auto& [rows, columns, per_row] :
       {std::tuple{40, 13, 4}, std::tuple{60, 50, 40}, std::tuple{300, 3400, 160}}) {
    Pattern m(0, 0);
    m.rows = rows;
    m.offsets = {0};
    m.columns.clear();
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t e = 0; e < per_row; ++e) {
        m.columns.push_back(static_cast<std::int32_t>((r * 7 + e * columns / per_row) % columns));
      }
      std::sort(m.columns.end() - per_row, m.columns.end());
      m.offsets.push_back(static_cast<std::int64_t>(m.columns.size()));
    }
    constexpr std::int64_t width = 70;
    const Floats x = test::random_floats(columns * width);
    const Floats values = test::random_floats(m.entries(), 2);
    const std::vector<double> expected = product_of(m, values, x, width);
    Floats first;
    for (const int threads : {1, 2, 5}) {
      Floats out(expected.size(), 7.0F);
      kernels::RowProduct product;
      product.rows = rows;
      product.source_rows = columns;
      product.offsets = m.offsets.data();
      product.columns = m.columns.data();
      product.values = values.data();
      product.x = x.data();
      product.width = width;
      product.out = out.data();
      const Context context({.threads = threads});
      const PoolWorkers workers(context);
      cpu::multiply({.workers = &workers}, product);
      for (std::size_t i = 0; i < out.size(); ++i) ASSERT_NEAR(out[i], expected[i], 2e-4);
      if (first.empty()) first = out;
      EXPECT_EQ(out, first);
      cpu::multiply_row_by_row({.workers = &workers}, product);
      for (std::size_t i = 0; i < out.size(); ++i) ASSERT_NEAR(out[i], expected[i], 2e-4);
    }
  }
}

TEST(ActivationGradient, SumsFixedPiecesOfRows) {
  constexpr std::int64_t rows = 2 * kernels::rows_per_sum + 3;
  constexpr std::int64_t width = 3;
  const Floats pre = test::random_floats(rows * width);
  const Floats d_out = test::random_floats(rows * width, 2);
  const float slope = 0.3F;
  Floats d_pre(pre.size());
  ASSERT_EQ(kernels::sum_pieces(rows), 3);
  Floats sums(3 * 2 * width, 5.0F);
  const OneWorker worker;
  cpu::activation_gradient({.workers = &worker}, {.pre = pre.data(),
                                                  .d_out = d_out.data(),
                                                  .slope = &slope,
                                                  .rows = rows,
                                                  .width = width,
                                                  .d_pre = d_pre.data(),
                                                  .sums = sums.data()});
  for (std::int64_t piece = 0; piece < 3; ++piece) {
    for (std::int64_t j = 0; j < width; ++j) {
      double bias = 0;
      double below = 0;
      for (std::int64_t r = piece * kernels::rows_per_sum;
           r < std::min(rows, (piece + 1) * kernels::rows_per_sum); ++r) {
        const std::int64_t at = r * width + j;
        bias += d_out[at] * (pre[at] > 0 ? 1 : slope);
        if (pre[at] <= 0) below += d_out[at] * pre[at];
      }
      EXPECT_NEAR(sums[piece * 2 * width + j], bias, 1e-4);
      EXPECT_NEAR(sums[piece * 2 * width + width + j], below, 1e-4);
    }
  }
}

}  // namespace
}  // namespace creg::aggregate_test
