#include "ops/adam.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <limits>

#include "support/gradients.h"

namespace creg::adam_test {
namespace {

using test::irregular;

/// The rule as it is written down, in double.
struct Reference {
  at::Tensor parameter;
  at::Tensor moment1 = at::zeros_like(parameter);
  at::Tensor moment2 = at::zeros_like(parameter);

  void step(const at::Tensor& gradient, const AdamStep& s) {
    const at::Tensor g = gradient.to(at::kDouble) + s.weight_decay * parameter;
    moment1 = s.beta1 * moment1 + (1 - s.beta1) * g;
    moment2 = s.beta2 * moment2 + (1 - s.beta2) * g * g;
    const auto t = static_cast<double>(s.step);
    const at::Tensor mean = moment1 / (1 - std::pow(s.beta1, t));
    const at::Tensor square = moment2 / (1 - std::pow(s.beta2, t));
    parameter = parameter - s.lr * mean / (square.sqrt() + s.eps);
  }
};

/// On the device under test, as are the gradients it is given.
struct State {
  explicit State(const at::Tensor& values) : parameter(test::on(values)) {}

  void step(const at::Tensor& gradient, const AdamStep& settings,
            const at::Tensor& guard = {}) const {
    adam_step(parameter, test::on(gradient), moment1, moment2, settings, test::on(guard));
  }

  at::Tensor parameter;
  at::Tensor moment1 = at::zeros_like(parameter);
  at::Tensor moment2 = at::zeros_like(parameter);
};

/// Follows both for ten steps. Parameters move by some lr, so the difference is told in those.
void expect_follows(std::int64_t size, AdamStep settings, double gradient_scale = 1) {
  const State state{irregular({size})};
  Reference reference{irregular({size}).to(at::kDouble)};
  for (int t = 1; t <= 10; ++t) {
    settings.step = t;
    const at::Tensor gradient = irregular({size}, t) * gradient_scale;
    state.step(gradient, settings);
    reference.step(gradient, settings);
    const at::Tensor off = test::on_host(state.parameter).to(at::kDouble) - reference.parameter;
    // Float's own rounding of values below 1, and a share of the step.
    ASSERT_LT(off.abs().max().item<double>(), t * (6e-8 + 2e-5 * settings.lr))
        << size << " values, step " << t;
  }
  EXPECT_LT(test::distance(state.moment1 / gradient_scale, reference.moment1 / gradient_scale),
            1e-5);
  EXPECT_LT(test::distance(state.moment2 / (gradient_scale * gradient_scale),
                           reference.moment2 / (gradient_scale * gradient_scale)),
            1e-5);
}

TEST(AdamStep, FollowsTheFormula) {
  for (const std::int64_t size : {1, 7, 64, 1001}) expect_follows(size, {.lr = 1e-2});
}

TEST(AdamStep, FollowsTheFormulaOverSeveralPieces) {
  expect_follows(100003, {.lr = 1e-2, .weight_decay = 5e-4});
}

TEST(AdamStep, WeightDecayIsAddedToTheGradient) {
  expect_follows(100, {.lr = 1e-2, .weight_decay = 0.3});
  // Decay alone pulls towards zero, by about lr at first whatever its size: it passes the moments.
  const State state{at::full({3}, 0.5F)};
  state.step(at::zeros({3}), {.lr = 1e-2, .weight_decay = 1e-3});
  EXPECT_NEAR(state.parameter[0].item<float>(), 0.49, 1e-5);
}

TEST(AdamStep, OtherSettingsFollowTheFormulaToo) {
  expect_follows(100, {.lr = 0.1, .beta1 = 0.5, .beta2 = 0.9, .eps = 0.1});
}

/// Gradients about as small as eps: a misplaced eps would show here.
TEST(AdamStep, TinyGradientsMeetEps) {
  expect_follows(100, {.lr = 1e-2}, 1e-8);
  expect_follows(100, {.lr = 1e-2}, 1e-10);
}

TEST(AdamStep, WithoutAGradientNothingMoves) {
  const State state{irregular({10})};
  state.step(at::zeros({10}), {});
  EXPECT_TRUE(test::equal(state.parameter, irregular({10})));
}

TEST(AdamStep, AGuardThatIsNotFiniteKeepsEverythingAsItIs) {
  const at::Tensor gradient = irregular({100}, 1);
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    const State state{irregular({100})};
    state.step(gradient, {}, at::full({1}, bad));
    EXPECT_TRUE(test::equal(state.parameter, irregular({100})));
    EXPECT_TRUE(test::equal(state.moment1, at::zeros({100})));
    EXPECT_TRUE(test::equal(state.moment2, at::zeros({100})));
  }
  const State guarded{irregular({100})};
  const State plain{irregular({100})};
  guarded.step(gradient, {}, at::full({1}, 3.0F));
  plain.step(gradient, {});
  EXPECT_FALSE(test::equal(plain.parameter, irregular({100})));
  EXPECT_TRUE(test::equal(guarded.parameter, plain.parameter));
  EXPECT_TRUE(test::equal(guarded.moment2, plain.moment2));
}

TEST(AdamStep, ThreadsDoNotChangeTheBits) {
  const int threads = at::get_num_threads();
  const at::Tensor gradient = irregular({200001}, 1);
  const auto after = [&](int count) {
    at::set_num_threads(count);
    const State state{irregular({200001})};
    for (int t = 1; t <= 3; ++t) state.step(gradient, {.weight_decay = 1e-3, .step = t});
    return state.parameter;
  };
  const at::Tensor alone = after(1);
  EXPECT_TRUE(test::equal(alone, after(2)));
  EXPECT_TRUE(test::equal(alone, after(3)));
  at::set_num_threads(threads);
}

TEST(AdamStep, TakesGradientsInAnyOrderOfMemory) {
  const at::Tensor gradient = test::on(irregular({5, 8}));
  const State one{irregular({8, 5}, 1)};
  const State other{one.parameter.clone()};
  one.step(gradient.t(), {});
  other.step(gradient.t().contiguous(), {});
  EXPECT_TRUE(test::equal(one.parameter, other.parameter));
}

TEST(AdamStep, EmptyTensorsAreFine) {
  const State state{at::empty({0})};
  EXPECT_NO_THROW(state.step(at::empty({0}), {}));
}

TEST(AdamStep, RefusesOtherSizesTypesAndLayouts) {
  const State state{at::zeros({4})};
  EXPECT_THROW(state.step(at::zeros({3}), {}), c10::Error);
  EXPECT_THROW(state.step(at::zeros({4}, at::kDouble), {}), c10::Error);
  const auto zeros = [](at::IntArrayRef shape) {
    return at::zeros(shape, test::options(at::kFloat));
  };
  EXPECT_THROW(adam_step(zeros({4}), zeros({4}), zeros({5}), zeros({4}), {}), c10::Error);
  EXPECT_THROW(adam_step(zeros({4}), zeros({4}), zeros({4}), zeros({1}), {}), c10::Error);
  // In place on a copy would be lost.
  EXPECT_THROW(adam_step(zeros({2, 3}).t(), zeros({3, 2}), zeros({3, 2}), zeros({3, 2}), {}),
               c10::Error);
}

}  // namespace
}  // namespace creg::adam_test
