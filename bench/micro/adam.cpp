// One step of Adam against the same in plain libtorch, operation by operation. Argument: rows of a
// parameter 512 wide; those of a score's matrix, of Cora's and of Citeseer's encoder.
#include <benchmark/benchmark.h>
#include <torch/types.h>

#include <cmath>

#include "creg/core/context.h"
#include "ops/adam.h"
#include "ops/runtime.h"
#include "ops/tensor_memory.h"

namespace {

struct State {
  at::Tensor parameter;
  at::Tensor gradient;
  at::Tensor moment1;
  at::Tensor moment2;
  creg::AdamStep settings{.weight_decay = 5e-4};

  explicit State(std::int64_t rows) {
    creg::prepare_torch(creg::Context());
    creg::install_tensor_memory();
    at::manual_seed(1);
    parameter = at::randn({rows, 512});
    gradient = at::randn({rows, 512});
    moment1 = at::zeros_like(parameter);
    moment2 = at::zeros_like(parameter);
  }
};

void fused(benchmark::State& state) {
  State adam(state.range(0));
  for (auto _ : state) {
    creg::adam_step(adam.parameter, adam.gradient, adam.moment1, adam.moment2, adam.settings);
    ++adam.settings.step;
  }
}

void plain(benchmark::State& state) {
  const at::NoGradGuard no_grad;
  State adam(state.range(0));
  const creg::AdamStep& s = adam.settings;
  for (auto _ : state) {
    const auto step = static_cast<double>(s.step);
    const at::Tensor g = at::add(adam.gradient, adam.parameter, s.weight_decay);
    adam.moment1.mul_(s.beta1).add_(g, 1 - s.beta1);
    adam.moment2.mul_(s.beta2).addcmul_(g, g, 1 - s.beta2);
    const at::Tensor scale =
        adam.moment2.sqrt().div_(std::sqrt(1 - std::pow(s.beta2, step))).add_(s.eps);
    adam.parameter.addcdiv_(adam.moment1, scale, -s.lr / (1 - std::pow(s.beta1, step)));
    ++adam.settings.step;
  }
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(512)->Arg(1433)->Arg(3703)->Unit(benchmark::kMicrosecond);
  benchmark->MeasureProcessCPUTime()->UseRealTime();
}

BENCHMARK(fused)->Apply(sizes);
BENCHMARK(plain)->Apply(sizes);

}  // namespace

BENCHMARK_MAIN();
