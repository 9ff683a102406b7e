#include "creg/nn/parameter_list.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "creg/core/error.h"
#include "creg/nn/encoder.h"
#include "ops/random.h"
#include "support/devices.h"
#include "support/expect_error.h"

namespace creg::parameter_list_test {
namespace {

TEST(ParameterList, UniformFillsItsRange) {
  ParameterList parameters(1, test::tensor_device());
  const at::Tensor value = parameters.uniform("w", {100, 100}, 0.5);
  EXPECT_TRUE(value.requires_grad());
  EXPECT_LT(value.abs().max().item<float>(), 0.5F + 1e-6F);
  EXPECT_NEAR(value.detach().to(at::kDouble).mean().item<double>(), 0, 0.01);
  // The variance of U(-b, b) is b² / 3.
  EXPECT_NEAR(value.detach().to(at::kDouble).pow(2).mean().item<double>(), 0.25 / 3, 0.002);
}

TEST(ParameterList, NormalHasItsDeviation) {
  ParameterList parameters(1, test::tensor_device());
  const at::Tensor value = parameters.normal("w", {100, 100}, 0.5).detach().to(at::kDouble);
  EXPECT_NEAR(value.mean().item<double>(), 0, 0.02);
  EXPECT_NEAR(value.square().mean().item<double>(), 0.25, 0.01);
  EXPECT_NEAR(value.pow(4).mean().item<double>(), 3 * 0.25 * 0.25, 0.02);
}

TEST(ParameterList, AValueDependsOnSeedAndNameAlone) {
  ParameterList first(1, test::tensor_device());
  const at::Tensor alone = first.uniform("w", {20}, 1);
  ParameterList second(1, test::tensor_device());
  const at::Tensor other = second.uniform("v", {20}, 1);
  const at::Tensor after = second.uniform("w", {20}, 1);
  ParameterList third(2, test::tensor_device());
  EXPECT_TRUE(test::equal(alone, after));
  EXPECT_FALSE(test::equal(alone, other));
  EXPECT_FALSE(test::equal(alone, third.uniform("w", {20}, 1)));
  ParameterList of_the_cpu(1);
  EXPECT_TRUE(test::equal(alone, of_the_cpu.uniform("w", {20}, 1)));
}

/// The stream of a parameter is the FNV-1a hash of its name, less its upper 16 bits; these two are
/// published examples of it, af63dc4c8601ec8c and 85944171f73967e8.
TEST(ParameterList, TheStreamOfAValueIsTheHashOfItsName) {
  for (const auto& [name, item] :
       {std::pair{"a", 0xdc4c8601ec8cULL}, std::pair{"foobar", 0x4171f73967e8ULL}}) {
    ParameterList parameters(3);
    const RandomKey key{.seed = 3, .purpose = Purpose::initialisation, .item = item};
    EXPECT_TRUE(at::equal(parameters.uniform(name, {4, 5}, 0.5),
                          draw_symmetric(at::kCPU, 1, 20, 0.5, key).view({4, 5})));
  }
}

TEST(ParameterList, NamesAreUnique) {
  ParameterList parameters(1, test::tensor_device());
  parameters.constant("b", {3}, 0);
  EXPECT_THROW(parameters.constant("b", {3}, 0), Bug);
}

TEST(ParameterList, AdoptsTensorsOfOthers) {
  ParameterList parameters(1, test::tensor_device());
  const auto floats = at::TensorOptions().dtype(at::kFloat).device(test::tensor_device());
  const at::Tensor own = at::full({2, 3}, 4.0, floats);
  parameters.adopt("theirs", own);
  ASSERT_EQ(parameters.all().size(), 1U);
  EXPECT_TRUE(parameters.all().front().value.is_same(own));
  EXPECT_TRUE(own.requires_grad());
  const auto refuse = [&](const at::Tensor& tensor, const std::string& found) {
    test::expect_error([&] { parameters.adopt("bad", tensor); }, {"bad", found});
  };
  refuse(at::ones({2}, floats.dtype(at::kDouble)), "Double");
  refuse(at::ones({4, 2}, floats).t(), "strided");
  refuse(at::ones({2}, floats).requires_grad_() * 2, "result of other tensors");
  refuse(at::ones({2}, floats.device(c10::kMeta)), "meta");
}

TEST(ParameterList, SomeAreKeptAndNotTrained) {
  ParameterList parameters(0, test::tensor_device());
  const at::Tensor mean = test::on(at::ones({3}));
  parameters.adopt_untrained("mean", mean);
  EXPECT_TRUE(parameters.all().front().value.is_same(mean));
  EXPECT_FALSE(mean.requires_grad());
  test::expect_error([&] { parameters.adopt_untrained("bad", mean.to(at::kLong)); },
                     {"bad", "Long"});
}

double bound_of(const ParameterList& parameters, const std::string& name) {
  for (const NamedTensor& item : parameters.all()) {
    if (item.name == name) return item.value.abs().max().item<double>();
  }
  return -1;
}

/// The largest of some thousand uniform values lies just below the bound.
TEST(Initialisation, FollowsTheEncodersOwnRules) {
  constexpr int in = 300;
  constexpr int dim = 64;
  const auto made = [](EncoderKind kind) {
    ParameterList parameters(0, test::tensor_device());
    make_encoder({.kind = kind, .dim = dim, .heads = 4}, in, parameters);
    return parameters;
  };
  const ParameterList gcn = made(EncoderKind::gcn);
  EXPECT_NEAR(bound_of(gcn, "encoder.0.weight"), std::sqrt(6.0 / (in + dim)), 1e-3);
  EXPECT_EQ(bound_of(gcn, "encoder.0.bias"), 0);
  EXPECT_EQ(bound_of(gcn, "encoder.0.slope"), 0.25);
  ParameterList normalised(0);
  make_encoder({.dim = dim, .layer_norm = true}, in, normalised);
  EXPECT_EQ(bound_of(normalised, "encoder.0.norm_scale"), 1);
  EXPECT_EQ(bound_of(normalised, "encoder.0.norm_shift"), 0);
  const ParameterList gat = made(EncoderKind::gat);
  EXPECT_NEAR(bound_of(gat, "encoder.0.weight"), std::sqrt(6.0 / (in + dim)), 1e-3);
  EXPECT_NEAR(bound_of(gat, "encoder.0.attention_source"), std::sqrt(6.0 / (4 + 16)), 0.05);
  const ParameterList gin = made(EncoderKind::gin);
  EXPECT_NEAR(bound_of(gin, "encoder.0.weight1"), 1 / std::sqrt(in), 1e-3);
  EXPECT_NEAR(bound_of(gin, "encoder.0.bias1"), 1 / std::sqrt(in), 2e-3);
  EXPECT_NEAR(bound_of(gin, "encoder.0.weight2"), 1 / std::sqrt(2 * dim), 1e-3);
  const ParameterList sage = made(EncoderKind::sage);
  EXPECT_NEAR(bound_of(sage, "encoder.0.weight"), std::sqrt(2.0) * std::sqrt(6.0 / (in + dim)),
              1e-3);
  EXPECT_NEAR(bound_of(sage, "encoder.0.bias"), 1 / std::sqrt(in), 3e-3);
}

}  // namespace
}  // namespace creg::parameter_list_test
