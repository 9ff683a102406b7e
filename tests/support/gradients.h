// An op against a plain formula: its value, and its gradients by central differences of the formula
// in double, so that neither the op's backward pass nor autograd is its own witness.
#pragma once

#include <gtest/gtest.h>
#include <torch/types.h>

#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "support/devices.h"

namespace creg::test {

using Tensors = std::vector<at::Tensor>;
using Formula = std::function<at::Tensor(const Tensors&)>;

/// Values in (-1, 1) that look irregular and are the same everywhere.
inline at::Tensor irregular(at::IntArrayRef shape, double phase = 0) {
  const at::Tensor index = at::arange(c10::multiply_integers(shape), at::kDouble);
  return at::sin(index * 12.9898 + phase * 7.31 + 1).mul(0.9).to(at::kFloat).reshape(shape);
}

/// Largest difference over the larger of 1 and the reference's largest value.
inline double distance(const at::Tensor& value, const at::Tensor& reference) {
  if (reference.numel() == 0) return 0;
  const at::Tensor wanted = on_host(reference).to(at::kDouble);
  const double scale = std::max(1.0, wanted.abs().max().item<double>());
  return (on_host(value).to(at::kDouble) - wanted).abs().max().item<double>() / scale;
}

/// `op` works on float32 inputs on the device under test, `formula` on the same in double on the
/// CPU. The gradients of sum(output · irregular weights) are compared for every input.
inline void expect_matches(const Formula& op, const Formula& formula, const Tensors& inputs,
                           double tolerance = 2e-5) {
  Tensors leaves;
  Tensors exact;
  for (const at::Tensor& input : inputs) {
    leaves.push_back(on(input).clone().detach().set_requires_grad(true));
    exact.push_back(on_host(input).to(at::kDouble).clone());
  }
  const at::Tensor output = op(leaves);
  const at::Tensor wanted = formula(exact);
  ASSERT_EQ(output.sizes(), wanted.sizes());
  EXPECT_LT(distance(output.detach(), wanted), tolerance) << "the value";

  const at::Tensor weights = irregular(output.sizes(), 3);
  (output * on(weights)).sum().backward();
  const at::Tensor exact_weights = weights.to(at::kDouble);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    at::Tensor difference = at::zeros_like(exact[i]);
    double* const values = exact[i].data_ptr<double>();
    double* const slopes = difference.data_ptr<double>();
    constexpr double step = 1e-5;
    for (std::int64_t j = 0; j < exact[i].numel(); ++j) {
      const double kept = values[j];
      values[j] = kept + step;
      const double above = (formula(exact) * exact_weights).sum().item<double>();
      values[j] = kept - step;
      const double below = (formula(exact) * exact_weights).sum().item<double>();
      values[j] = kept;
      slopes[j] = (above - below) / (2 * step);
    }
    ASSERT_TRUE(leaves[i].grad().defined()) << "no gradient for input " << i;
    EXPECT_LT(distance(leaves[i].grad(), difference), 10 * tolerance)
        << "the gradient of input " << i;
  }
}

/// The op's gradients may be looked at under create_graph; differentiating them is an error that
/// says so, for autograd would make wrong numbers of them.
inline void expect_no_second_derivative(const Formula& op, const Tensors& inputs) {
  Tensors leaves;
  for (const at::Tensor& input : inputs) {
    leaves.push_back(on(input).clone().detach().set_requires_grad(true));
  }
  op(leaves).sum().backward({}, /*retain_graph=*/true, /*create_graph=*/true);
  for (const at::Tensor& leaf : leaves) {
    ASSERT_TRUE(leaf.grad().defined());
    try {
      leaf.grad().square().sum().backward({}, /*retain_graph=*/true);
      ADD_FAILURE() << "a second derivative came out";
    } catch (const std::exception& error) {
      EXPECT_NE(std::string(error.what()).find("has no second derivative"), std::string::npos)
          << error.what();
    }
    leaf.mutable_grad() = at::Tensor();  // it and its graph hold each other
  }
}

}  // namespace creg::test
