// Steps from a recording against what each is by itself. On a device that records nothing every
// step is started plainly.
#include "ops/step_recorder.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <vector>

#include "ops/csr.h"
#include "ops/laplacian.h"
#include "ops/random.h"
#include "ops/slow_copy.h"
#include "support/gradients.h"
#include "support/graphs.h"

namespace creg::step_recorder_test {
namespace {

constexpr std::uint32_t steps = 9;

at::Tensor floats(std::int64_t count) {
  return at::zeros({count}, test::options(at::kFloat));
}

std::vector<float> values_of(const at::Tensor& tensor) {
  const at::Tensor host = test::on_host(tensor).contiguous();
  return {host.data_ptr<float>(), host.data_ptr<float>() + host.numel()};
}

/// What comes of a step, one number after the other.
std::vector<float> uniform_by_hand(std::uint32_t step) {
  RandomStream stream(9, Purpose::direction, step, 4);
  std::vector<float> out(11);
  for (float& value : out) value = stream.uniform();
  return out;
}

std::vector<float> noise_by_hand(std::uint32_t step, std::int64_t rows, std::int64_t cols) {
  const std::uint64_t seed = RandomStream(9, Purpose::activation_noise, step, 2).bits64();
  std::vector<float> out;
  for (std::int64_t r = 0; r < rows; ++r) {
    RandomStream stream(seed, Purpose::dropout, 3, static_cast<std::uint64_t>(r));
    for (std::int64_t c = 0; c < cols; ++c) out.push_back(stream() * 0x1p-32 < 0.5 ? 0.0F : 2.0F);
  }
  return out;
}

TEST(StepRecorder, DrawsAreThoseOfTheStep) {
  const Context context = test::context(3);
  const c10::Device device = test::tensor_device();
  StepRecorder recorder(context);
  const at::Tensor uniform = floats(11);
  const at::Tensor rows = floats(30 * 5);
  const at::Tensor entries = floats(30 * 5);
  const at::Tensor offsets = at::arange(0, 31 * 5, 5, test::options(at::kLong));
  for (std::uint32_t step = 4; step < 4 + steps; ++step) {
    recorder.run({.step = step}, [&] {
      const DrawKey noise =
          DrawKey::of_noise({9, Purpose::activation_noise, step, 2}, Purpose::dropout, 3);
      uniform.copy_(draw_uniform(device, 1, 11, 1, RandomKey{9, Purpose::direction, step, 4})[0]);
      rows.copy_(draw_dropout(device, 30, 5, 0.5, noise).view({-1}));
      entries.copy_(draw_dropout(offsets, 30 * 5, 0.5, noise));
    });
    EXPECT_EQ(values_of(uniform), uniform_by_hand(step)) << step;
    EXPECT_EQ(values_of(rows), noise_by_hand(step, 30, 5)) << step;
    EXPECT_EQ(values_of(entries), noise_by_hand(step, 30, 5)) << step;
  }
  EXPECT_EQ(recorder.started(), recorder.records() ? steps - 3 : 0);
}

TEST(StepRecorder, ANumberOfTheStepsOwnReachesItsOps) {
  const Context context = test::context(3);
  StepRecorder recorder(context);
  const CsrTensors graph =
      csr_tensors(context, test::csr(5, {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {3, 4}}));
  const auto laplacians = make_laplacian_source(context, graph);
  const at::Tensor entries = floats(laplacians->at(context, 0.5).nonzeros());
  const at::Tensor value = test::on(test::irregular({7}));
  const at::Tensor slow = floats(7);
  at::Tensor exact = at::zeros({7}, at::kDouble);
  for (std::uint32_t step = 0; step < steps; ++step) {
    const double own = 0.9 - 0.07 * step;
    recorder.run({.step = step, .own = own}, [&] {
      keep_share(slow, value, own);
      entries.copy_(laplacians->at(context, own).values);
    });
    exact = own * exact + (1 - own) * test::irregular({7}).to(at::kDouble);
    EXPECT_LT(test::distance(slow, exact), 1e-6) << step;
    EXPECT_TRUE(test::same_bytes(entries, laplacians->at(context, own).values)) << step;
  }
}

TEST(StepRecorder, StepsOfAnotherKindAreRecordedAnew) {
  const Context context = test::context(3);
  StepRecorder recorder(context);
  const at::Tensor out = floats(6);
  int called = 0;
  for (std::uint32_t step = 0; step < 3 * steps; ++step) {
    const auto kind = static_cast<std::int64_t>(step / steps + 1);
    if (step > 0 && step % steps == 0) recorder.forget();
    recorder.run({.step = step}, [&] {
      ++called;
      out.zero_().narrow(0, 0, 2 * kind).fill_(static_cast<double>(kind));
    });
    EXPECT_EQ(test::on_host(out).sum().item<double>(), static_cast<double>(2 * kind * kind));
  }
  // A step is called once to be recorded; the first ones, and the first of another kind, run as
  // they are.
  EXPECT_EQ(called, recorder.records() ? 3 + 1 + 2 * (1 + 1) : 3 * steps);
  EXPECT_EQ(recorder.started(), recorder.records() ? 3 * steps - 3 - 2 : 0);
}

}  // namespace
}  // namespace creg::step_recorder_test
