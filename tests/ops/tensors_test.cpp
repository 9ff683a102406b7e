#include "creg/ops/tensors.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "support/graphs.h"

namespace creg {
namespace {

TEST(AsTensor, SharesTheMemoryAndKeepsItAlive) {
  at::Tensor tensor;
  const float* address = nullptr;
  {
    const Array<float> array(std::vector<float>{1, 2, 3});
    address = array.data();
    tensor = as_tensor(array);
  }
  EXPECT_EQ(tensor.data_ptr<float>(), address);
  EXPECT_TRUE(at::equal(tensor, at::tensor({1.0F, 2.0F, 3.0F})));
}

TEST(AsTensor, KeepsShapesAndIntegerTypes) {
  const DenseMatrix matrix{.rows = 2, .cols = 3, .values = std::vector<float>{1, 2, 3, 4, 5, 6}};
  EXPECT_EQ(as_tensor(matrix).sizes(), (at::IntArrayRef{2, 3}));
  EXPECT_EQ(as_tensor(matrix)[1][0].item<float>(), 4);
  EXPECT_EQ(as_tensor(Array<std::int32_t>(std::vector<std::int32_t>{7})).dtype(), at::kInt);
  EXPECT_EQ(as_tensor(Array<std::int64_t>(std::vector<std::int64_t>{7})).dtype(), at::kLong);
}

TEST(AsSparseCsr, MultipliesAsTheMatrixDoes) {
  const CsrMatrix matrix = test::csr(3, {{0, 1}, {0, 2}, {2, 0}}, {2, 3, 5});
  const at::Tensor x = at::tensor({1.0F, 10.0F, 100.0F}).reshape({3, 1});
  const at::Tensor product = at::matmul(as_sparse_csr(matrix), x);
  EXPECT_TRUE(at::equal(product, at::tensor({320.0F, 0.0F, 5.0F}).reshape({3, 1})));
  const CsrMatrix ones = test::csr(3, {{0, 1}, {0, 2}, {2, 0}});
  EXPECT_TRUE(at::equal(at::matmul(as_sparse_csr(ones), x),
                        at::tensor({110.0F, 0.0F, 1.0F}).reshape({3, 1})));
}

}  // namespace
}  // namespace creg
