#include "ops/tensors.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "support/graphs.h"

namespace creg::tensors_test {
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

TEST(AsDense, SharesTheMemoryAndKeepsItAlive) {
  DenseMatrix matrix;
  const float* address = nullptr;
  {
    at::Tensor tensor = at::arange(6, at::kFloat).reshape({2, 3}).set_requires_grad(true);
    address = tensor.data_ptr<float>();
    matrix = as_dense(tensor);
  }
  EXPECT_EQ(matrix.values.data(), address);
  EXPECT_EQ(matrix.rows, 2);
  EXPECT_EQ(matrix.cols, 3);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(matrix.values[i], static_cast<float>(i));
  EXPECT_TRUE(at::equal(as_tensor(matrix), at::arange(6, at::kFloat).reshape({2, 3})));
}

TEST(AsDense, BringsOtherLayoutsAndTypesIntoForm) {
  const at::Tensor tensor = at::arange(6, at::kFloat).reshape({2, 3});
  const DenseMatrix turned = as_dense(tensor.t());
  EXPECT_EQ(turned.rows, 3);
  EXPECT_EQ(turned.cols, 2);
  EXPECT_TRUE(at::equal(as_tensor(turned), tensor.t()));
  const DenseMatrix part = as_dense(tensor.slice(1, 1));
  EXPECT_TRUE(at::equal(as_tensor(part), at::tensor({1.0F, 2.0F, 4.0F, 5.0F}).reshape({2, 2})));
  const DenseMatrix narrowed = as_dense(tensor.to(at::kDouble) / 4);
  EXPECT_TRUE(at::equal(as_tensor(narrowed), tensor / 4));
}

TEST(AsDense, EmptyMatricesKeepTheirShape) {
  const DenseMatrix matrix = as_dense(at::empty({0, 4}));
  EXPECT_EQ(matrix.rows, 0);
  EXPECT_EQ(matrix.cols, 4);
  EXPECT_TRUE(matrix.values.empty());
}

TEST(IndexTensor, TakesTheListOver) {
  std::vector<std::int32_t> list = {3, -1, 2147483647};
  const std::int32_t* const address = list.data();
  const at::Tensor tensor = index_tensor(std::move(list));
  EXPECT_EQ(tensor.data_ptr<std::int32_t>(), address);
  EXPECT_EQ(tensor.dtype(), at::kInt);
  EXPECT_TRUE(at::equal(tensor, at::tensor({3, -1, 2147483647}, at::kInt)));
  EXPECT_EQ(index_tensor({}).numel(), 0);
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
}  // namespace creg::tensors_test
