#include "creg/nn/inputs.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "creg/core/error.h"
#include "ops/tensors.h"
#include "support/attributed_graph.h"
#include "support/gradients.h"

namespace creg::feature_matrix_test {
namespace {

using test::distance;

/// 20 rows of 10 with the first `filled` cells set.
CsrMatrix with_filled(std::int64_t filled) {
  std::vector<std::int32_t> rows;
  std::vector<std::int32_t> cols;
  std::vector<float> values;
  for (std::int32_t cell = 0; cell < filled; ++cell) {
    rows.push_back(cell % 20);
    cols.push_back(cell / 20);
    values.push_back(1 + 0.5F * static_cast<float>(cell));
  }
  return csr_from_entries(Context(), 20, 10, rows, cols, values);
}

TEST(FeatureMatrix, FullFeaturesBecomeDense) {
  const std::vector<float> values = {1, 2, 0, 4, 5, 6};
  const FeatureMatrix features(test::context(), Features(DenseMatrix{2, 3, values}));
  EXPECT_FALSE(features.sparse());
  const at::Tensor weights = test::on(at::eye(3));
  EXPECT_TRUE(test::equal(features.times(weights), features.dense()));
}

TEST(FeatureMatrix, SparseAndDenseAgree) {
  const Graph graph = test::two_groups();
  const FeatureMatrix features(test::context(), graph.features);
  EXPECT_TRUE(test::equal(features.dense(), as_tensor(to_dense(graph.features))));
  const at::Tensor weights = test::on(test::irregular({12, 5}));
  EXPECT_LT(distance(features.times(weights), features.dense().mm(weights)), 1e-6);
}

/// Whichever way is taken, the product and its gradient are the same.
TEST(FeatureMatrix, FullerThanTheLimitBecomesDense) {
  const auto limit = static_cast<std::int64_t>(std::floor(dense_above * 200));
  for (const std::int64_t filled : {std::int64_t{0}, limit, limit + 1, std::int64_t{200}}) {
    const CsrMatrix csr = with_filled(filled);
    const FeatureMatrix features{test::context(), Features(csr)};
    EXPECT_EQ(features.sparse(), filled <= limit) << filled;
    EXPECT_EQ(features.rows(), 20);
    EXPECT_EQ(features.cols(), 10);
    const at::Tensor x = as_tensor(to_dense(Features(csr)));
    EXPECT_TRUE(test::equal(features.dense(), x)) << filled;
    test::expect_matches([&](const test::Tensors& in) { return features.times(in[0]); },
                         [&](const test::Tensors& in) { return x.to(at::kDouble).mm(in[0]); },
                         {test::irregular({10, 3})});
  }
}

TEST(FeatureMatrix, CountsTheBytesItHolds) {
  const FeatureMatrix dense(test::context(), Features(with_filled(200)));
  EXPECT_EQ(dense.bytes(), 20 * 10 * 4);
  // Both directions of the sparse one: offsets of 8 bytes, columns and values of 4.
  const FeatureMatrix sparse(test::context(), Features(with_filled(20)));
  EXPECT_EQ(sparse.bytes(), (21 + 11) * 8 + 2 * 20 * (4 + 4));
}

TEST(FeatureMatrix, ADenseTensorGetsAGradient) {
  test::expect_matches([](const test::Tensors& in) { return FeatureMatrix(in[0]).times(in[1]); },
                       [](const test::Tensors& in) { return in[0].mm(in[1]); },
                       {test::irregular({4, 3}), test::irregular({3, 2}, 1)});
}

TEST(FeatureMatrix, ColumnsAreScaledInSparseAndDense) {
  for (const std::int64_t filled : {std::int64_t{20}, std::int64_t{200}}) {
    const CsrMatrix csr = with_filled(filled);
    const FeatureMatrix features{test::context(), Features(csr)};
    const at::Tensor x = as_tensor(to_dense(Features(csr))).to(at::kDouble);
    const at::Tensor scale = test::irregular({10}, 2);
    EXPECT_LT(distance(features.with_columns(test::on(scale)).dense(), x * scale), 1e-6);
    const FeatureMatrix twice =
        features.with_columns(test::on(scale)).with_columns(test::on(scale));
    EXPECT_LT(distance(twice.dense(), x * scale * scale), 1e-6);
    EXPECT_LT(distance(features.scaled(2.5).dense(), x * 2.5), 1e-6);
    test::expect_matches([&](const test::Tensors& in) { return features.scaled(2.5).times(in[0]); },
                         [&](const test::Tensors& in) { return (x * 2.5).mm(in[0]); },
                         {test::irregular({10, 3})}, 5e-5);
    test::expect_matches(
        [&](const test::Tensors& in) { return features.with_columns(in[0]).times(in[1]); },
        [&](const test::Tensors& in) { return (x * in[0]).mm(in[1]); },
        {scale, test::irregular({10, 3})}, 5e-5);
  }
}

/// Product and dense form see the same values, about the wanted share is gone, and the others keep
/// the mean.
TEST(FeatureMatrix, DroppedValuesAreGoneAndTheOthersLarger) {
  for (const std::int64_t filled : {std::int64_t{70}, std::int64_t{200}}) {
    const CsrMatrix csr = with_filled(filled);
    const FeatureMatrix features{test::context(), Features(csr)};
    EXPECT_EQ(features.sparse(), filled == 70);
    const at::Tensor x = test::on_host(features.dense());
    double gone = 0;
    at::Tensor sum = at::zeros({20, 10}, at::kDouble);
    constexpr int draws = 2000;
    for (std::uint64_t noise = 0; noise < draws; ++noise) {
      const at::Tensor dropped = test::on_host(features.dropped(0.25, {.seed = noise}).dense());
      const at::Tensor kept = dropped != 0;
      gone += 1 - kept.sum().item<double>() / static_cast<double>(filled);
      ASSERT_LT(distance(dropped, at::where(kept, x / 0.75, at::zeros_like(x))), 1e-6);
      sum += dropped;
    }
    EXPECT_NEAR(gone / draws, 0.25, 0.01);
    EXPECT_LT(distance(sum / draws, x), 0.06);
  }
}

TEST(FeatureMatrix, DroppedValuesAreDroppedBothWays) {
  const CsrMatrix csr = with_filled(70);
  const FeatureMatrix dropped = FeatureMatrix{test::context(), Features(csr)}
                                    .with_columns(test::on(test::irregular({10})))
                                    .dropped(0.5, {.seed = 3});
  const at::Tensor x = test::on_host(dropped.dense()).to(at::kDouble);
  test::expect_matches([&](const test::Tensors& in) { return dropped.times(in[0]); },
                       [&](const test::Tensors& in) { return x.mm(in[0]); },
                       {test::irregular({10, 3})}, 5e-5);
}

TEST(FeatureMatrix, NothingIsDroppedAtRateZero) {
  const FeatureMatrix features{test::context(), Features(with_filled(70))};
  EXPECT_TRUE(test::equal(features.dropped(0, {.seed = 3}).dense(), features.dense()));
}

TEST(FeatureMatrix, NeedsFeatures) {
  EXPECT_THROW(FeatureMatrix(test::context(), Features()), Bug);
}

}  // namespace
}  // namespace creg::feature_matrix_test
