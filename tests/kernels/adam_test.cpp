#include "kernels/adam.h"

#include <gtest/gtest.h>

#include <vector>

#include "creg/core/random.h"

namespace creg::adam_test {
namespace {

/// The rule as it is written down.
struct Rule {
  std::vector<double> x;
  std::vector<double> mean = std::vector<double>(x.size(), 0);
  std::vector<double> square = std::vector<double>(x.size(), 0);

  void step(const std::vector<double>& gradient, const AdamStep& s) {
    const auto t = static_cast<double>(s.step);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double g = gradient[i] + s.weight_decay * x[i];
      mean[i] = s.beta1 * mean[i] + (1 - s.beta1) * g;
      square[i] = s.beta2 * square[i] + (1 - s.beta2) * g * g;
      const double unbiased = mean[i] / (1 - std::pow(s.beta1, t));
      x[i] -= s.lr * unbiased / (std::sqrt(square[i] / (1 - std::pow(s.beta2, t))) + s.eps);
    }
  }
};

template <class T>
void expect_follows(std::size_t size, AdamStep settings, double tolerance) {
  RandomStream stream(2, Purpose::test);
  Rule rule{std::vector<double>(size)};
  for (double& value : rule.x) value = stream.normal();
  std::vector<T> x(rule.x.begin(), rule.x.end());
  std::vector<T> mean(size, 0);
  std::vector<T> square(size, 0);
  std::vector<double> gradient(size);
  const OneWorker worker;
  for (int t = 1; t <= 8; ++t) {
    settings.step = t;
    for (double& value : gradient) value = stream.normal();
    rule.step(gradient, settings);
    const std::vector<T> rounded(gradient.begin(), gradient.end());
    auto values = kernels::adam_values<T>(settings);
    values.parameter = x.data();
    values.gradient = rounded.data();
    values.moment1 = mean.data();
    values.moment2 = square.data();
    values.count = static_cast<std::int64_t>(size);
    cpu::adam({.workers = &worker}, values);
    for (std::size_t i = 0; i < size; ++i) ASSERT_NEAR(x[i], rule.x[i], tolerance) << "step " << t;
  }
}

TEST(AdamKernel, FollowsTheRuleInBothPrecisions) {
  for (const std::size_t size : {1, 7, 16, 101}) {
    expect_follows<float>(size, {.lr = 1e-2, .weight_decay = 5e-4}, 4e-6);
    expect_follows<double>(size, {.lr = 1e-2, .weight_decay = 5e-4}, 1e-14);
  }
}

}  // namespace
}  // namespace creg::adam_test
