#include "bench/measure.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <atomic>
#include <memory>

#include "creg/core/error.h"
#include "ops/tensor_memory.h"
#include "support/devices.h"

namespace creg::measure_test {
namespace {

TEST(Spread, MedianAndNearestRanks) {
  const Spread odd = spread_of({5, 1, 4, 2, 3});
  EXPECT_EQ(odd.median, 3);
  EXPECT_EQ(odd.p10, 1);
  EXPECT_EQ(odd.p90, 5);
  EXPECT_EQ(spread_of({4, 1, 2, 3}).median, 2.5);
  EXPECT_EQ(spread_of({7}).p10, 7);
  std::vector<double> twenty;
  for (int i = 20; i > 0; --i) twenty.push_back(i);
  EXPECT_EQ(spread_of(twenty).p10, 2);
  EXPECT_EQ(spread_of(twenty).p90, 18);
  EXPECT_THROW(spread_of({}), Bug);
}

TEST(Measure, TakesTurnsAndLeavesTheWarmUpOut) {
  std::vector<std::string> calls;
  const auto caller = [&](const std::string& name) {
    return Contestant{[&calls, name](int round) { calls.push_back(name + std::to_string(round)); }};
  };
  const std::vector<Measurement> measured =
      measure(Context(), "calls", {.warm_up = 1, .repetitions = 2}, {caller("a"), caller("b")});
  EXPECT_EQ(calls, (std::vector<std::string>{"a0", "b0", "a1", "b1", "a2", "b2"}));
  ASSERT_EQ(measured.size(), 2U);
  EXPECT_EQ(measured[0].ms.size(), 2U);
  EXPECT_EQ(measured[1].ms.size(), 2U);
}

TEST(Measure, CountsWhatIsKeptAndWhatIsMade) {
  install_tensor_memory();
  const at::Tensor kept = at::zeros({1000});
  const std::vector<Measurement> measured =
      measure(Context(), "bytes", {.warm_up = 0, .repetitions = 2},
              {{[](int /*round*/) {
                  { const at::Tensor first = at::empty({500}); }
                  const at::Tensor second = at::empty({300});
                },
                4000},
               {[](int /*round*/) {}, 0}});
  EXPECT_EQ(measured[0].peak_bytes, 4000 + 2000);
  EXPECT_EQ(measured[1].peak_bytes, 0);
}

/// On a GPU the card's bytes are figures of their own, and the host's are without them.
TEST(Measure, TheDevicesMemoryIsAFigureOfItsOwn) {
  install_tensor_memory();
  const Context context = test::context();
  const at::Tensor kept = at::zeros({1000}, test::options(at::kFloat));
  constexpr std::int64_t large = 1 << 20;
  const std::vector<Measurement> measured =
      measure(context, "bytes", {.warm_up = 1, .repetitions = 2},
              {{[&](int round) {
                  const at::Tensor host = at::empty({500});
                  // As a recording does: in the first round alone.
                  at::Tensor there;
                  if (round == 0) there = at::empty({large}, test::options(at::kFloat));
                },
                4000}});
  if (test::device_under_test().type == DeviceType::cpu) {
    EXPECT_FALSE(measured[0].device_peak_bytes.has_value());
    EXPECT_EQ(measured[0].peak_bytes, 4000 + 2000);
  } else {
    // The allocator there may give a little more than was asked for.
    EXPECT_GE(measured[0].device_peak_bytes, 4000 + 4 * large);
    EXPECT_LT(measured[0].device_peak_bytes, 4000 + 6 * large);
    EXPECT_EQ(measured[0].peak_bytes, 2000);
  }
}

TEST(Measure, PlainMemoryIsCountedAndKeepsNothing) {
  install_tensor_memory();
  release_kept_tensor_memory();
  constexpr std::int64_t large = 1 << 20;
  std::vector<std::int64_t> kept;
  const auto run = [&](int /*round*/) {
    { const at::Tensor block = at::empty({large}); }
    kept.push_back(tensor_memory().kept_bytes);
  };
  const std::vector<Measurement> measured =
      measure(Context(), "blocks", {.warm_up = 0, .repetitions = 1}, {{run, 0, true}, {run, 0}});
  EXPECT_EQ(measured[0].peak_bytes, 4 * large);
  EXPECT_EQ(measured[1].peak_bytes, 4 * large);
  EXPECT_EQ(kept[0], 0);
  EXPECT_GE(kept[1], 4 * large);
  release_kept_tensor_memory();
}

TEST(Measure, TimesOfARoundArePiecesOfItAndBytesAreNot) {
  const Measurement one =
      per_piece({.ms = {6, 12}, .cpu_ms = {3, 9}, .peak_bytes = 100, .device_peak_bytes = 70}, 3);
  EXPECT_EQ(one.ms, (std::vector<double>{2, 4}));
  EXPECT_EQ(one.cpu_ms, (std::vector<double>{1, 3}));
  EXPECT_EQ(one.peak_bytes, 100);
  EXPECT_EQ(one.device_peak_bytes, 70);
}

TEST(Measure, StopsOnCtrlC) {
  const auto stop = std::make_shared<std::atomic<bool>>(false);
  const Context context({.stop = stop});
  int rounds = 0;
  EXPECT_THROW(measure(context, "rounds", {.warm_up = 0, .repetitions = 100},
                       {{[&](int /*round*/) {
                           ++rounds;
                           stop->store(true);
                         },
                         0}}),
               Interrupted);
  EXPECT_EQ(rounds, 1);
}

TEST(Speedup, IsTheRatioOfMediansWithTheSpreadOfTheRounds) {
  const Spread ratio = speedup({.ms = {1, 2, 4}}, {.ms = {10, 10, 60}});
  EXPECT_EQ(ratio.median, 5);
  EXPECT_EQ(ratio.p10, 5);
  EXPECT_EQ(ratio.p90, 15);
}

}  // namespace
}  // namespace creg::measure_test
