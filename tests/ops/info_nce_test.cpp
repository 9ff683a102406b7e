#include "creg/ops/info_nce.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <string>
#include <utility>

#include "ops/runtime.h"
#include "ops/tensor_memory.h"
#include "support/gradients.h"
#include "support/precisions.h"

namespace creg::info_nce_test {
namespace {

using test::distance;
using test::expect_matches;
using test::irregular;

/// The formula as it is written, with all similarities at once.
at::Tensor plain(const at::Tensor& u, const at::Tensor& v, double temperature,
                 ViewNegatives negatives) {
  const auto unit = [](const at::Tensor& x) { return x / x.norm(2, 1, true).clamp_min(1e-12); };
  const auto one_way = [&](const at::Tensor& a, const at::Tensor& b) {
    const at::Tensor own = at::exp(a.mm(a.t()) / temperature);
    const at::Tensor other = at::exp(a.mm(b.t()) / temperature);
    at::Tensor below = own.sum(1) - own.diagonal();
    below = below + (negatives == ViewNegatives::both_views ? other.sum(1) : other.diagonal());
    return -at::log(other.diagonal() / below);
  };
  const at::Tensor x = unit(u);
  const at::Tensor y = unit(v);
  return ((one_way(x, y) + one_way(y, x)) / 2).mean();
}

// So many rows that a GPU meets each pair once, and no multiple of its tiles.
constexpr std::int64_t many = 4150;

/// Of so many.
double by_pieces(const at::Tensor& u, const at::Tensor& v, double temperature,
                 ViewNegatives negatives) {
  const auto unit = [](const at::Tensor& x) {
    const at::Tensor exact = x.to(at::kDouble);
    return exact / exact.norm(2, 1, true);
  };
  const at::Tensor both = at::cat({unit(u), unit(v)});
  const at::Tensor own = (both.narrow(0, 0, many) * both.narrow(0, many, many)).sum(1);
  double loss = -own.mean().item<double>() / temperature;
  const bool all = negatives == ViewNegatives::both_views;
  constexpr std::int64_t piece = 415;
  for (std::int64_t first = 0; first < 2 * many; first += piece) {
    const at::Tensor rows = both.narrow(0, first, piece);
    const bool second = first >= many;
    const at::Tensor others = all ? both : both.narrow(0, second ? many : 0, many);
    at::Tensor sums = (rows.mm(others.t()) / temperature).exp().sum(1) - std::exp(1 / temperature);
    if (!all) sums += (own.narrow(0, second ? first - many : first, piece) / temperature).exp();
    loss += sums.log().sum().item<double>() / (2 * many);
  }
  return loss;
}

class InfoNce : public testing::TestWithParam<ViewNegatives> {
 protected:
  InfoNce() { prepare_torch(context_); }
  Context context_ = test::context({.threads = 2});
};

TEST_P(InfoNce, MatchesTheFormulaAndItsDifferences) {
  for (const std::int64_t nodes : {1, 2, 7, 19}) {
    for (const std::int64_t block : {0, 1, 4}) {
      for (const double temperature : {0.3, 1.0}) {
        SCOPED_TRACE("nodes " + std::to_string(nodes) + ", block " + std::to_string(block));
        const at::Tensor u = irregular({nodes, 5});
        const at::Tensor v = irregular({nodes, 5}, 2);
        expect_matches(
            [&](const test::Tensors& x) {
              return info_nce(context_, x[0], x[1], temperature, GetParam(), block);
            },
            [&](const test::Tensors& x) { return plain(x[0], x[1], temperature, GetParam()); },
            {u, v});
      }
    }
  }
}

TEST_P(InfoNce, HasNoSecondDerivative) {
  test::expect_no_second_derivative(
      [&](const test::Tensors& x) { return info_nce(context_, x[0], x[1], 0.5, GetParam()); },
      {irregular({7, 5}), irregular({7, 5}, 2)});
}

TEST_P(InfoNce, LargeOnesAgreeWithThePlainFormulaInDouble) {
  const at::Tensor u = irregular({700, 16});
  const at::Tensor v = irregular({700, 16}, 5) + u;
  for (const double temperature : {0.1, 0.5}) {
    const at::Tensor a = test::on(u).clone().set_requires_grad(true);
    const at::Tensor b = test::on(v).clone().set_requires_grad(true);
    const at::Tensor loss = info_nce(context_, a, b, temperature, GetParam());
    loss.backward();
    at::Tensor x = u.to(at::kDouble).set_requires_grad(true);
    at::Tensor y = v.to(at::kDouble).set_requires_grad(true);
    const at::Tensor wanted = plain(x, y, temperature, GetParam());
    wanted.backward();
    EXPECT_NEAR(loss.item<double>(), wanted.item<double>(), 1e-5 * wanted.item<double>());
    const double size = x.grad().abs().max().item<double>();
    EXPECT_LT((test::on_host(a.grad()).to(at::kDouble) - x.grad()).abs().max().item<double>(),
              1e-5 * size + 1e-9);
    EXPECT_LT((test::on_host(b.grad()).to(at::kDouble) - y.grad()).abs().max().item<double>(),
              1e-5 * size + 1e-9);
  }
}

TEST_P(InfoNce, OfMoreThanAGpuMeetsBothWays) {
  const at::Tensor u = irregular({many, 3});
  const at::Tensor v = irregular({many, 3}, 2);
  const double expected = by_pieces(u, v, 0.5, GetParam());
  const double found = info_nce(context_, test::on(u), test::on(v), 0.5, GetParam()).item<double>();
  EXPECT_NEAR(found, expected, 3e-6 * std::abs(expected));
}

TEST_P(InfoNce, DoesNotDependOnThreads) {
  const at::Tensor u = test::on(irregular({600, 8}));
  const at::Tensor v = test::on(irregular({600, 8}, 1));
  const auto run = [&](int threads) {
    const Context context = test::context({.threads = threads});
    prepare_torch(context);
    at::Tensor a = u.clone().set_requires_grad(true);
    const at::Tensor loss = info_nce(context, a, v, 0.4, GetParam());
    loss.backward();
    return std::pair{loss.detach(), a.grad()};
  };
  const auto [one, one_gradient] = run(1);
  const auto [two, two_gradient] = run(2);
  EXPECT_EQ(one.item<float>(), two.item<float>());
  EXPECT_TRUE(test::same_bytes(one_gradient, two_gradient));
}

/// What is counted is the CPU's.
TEST_P(InfoNce, TakesNoMemoryLikeTheSquareOfTheNodes) {
  const Context context(Context::Options{.threads = 2});
  install_tensor_memory();
  const std::int64_t nodes = 4000;
  const at::Tensor u = irregular({nodes, 8}).set_requires_grad(true);
  const at::Tensor v = irregular({nodes, 8}, 1);
  const std::int64_t before = tensor_memory().live_bytes;
  reset_peak_tensor_memory();
  info_nce(context, u, v, 0.5, GetParam()).backward();
  EXPECT_LT(tensor_memory().peak_bytes - before, nodes * nodes * 4 / 8);
}

INSTANTIATE_TEST_SUITE_P(Both, InfoNce,
                         testing::Values(ViewNegatives::both_views, ViewNegatives::own_view));

// Mistakes of single products are of all signs: of their mean a tenth of these bounds is seen.
class InfoNceInLess : public test::OnTensorCores {};

TEST_P(InfoNceInLess, IsAsExactAsItsProducts) {
  // One panel of features, and several.
  for (const auto& [nodes, width] : {std::pair<std::int64_t, std::int64_t>{700, 16}, {900, 200}}) {
    SCOPED_TRACE(std::to_string(nodes) + " nodes, width " + std::to_string(width));
    constexpr double temperature = 0.5;
    const at::Tensor u = irregular({nodes, width});
    const at::Tensor v = irregular({nodes, width}, 5) + u;
    const auto found = [&](const Context& context) {
      const at::Tensor a = test::on(u).clone().set_requires_grad(true);
      const at::Tensor loss = info_nce(context, a, test::on(v), temperature);
      loss.backward();
      return std::pair{loss.detach(), a.grad()};
    };
    const auto [loss, gradient] = found(context_);
    at::Tensor x = u.to(at::kDouble).set_requires_grad(true);
    const at::Tensor wanted = plain(x, v.to(at::kDouble), temperature, ViewNegatives::both_views);
    wanted.backward();
    EXPECT_NEAR(loss.item<double>(), wanted.item<double>(), rounding_ / temperature / 4);
    const double size = x.grad().abs().max().item<double>();
    EXPECT_LT((test::on_host(gradient).to(at::kDouble) - x.grad()).abs().max().item<double>(),
              rounding_ / temperature * size);
    EXPECT_FALSE(test::same_bytes(gradient, found(test::context({.threads = 1})).second))
        << "these are the products of fp32";
  }
}

TEST_P(InfoNceInLess, OfMoreThanAGpuMeetsBothWaysToo) {
  constexpr double temperature = 0.5;
  const at::Tensor u = irregular({many, 40});
  const at::Tensor v = irregular({many, 40}, 2);
  for (const ViewNegatives negatives : {ViewNegatives::both_views, ViewNegatives::own_view}) {
    const double found =
        info_nce(context_, test::on(u), test::on(v), temperature, negatives).item<double>();
    EXPECT_NEAR(found, by_pieces(u, v, temperature, negatives), rounding_ / temperature / 4);
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions, InfoNceInLess, test::tensor_core_precisions,
                         test::precision_name);

}  // namespace
}  // namespace creg::info_nce_test
