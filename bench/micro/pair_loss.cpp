// The losses over pairs, forward and backward, against the same formulas in plain libtorch: 19,717
// nodes, 512 wide. ML's pairs have one positive each, LC's the mean of five. Counter: the most
// memory that tensors took at a time, beyond what they held at the start.
#include <benchmark/benchmark.h>
#include <torch/types.h>

#include "creg/core/context.h"
#include "creg/ops/pair_loss.h"
#include "ops/runtime.h"
#include "ops/tensor_memory.h"

namespace {

constexpr std::int64_t nodes = 19717;
constexpr std::int64_t width = 512;

struct Inputs {
  at::Tensor anchors;
  at::Tensor rows;
  at::Tensor direction;
  creg::Pairs pairs;

  /// `positives` of each anchor: 1 is itself, more are drawn.
  explicit Inputs(std::int64_t positives = 1) {
    creg::prepare_torch(creg::Context());
    creg::install_tensor_memory();
    at::manual_seed(1);
    anchors = at::randn({nodes, width}).mul(0.1).set_requires_grad(true);
    rows = at::randn({nodes, width}).mul(0.1).set_requires_grad(true);
    direction = at::rand({width}).set_requires_grad(true);
    pairs.positives = positives == 1 ? at::arange(nodes, at::kInt).unsqueeze(1)
                                     : at::randint(nodes, {nodes, positives}, at::kInt);
    pairs.negatives = at::randperm(nodes, at::kInt).unsqueeze(1);
  }
  void forget_gradients() {
    for (at::Tensor* input : {&anchors, &rows, &direction}) input->mutable_grad().reset();
  }
};

at::Tensor plain_pair_loss(const Inputs& in) {
  const std::int64_t per_anchor = in.pairs.positives.size(1);
  at::Tensor positive = in.rows;
  if (per_anchor > 1) {
    positive = in.rows.index_select(0, in.pairs.positives.reshape({-1}))
                   .reshape({nodes, per_anchor, width})
                   .mean(1);
  }
  const at::Tensor negative = in.rows.index_select(0, in.pairs.negatives.reshape({-1}));
  const at::Tensor pulled = (in.anchors * positive).sum(1);
  const at::Tensor pushed = (in.anchors * negative).sum(1);
  return -(at::log_sigmoid(pulled) + at::log_sigmoid(-pushed)).mean();
}

template <class Loss>
void run(benchmark::State& state, Inputs inputs, const Loss& loss) {
  const std::int64_t before = creg::tensor_memory().live_bytes;
  creg::release_kept_tensor_memory();
  creg::reset_peak_tensor_memory();
  for (auto _ : state) {
    inputs.forget_gradients();
    loss(inputs).backward();
  }
  state.counters["MB"] = static_cast<double>(creg::tensor_memory().peak_bytes - before) / 1e6;
}

void pairs(benchmark::State& state) {
  run(state, Inputs(state.range(0)),
      [](const Inputs& in) { return creg::pair_loss(in.anchors, in.rows, in.pairs).loss; });
}

void pairs_plain(benchmark::State& state) {
  run(state, Inputs(state.range(0)), plain_pair_loss);
}

void direction(benchmark::State& state) {
  run(state, Inputs(),
      [](const Inputs& in) { return creg::direction_loss(in.rows, in.direction, -1); });
}

void direction_plain(benchmark::State& state) {
  run(state, Inputs(),
      [](const Inputs& in) { return -at::log_sigmoid(-at::mv(in.rows, in.direction)).mean(); });
}

void clock(benchmark::internal::Benchmark* benchmark) {
  benchmark->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();
}
void positives(benchmark::internal::Benchmark* benchmark) {
  clock(benchmark->Arg(1)->Arg(5));
}

BENCHMARK(pairs)->Apply(positives);
BENCHMARK(pairs_plain)->Apply(positives);
BENCHMARK(direction)->Apply(clock);
BENCHMARK(direction_plain)->Apply(clock);

}  // namespace

BENCHMARK_MAIN();
