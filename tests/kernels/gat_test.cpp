#include "kernels/gat.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "kernels/made_up.h"

namespace creg::gat_test {
namespace {

using test::Floats;
using Numbers = std::vector<double>;

constexpr std::int64_t nodes = 12;
constexpr double slope = 0.2;

/// A layer on the nodes of a pattern, node j in slot order[j].
struct Layer {
  std::int64_t heads;
  std::int64_t channels;
  test::Pattern pattern{nodes, nodes};
  std::vector<std::int32_t> order;
  Floats mask;

  Layer(std::int64_t heads, std::int64_t channels) : heads(heads), channels(channels) {
    for (std::int32_t j = 0; j < nodes; ++j) {
      order.push_back(static_cast<std::int32_t>((5 * j + 3) % nodes));
    }
    for (std::int64_t e = 0; e < pattern.entries() * heads; ++e) {
      mask.push_back(e % 3 == 0 ? 0.0F : 1.5F);
    }
  }
  std::int64_t width() const { return heads * channels; }
  kernels::GatShape shape() const {
    return {heads, channels, order.data(), static_cast<float>(slope)};
  }
  kernels::GatRows rows() const {
    return {nodes, pattern.offsets.data(), pattern.columns.data(), mask.data()};
  }

  /// out by its definition, in double.
  Numbers forward(const Numbers& z, const Numbers& source, const Numbers& target) const {
    Numbers out(static_cast<std::size_t>(nodes * width()), 0);
    for (std::int64_t i = 0; i < nodes; ++i) {
      for (std::int64_t h = 0; h < heads; ++h) {
        const auto part = [&](std::int64_t node, const Numbers& attention) {
          double sum = 0;
          for (std::int64_t c = 0; c < channels; ++c) {
            sum += z[order[node] * width() + h * channels + c] * attention[h * channels + c];
          }
          return sum;
        };
        double total = 0;
        Numbers weights;
        for (std::int64_t e = pattern.offsets[i]; e < pattern.offsets[i + 1]; ++e) {
          const double score = part(pattern.columns[e], source) + part(i, target);
          weights.push_back(std::exp(score > 0 ? score : slope * score));
          total += weights.back();
        }
        for (std::size_t q = 0; q < weights.size(); ++q) {
          const std::int64_t e = pattern.offsets[i] + static_cast<std::int64_t>(q);
          const std::int64_t from = order[pattern.columns[e]] * width() + h * channels;
          for (std::int64_t c = 0; c < channels; ++c) {
            out[i * width() + h * channels + c] +=
                weights[q] / total * mask[e * heads + h] * z[from + c];
          }
        }
      }
    }
    return out;
  }
};

/// The same pattern column by column, each entry with the place it came from.
struct Transposed {
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::int32_t> columns;
  std::vector<std::int64_t> linked;

  explicit Transposed(const test::Pattern& pattern) {
    for (std::int32_t j = 0; j < nodes; ++j) {
      for (std::int32_t i = 0; i < nodes; ++i) {
        for (std::int64_t e = pattern.offsets[i]; e < pattern.offsets[i + 1]; ++e) {
          if (pattern.columns[e] != j) continue;
          columns.push_back(i);
          linked.push_back(e);
        }
      }
      offsets.push_back(static_cast<std::int64_t>(columns.size()));
    }
  }
};

double weighed(const Numbers& out, const Floats& d_out) {
  double sum = 0;
  for (std::size_t i = 0; i < out.size(); ++i) sum += out[i] * d_out[i];
  return sum;
}

void expect_slopes(const Floats& gradient, Numbers& x, const std::function<double()>& value) {
  ASSERT_EQ(gradient.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    constexpr double step = 1e-6;
    const double kept = x[i];
    x[i] = kept + step;
    const double above = value();
    x[i] = kept - step;
    const double below = value();
    x[i] = kept;
    ASSERT_NEAR(gradient[i], (above - below) / (2 * step), 2e-4) << "number " << i;
  }
}

class GatKernels : public ::testing::TestWithParam<std::pair<int, int>> {};

TEST_P(GatKernels, ForwardAndGradientAreThoseOfTheFormula) {
  const Layer layer(GetParam().first, GetParam().second);
  const std::int64_t heads = layer.heads;
  const std::int64_t width = layer.width();
  const Floats z = test::random_floats(nodes * width, 1);
  const Floats att_source = test::random_floats(width, 2);
  const Floats att_target = test::random_floats(width, 3);
  const Floats d_out = test::random_floats(nodes * width, 4);
  Floats source(nodes * heads);
  Floats target(nodes * heads);
  Floats weights(static_cast<std::size_t>(layer.pattern.entries() * heads));
  Floats out(nodes * width, 8.0F);
  const kernels::GatInputs inputs{.shape = layer.shape(),
                                  .rows = layer.rows(),
                                  .slots = nodes,
                                  .z = z.data(),
                                  .att_source = att_source.data(),
                                  .att_target = att_target.data(),
                                  .scores = {source.data(), target.data()},
                                  .weights = weights.data()};
  const Context context({.threads = GetParam().first});
  const PoolWorkers workers(context);
  cpu::gat_forward({.workers = &workers}, inputs, out.data());
  Numbers z_wide(z.begin(), z.end());
  Numbers source_wide(att_source.begin(), att_source.end());
  Numbers target_wide(att_target.begin(), att_target.end());
  const Numbers expected = layer.forward(z_wide, source_wide, target_wide);
  for (std::size_t i = 0; i < out.size(); ++i) ASSERT_NEAR(out[i], expected[i], 2e-5);

  Floats d_entries(weights.size());
  Floats d_source(nodes * heads);
  Floats d_target(nodes * heads);
  const Transposed turned(layer.pattern);
  Floats d_z(z.size());
  Floats sums(2 * width, 3.0F);
  cpu::gat_backward(
      {.workers = &workers},
      {.inputs = inputs,
       .transposed = {nodes, turned.offsets.data(), turned.columns.data(), layer.mask.data()},
       .linked = turned.linked.data(),
       .d_out = d_out.data(),
       .d_scores = {d_source.data(), d_target.data()},
       .d_entries = d_entries.data(),
       .d_z = d_z.data(),
       .sums = sums.data()});
  const Floats d_att_source(sums.begin(), sums.begin() + width);
  const Floats d_att_target(sums.begin() + width, sums.end());
  const auto value = [&] {
    return weighed(layer.forward(z_wide, source_wide, target_wide), d_out);
  };
  expect_slopes(d_z, z_wide, value);
  expect_slopes(d_att_source, source_wide, value);
  expect_slopes(d_att_target, target_wide, value);
}

INSTANTIATE_TEST_SUITE_P(HeadsAndChannels, GatKernels,
                         ::testing::Values(std::pair{1, 1}, std::pair{2, 5}, std::pair{3, 17}));

}  // namespace
}  // namespace creg::gat_test
