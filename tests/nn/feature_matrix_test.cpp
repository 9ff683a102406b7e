#include "creg/nn/feature_matrix.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "creg/core/error.h"
#include "creg/ops/tensors.h"
#include "support/attributed_graph.h"
#include "support/gradients.h"

namespace creg {
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
  const FeatureMatrix features(Context(), Features(DenseMatrix{2, 3, values}));
  EXPECT_FALSE(features.sparse());
  const at::Tensor weights = at::eye(3);
  EXPECT_TRUE(at::equal(features.times(weights), features.dense()));
}

TEST(FeatureMatrix, SparseAndDenseAgree) {
  const Graph graph = test::two_groups();
  const FeatureMatrix features(Context(), graph.features);
  EXPECT_TRUE(at::equal(features.dense(), as_tensor(to_dense(graph.features))));
  const at::Tensor weights = test::irregular({12, 5});
  EXPECT_LT(distance(features.times(weights), features.dense().mm(weights)), 1e-6);
}

/// Whichever way is taken, the product and its gradient are the same.
TEST(FeatureMatrix, FullerThanTheLimitBecomesDense) {
  const auto limit = static_cast<std::int64_t>(std::floor(dense_above * 200));
  for (const std::int64_t filled : {std::int64_t{0}, limit, limit + 1, std::int64_t{200}}) {
    const CsrMatrix csr = with_filled(filled);
    const FeatureMatrix features{Context(), Features(csr)};
    EXPECT_EQ(features.sparse(), filled <= limit) << filled;
    EXPECT_EQ(features.rows(), 20);
    EXPECT_EQ(features.cols(), 10);
    const at::Tensor x = as_tensor(to_dense(Features(csr)));
    EXPECT_TRUE(at::equal(features.dense(), x)) << filled;
    test::expect_matches([&](const test::Tensors& in) { return features.times(in[0]); },
                         [&](const test::Tensors& in) { return x.to(at::kDouble).mm(in[0]); },
                         {test::irregular({10, 3})});
  }
}

TEST(FeatureMatrix, CountsTheBytesItHolds) {
  const FeatureMatrix dense(Context(), Features(with_filled(200)));
  EXPECT_EQ(dense.bytes(), 20 * 10 * 4);
  // Both directions of the sparse one: offsets of 8 bytes, columns and values of 4.
  const FeatureMatrix sparse(Context(), Features(with_filled(20)));
  EXPECT_EQ(sparse.bytes(), (21 + 11) * 8 + 2 * 20 * (4 + 4));
}

TEST(FeatureMatrix, NeedsFeatures) {
  EXPECT_THROW(FeatureMatrix(Context(), Features()), Bug);
}

}  // namespace
}  // namespace creg
