// Graph attention forward and backward against the same in plain libtorch, which gathers a row of
// features per edge: 4 heads of 128 on synthetic:pubmed.
#include <benchmark/benchmark.h>
#include <torch/types.h>

#include "creg/core/context.h"
#include "graph/generators.h"
#include "graph/normalise.h"
#include "ops/gat.h"
#include "ops/runtime.h"
#include "ops/tensors.h"

namespace {

constexpr std::int64_t heads = 4;
constexpr std::int64_t channels = 128;

struct Inputs {
  creg::CsrMatrix matrix;
  creg::SparseMatrix pattern;
  at::Tensor z;
  at::Tensor att_source;
  at::Tensor att_target;

  Inputs() {
    const creg::Context context;
    creg::prepare_torch(context);
    const creg::Graph graph = creg::generate(context, creg::parse_synthetic("synthetic:pubmed"));
    matrix = creg::with_self_loops(context, graph.adjacency, creg::SelfLoops::missing);
    pattern = creg::SparseMatrix(context, matrix, creg::SparseMatrix::Shape::symmetric,
                                 creg::SparseMatrix::Entries::linked);
    z = at::randn({graph.nodes(), heads * channels}).set_requires_grad(true);
    att_source = at::randn({heads, channels}).mul(0.1).set_requires_grad(true);
    att_target = at::randn({heads, channels}).mul(0.1).set_requires_grad(true);
  }

  void forget_gradients() {
    for (at::Tensor* input : {&z, &att_source, &att_target}) input->mutable_grad().reset();
  }
};

void fused(benchmark::State& state) {
  Inputs inputs;
  for (auto _ : state) {
    inputs.forget_gradients();
    creg::gat_aggregate(inputs.pattern, inputs.z, inputs.att_source, inputs.att_target)
        .sum()
        .backward();
  }
}

void fused_forward(benchmark::State& state) {
  const Inputs inputs;
  const at::NoGradGuard no_grad;
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        creg::gat_aggregate(inputs.pattern, inputs.z, inputs.att_source, inputs.att_target));
  }
}

void plain(benchmark::State& state) {
  Inputs inputs;
  const std::int64_t nodes = inputs.matrix.rows;
  const at::Tensor offsets = creg::as_tensor(inputs.matrix.offsets);
  const at::Tensor source = creg::as_tensor(inputs.matrix.columns).to(at::kLong);
  const at::Tensor target = at::repeat_interleave(at::arange(nodes, at::kLong), offsets.diff());
  for (auto _ : state) {
    inputs.forget_gradients();
    const at::Tensor by_head = inputs.z.view({nodes, heads, channels});
    const at::Tensor from = (by_head * inputs.att_source).sum(2);
    const at::Tensor to = (by_head * inputs.att_target).sum(2);
    const at::Tensor scores =
        at::leaky_relu(from.index_select(0, source) + to.index_select(0, target), 0.2);
    const at::Tensor largest =
        at::full({nodes, heads}, -1e30)
            .scatter_reduce(0, target.unsqueeze(1).expand({-1, heads}), scores.detach(), "amax");
    const at::Tensor powers = (scores - largest.index_select(0, target)).exp();
    const at::Tensor sums = at::zeros({nodes, heads}).index_add(0, target, powers);
    const at::Tensor weights = powers / sums.index_select(0, target);
    at::zeros({nodes, heads, channels})
        .index_add(0, target, by_head.index_select(0, source) * weights.unsqueeze(2))
        .sum()
        .backward();
  }
}

BENCHMARK(fused)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(fused_forward)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(plain)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
