#include "ops/tensors.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "support/devices.h"
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

TEST(TensorOn, TakesTheListOver) {
  const Context context;
  std::vector<double> list = {3, -1};
  const double* const address = list.data();
  const at::Tensor tensor = tensor_on(context, std::move(list));
  EXPECT_EQ(tensor.data_ptr<double>(), address);
  EXPECT_TRUE(at::equal(tensor, at::tensor({3.0, -1.0}, at::kDouble)));
  EXPECT_EQ(tensor_on(context, std::vector<std::int64_t>{}).numel(), 0);
}

TEST(TensorOn, AndBackWhateverTheDevice) {
  const Context context = test::context();
  const at::Tensor list = tensor_on(context, std::vector<std::int32_t>{3, -1, 7});
  EXPECT_EQ(list.device(), test::tensor_device());
  EXPECT_EQ(list.dtype(), at::kInt);
  const auto back = host_array<std::int32_t>(list);
  EXPECT_EQ(std::vector<std::int32_t>(back.begin(), back.end()),
            (std::vector<std::int32_t>{3, -1, 7}));
  EXPECT_TRUE(on_device(context, list).is_same(list));

  const DenseMatrix matrix{.rows = 2, .cols = 2, .values = std::vector<float>{1, 2, 3, 4}};
  const at::Tensor there = as_tensor(context, matrix);
  EXPECT_EQ(there.device(), test::tensor_device());
  const DenseMatrix turned = as_dense(there.t());
  EXPECT_EQ(std::vector<float>(turned.values.begin(), turned.values.end()),
            (std::vector<float>{1, 3, 2, 4}));
}

TEST(OnDevice, LeavesATensorThatIsThereAlone) {
  const Context context;
  const at::Tensor tensor = at::ones({3});
  EXPECT_TRUE(on_device(context, tensor).is_same(tensor));
  const Array<float> array(std::vector<float>{1, 2, 3});
  EXPECT_EQ(as_tensor(context, array).data_ptr<float>(), array.data());
}

TEST(HostArray, SharesTheMemoryAndKeepsItAlive) {
  Array<std::int64_t> array;
  const std::int64_t* address = nullptr;
  {
    const at::Tensor tensor = at::arange(6, at::kLong);
    address = tensor.data_ptr<std::int64_t>();
    array = host_array<std::int64_t>(tensor);
  }
  EXPECT_EQ(array.data(), address);
  EXPECT_EQ(array.size(), 6);
  EXPECT_EQ(array[5], 5);
}

TEST(HostArray, CopiesWhatIsNotInOnePiece) {
  const at::Tensor tensor = at::arange(6, at::kFloat).view({2, 3}).t();
  const auto array = host_array<float>(tensor);
  EXPECT_EQ(std::vector<float>(array.begin(), array.end()), (std::vector<float>{0, 3, 1, 4, 2, 5}));
  EXPECT_THROW(host_array<double>(tensor), c10::Error);
  EXPECT_TRUE(host_array<std::int32_t>(at::empty({0}, at::kInt)).empty());
}

TEST(HostSpan, IsWrittenTo) {
  at::Tensor tensor = at::zeros({2, 2});
  host_span<float>(tensor)[3] = 5;
  EXPECT_EQ(tensor[1][1].item<float>(), 5);
  at::Tensor turned = at::arange(6, at::kFloat).view({2, 3}).t();
  EXPECT_THROW(host_span<float>(turned), c10::Error);
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
