#include "ops/dense.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "ops/tensors.h"
#include "support/devices.h"

namespace creg::dense_test {
namespace {

TEST(DenseOf, AddsUpWhatIsInOneCell) {
  CsrTensors matrix{.rows = 3,
                    .cols = 4,
                    .offsets = test::on(at::tensor({0, 3, 3, 4}, at::kLong)),
                    .columns = test::on(index_tensor({1, 3, 1, 0})),
                    .values = test::on(at::tensor({0.5F, -1.0F, 2.0F, 8.0F}))};
  EXPECT_TRUE(test::equal(dense_of(matrix), at::tensor({0.0F, 2.5F, 0.0F, -1.0F, 0.0F, 0.0F, 0.0F,
                                                        0.0F, 8.0F, 0.0F, 0.0F, 0.0F})
                                                .view({3, 4})));
  matrix.values = at::Tensor();
  EXPECT_TRUE(test::equal(dense_of(matrix)[0], at::tensor({0.0F, 2.0F, 0.0F, 1.0F})));
}

TEST(DenseOf, IsTheGraphsOwn) {
  // More rows than one thread takes.
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::int32_t> columns;
  for (std::int32_t r = 0; r < 1000; ++r) {
    for (std::int32_t c = r % 3; c < 11; c += 4) columns.push_back(c);
    offsets.push_back(static_cast<std::int64_t>(columns.size()));
  }
  const CsrMatrix matrix{
      .rows = 1000, .cols = 11, .offsets = offsets, .columns = columns, .values = {}};
  const SparseMatrix sparse(test::context(), matrix, SparseMatrix::Shape::forward);
  EXPECT_TRUE(test::equal(dense_of(sparse.forward()), as_tensor(to_dense(matrix))));
}

TEST(DenseOf, RefusesOtherTypes) {
  CsrTensors matrix{.rows = 1,
                    .cols = 1,
                    .offsets = test::on(at::tensor({0, 1}, at::kInt)),
                    .columns = test::on(index_tensor({0})),
                    .values = {}};
  EXPECT_THROW(dense_of(matrix), c10::Error);
  matrix.offsets = test::on(at::tensor({0, 1}, at::kLong));
  EXPECT_NO_THROW(dense_of(matrix));
  matrix.values = at::ones({1}, test::options(at::kDouble));
  EXPECT_THROW(dense_of(matrix), c10::Error);
}

}  // namespace
}  // namespace creg::dense_test
