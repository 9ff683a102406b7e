#include "ops/kept_best.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <limits>

#include "creg/core/random.h"
#include "support/devices.h"

namespace creg::kept_best_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

std::vector<at::Tensor> tensors(const std::vector<std::int64_t>& sizes, double value) {
  std::vector<at::Tensor> made;
  for (const std::int64_t size : sizes) {
    made.push_back(at::full({size}, value, test::options(at::kFloat)));
  }
  return made;
}

void expect_all(const std::vector<at::Tensor>& kept, double value) {
  for (const at::Tensor& one : kept) {
    ASSERT_TRUE(test::equal(one, at::full(one.sizes(), value, at::kFloat)));
  }
}

/// A run as the host would judge it, step by step, beside one that is looked at now and then.
void expect_follows(const std::vector<double>& losses, const std::vector<std::int64_t>& sizes,
                    bool always, int look_every, double lowest = infinity) {
  const std::vector<at::Tensor> parameters = tensors(sizes, 0);
  std::vector<at::Tensor> best = tensors(sizes, -1);
  std::vector<at::Tensor> previous = tensors(sizes, -2);
  const at::Tensor halt = at::zeros({}, test::options(at::kFloat));
  KeptBest kept(parameters, best, previous, halt,
                {.always = always, .lowest = lowest, .most = look_every});
  double best_value = -1;
  double value_before = -2;
  bool halted = false;
  std::size_t seen = 0;
  for (std::size_t step = 0; step < losses.size(); ++step) {
    const auto value = static_cast<double>(step);
    for (const at::Tensor& one : parameters) one.detach().fill_(value);
    kept.judge(test::on(at::tensor({losses[step], value / 3}, at::kDouble)));
    halted = halted || !std::isfinite(losses[step]);
    if (!halted && (always || losses[step] <= lowest)) {
      value_before = best_value;
      best_value = value;
      std::swap(best, previous);
    }
    if (!halted) lowest = std::min(lowest, losses[step]);
    if ((step + 1) % static_cast<std::size_t>(look_every) != 0 && step + 1 < losses.size())
      continue;
    const at::Tensor statistics = kept.look();
    ASSERT_EQ(statistics.sizes(), at::IntArrayRef({static_cast<std::int64_t>(step + 1 - seen), 2}));
    for (std::int64_t row = 0; row < statistics.size(0); ++row, ++seen) {
      const auto loss = statistics[row][0].item<double>();
      EXPECT_TRUE(loss == losses[seen] || (std::isnan(loss) && std::isnan(losses[seen])));
      EXPECT_EQ(statistics[row][1].item<double>(), static_cast<double>(seen) / 3);
    }
    expect_all(best, best_value);
    expect_all(previous, value_before);
    EXPECT_EQ(std::isnan(test::on_host(halt).item<float>()), halted);
  }
}

TEST(KeptBest, FollowsTheHostsRuleWheneverItIsLookedAt) {
  RandomStream stream(3, Purpose::test);
  std::vector<double> losses;
  // Few values, so that many are as low as the lowest.
  for (int i = 0; i < 40; ++i) losses.push_back(std::floor(8 * stream.uniform()) - 0.1 * (i / 8));
  for (const int look_every : {1, 2, 3, 7, 40}) {
    for (const bool always : {false, true}) {
      expect_follows(losses, {5, 1, 3000}, always, look_every);
      expect_follows(losses, {5, 1, 3000}, always, look_every, 2.0);
    }
  }
}

TEST(KeptBest, StopsAtALossThatIsNotFinite) {
  for (const double bad : {not_a_number, infinity, -infinity}) {
    for (const bool always : {false, true}) {
      expect_follows({3, 2, 4, bad, 1, 0}, {9}, always, 6);
      expect_follows({3, 2, 4, bad, 1, 0}, {9}, always, 2);
      expect_follows({bad, 1}, {9}, always, 2);
    }
  }
}

TEST(KeptBest, ManyParametersAndEmptyOnes) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t i = 0; i < 75; ++i) sizes.push_back(i % 5 == 0 ? 0 : 17 * i);
  expect_follows({3, 4, 2, 2, 5, 1}, sizes, false, 3);
  expect_follows({3, 4, 2}, {}, false, 3);
  expect_follows({3, 4, 2}, {1 << 20}, false, 3);
}

TEST(KeptBest, RefusesWhatItCannotKeep) {
  const auto options = test::options(at::kFloat);
  const at::Tensor halt = at::zeros({}, options);
  const std::vector<at::Tensor> one = tensors({4}, 0);
  const std::vector<at::Tensor> other = tensors({3}, 0);
  const KeptBest::Options limits{.most = 2};
  EXPECT_THROW(KeptBest(one, one, other, halt, limits), c10::Error);
  EXPECT_THROW(KeptBest(one, one, {}, halt, limits), c10::Error);
  EXPECT_THROW(KeptBest(one, one, one, at::zeros({2}, options), limits), c10::Error);
  KeptBest kept(one, tensors({4}, 0), tensors({4}, 0), halt, limits);
  EXPECT_THROW(kept.judge(at::zeros({2}, options)), c10::Error);
  const at::Tensor statistics = at::zeros({2}, test::options(at::kDouble));
  kept.judge(statistics);
  kept.judge(statistics);
  EXPECT_THROW(kept.judge(statistics), c10::Error);
}

}  // namespace
}  // namespace creg::kept_best_test
